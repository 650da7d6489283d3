import type * as TreeSitter from 'web-tree-sitter';
import { languageNotLoaded, parserDisposed } from './errors.ts';
import { isLanguage, LANGUAGES, type Language } from './language-of.ts';
import { loadGrammar, type ParserEngine, startRuntime } from './load-engine.ts';
import { type FlatTree, readTree } from './read-tree.ts';

/** UTF-16 units; beyond, the 32-bit WebAssembly heap could run out, which would take every parser of the process along. */
export const MAX_TEXT_LENGTH = 8_388_608;
/** tree-sitter reports progress about 5 times in 1,000 characters of ordinary code and 60 in the worst seen. */
const PROGRESS_PER_CHARACTER = 0.25;
const PROGRESS_AT_LEAST = 10_000;

/** Parses and frees; owns one tree-sitter parser. */
export interface TextParser {
  readonly languages: readonly Language[];
  /** Calls `visit` with the tree and frees it; `undefined` when the work limit was reached. */
  visit<T>(text: string, language: Language, visit: (tree: TreeSitter.Tree) => T): { value: T } | undefined;
  /** The tree as flat arrays; `undefined` when the work limit was reached. */
  read(text: string, language: Language): FlatTree | undefined;
  dispose(): void;
}

/** Loads the runtime and the grammars. */
export async function loadTextParser(languages: readonly Language[], engine: ParserEngine): Promise<TextParser> {
  const unknown = languages.find((language) => !isLanguage(language));
  if (unknown !== undefined) throw languageNotLoaded(unknown, LANGUAGES);
  const treeSitter = await startRuntime(engine.runtime);
  const grammars = new Map<Language, TreeSitter.Language>();
  for (const language of languages) {
    grammars.set(language, await loadGrammar(treeSitter, language, engine.grammars?.[language]));
  }
  return textParserOver(new treeSitter.Parser(), grammars);
}

function textParserOver(engine: TreeSitter.Parser, grammars: ReadonlyMap<Language, TreeSitter.Language>): TextParser {
  let isDisposed = false;
  const parser: TextParser = {
    languages: [...grammars.keys()],
    visit(text, language, visit) {
      if (isDisposed) throw parserDisposed();
      const grammar = grammars.get(language);
      if (!grammar) throw languageNotLoaded(language, parser.languages);
      const tree = parseWithin(engine, grammar, text);
      if (!tree) return undefined;
      try {
        return { value: visit(tree) };
      } finally {
        tree.delete();
      }
    },
    read: (text, language) => parser.visit(text, language, (tree) => readTree(tree, text, language))?.value,
    dispose() {
      if (!isDisposed) engine.delete();
      isDisposed = true;
    },
  };
  return parser;
}

/** The limit counts work, not time, so that the same text always gives the same answer. */
function parseWithin(engine: TreeSitter.Parser, grammar: TreeSitter.Language, text: string): TreeSitter.Tree | null {
  if (text.length > MAX_TEXT_LENGTH) return null;
  engine.setLanguage(grammar);
  const limit = PROGRESS_AT_LEAST + text.length * PROGRESS_PER_CHARACTER;
  let progress = 0;
  const tree = engine.parse(text, null, { progressCallback: () => ++progress > limit });
  if (!tree) engine.reset();
  return tree;
}
