import type * as TreeSitter from 'web-tree-sitter';
import type { ParserEngine } from './engines.ts';
import { languageNotLoaded, parserDisposed } from './errors.ts';
import type { FlatTree } from './flat-tree.ts';
import { isLanguage, LANGUAGES, type Language } from './language-of.ts';
import { loadGrammar, startRuntime } from './load-engine.ts';
import { readTree } from './read-tree.ts';

/** UTF-16 units; beyond, the 32-bit WebAssembly heap could run out, which would take every parser of the process along. */
export const MAX_TEXT_LENGTH = 8_388_608;
/** tree-sitter reports progress about 5 times in 1,000 characters of ordinary code and 60 in the worst seen. */
const PROGRESS_PER_CHARACTER = 0.25;
const PROGRESS_AT_LEAST = 10_000;
/** A lexer that looks ahead to the end of a long line and back, again and again, reads the text thousands of times over. */
const READS_OF_TEXT = 64;
const READ_AT_LEAST = 4_194_304;
const COST_OF_READ = 64;
/** Fits the 10 KiB buffer web-tree-sitter copies into. */
const CHUNK = 4096;

/** Parses and frees; owns one tree-sitter parser. */
export interface TextParser {
  readonly languages: readonly Language[];
  /** Calls `visit` with the tree and frees it; `undefined` when the work limit was reached. */
  visit<T>(text: string, language: Language, visit: (tree: TreeSitter.Tree) => T): { value: T } | undefined;
  /** The tree as flat arrays; `undefined` when the work limit was reached. The last one is kept: outline, names and tokens of one text parse once. */
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
  let last: { text: string; language: Language; tree: FlatTree | undefined } | undefined;
  const parser: TextParser = {
    languages: [...grammars.keys()],
    visit(text, language, visit) {
      if (isDisposed) throw parserDisposed();
      const grammar = grammars.get(language);
      if (!grammar) throw languageNotLoaded(language, parser.languages);
      const tree = parseWithin(engine, grammar, withoutLoneReturns(text));
      if (!tree) return undefined;
      try {
        return { value: visit(tree) };
      } finally {
        tree.delete();
      }
    },
    read(text, language) {
      if (last?.text !== text || last.language !== language || isDisposed) {
        const tree = parser.visit(text, language, (found) => readTree(found, text, language))?.value;
        last = { text, language, tree };
      }
      return last.tree;
    },
    dispose() {
      if (!isDisposed) engine.delete();
      isDisposed = true;
      last = undefined;
    },
  };
  return parser;
}

/** The limits count work, not time, so that the same text always gives the same answer. */
export function parseWithin(
  engine: TreeSitter.Parser,
  grammar: TreeSitter.Language,
  text: string,
): TreeSitter.Tree | null {
  if (text.length > MAX_TEXT_LENGTH) return null;
  let progressLeft = PROGRESS_AT_LEAST + text.length * PROGRESS_PER_CHARACTER;
  let readLeft = READ_AT_LEAST + text.length * READS_OF_TEXT;
  let isParsing = true;
  const read = (index: number): string => {
    const chunk = text.slice(index, index + CHUNK);
    if (!isParsing) return chunk;
    readLeft -= chunk.length + COST_OF_READ;
    return readLeft < 0 ? '' : chunk;
  };
  engine.setLanguage(grammar);
  const tree = engine.parse(read, null, { progressCallback: () => --progressLeft < 0 || readLeft < 0 });
  isParsing = false;
  if (!tree) engine.reset();
  if (readLeft >= 0) return tree;
  tree?.delete();
  return null;
}

/** CPython and ECMAScript end a line at a lone CR, the grammars do not; one for one, so that offsets stay. */
function withoutLoneReturns(text: string): string {
  return text.includes('\r') ? text.replace(/\r(?!\n)/g, '\n') : text;
}
