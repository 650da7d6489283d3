import type * as TreeSitter from 'web-tree-sitter';
import { languageNotLoaded, parserDisposed, parseStopped } from './errors.ts';
import { indexLines } from './index-lines.ts';
import type { Language } from './language-of.ts';
import { listTokens, type Token } from './list-tokens.ts';
import { loadGrammar, type ParserEngine, startRuntime } from './load-engine.ts';
import { emptyOutline, type Outline, outlineCode } from './outline-code.ts';
import { type FlatTree, readTree } from './read-tree.ts';
import { emptyNames, type NameTable, resolveNames } from './resolve-names.ts';

/** A node of a tree-sitter tree: `type`, `text`, `children`, `startIndex` (UTF-16), `startPosition` (0-based) and so on. */
export type SyntaxNode = TreeSitter.Node;

/** Reads source text synchronously once its engine is loaded. */
export interface Parser {
  /** The languages that were loaded. */
  readonly languages: readonly Language[];
  /** Functions, statements and blocks; never throws for the text: what did not parse makes it `partial`. */
  outline(text: string, language: Language): Outline;
  /** Tokens in source order, with comments and with the line ends and indentation that carry meaning. */
  tokens(text: string, language: Language): Token[];
  /** Scopes, definitions and uses of names. */
  names(text: string, language: Language): NameTable;
  /** Calls `visit` with the root of a parse tree and frees the tree afterwards: return plain data, never a node. */
  withTree<T>(text: string, language: Language, visit: (root: SyntaxNode) => T): T;
  /** Frees the parsers; every later call throws `parser_disposed`. */
  dispose(): void;
}

export interface ParserOptions {
  /** Languages to load; all four when absent. */
  languages?: readonly Language[];
  /** WebAssembly bytes to use instead of the shipped files. */
  engine?: ParserEngine;
  signal?: AbortSignal;
}

const ALL: readonly Language[] = ['python', 'javascript', 'typescript', 'tsx'];
/** UTF-16 units; beyond, the 32-bit WebAssembly heap could run out, which would take every parser of the process along. */
const MAX_TEXT_LENGTH = 8_388_608;
/** tree-sitter reports progress about 5 times in 1,000 characters of ordinary code and 60 in the worst seen. */
const PROGRESS_PER_CHARACTER = 0.25;
const PROGRESS_AT_LEAST = 10_000;

/** Loads tree-sitter and the grammars (tens of milliseconds the first time); everything after is synchronous. */
export async function createParser(options: ParserOptions = {}): Promise<Parser> {
  const { languages = ALL, engine = {}, signal } = options;
  signal?.throwIfAborted();
  const unknown = languages.find((language) => !ALL.includes(language));
  if (unknown !== undefined) throw languageNotLoaded(unknown, ALL);
  const treeSitter = await startRuntime(engine.runtime);
  const grammars = await Promise.all(
    languages.map(
      async (language) => [language, await loadGrammar(treeSitter, language, engine.grammars?.[language])] as const,
    ),
  );
  signal?.throwIfAborted();
  return parserOver(treeSitter, new Map(grammars));
}

function parserOver(treeSitter: typeof TreeSitter, grammars: ReadonlyMap<Language, TreeSitter.Language>): Parser {
  const engine = new treeSitter.Parser();
  let isDisposed = false;

  /** Parses, visits, frees; `undefined` when the work limit was reached. */
  function visitTree<T>(
    text: string,
    language: Language,
    visit: (tree: TreeSitter.Tree) => T,
  ): { value: T } | undefined {
    if (isDisposed) throw parserDisposed();
    const grammar = grammars.get(language);
    if (!grammar) throw languageNotLoaded(language, [...grammars.keys()]);
    const tree = parseWithin(engine, grammar, text);
    if (!tree) return undefined;
    try {
      return { value: visit(tree) };
    } finally {
      tree.delete();
    }
  }
  const read = (text: string, language: Language): FlatTree | undefined =>
    visitTree(text, language, (tree) => readTree(tree, text, language))?.value;

  return {
    languages: [...grammars.keys()],
    outline(text, language) {
      const tree = read(text, language);
      return tree ? outlineCode(tree) : emptyOutline(language, indexLines(text, language).count, true);
    },
    tokens(text, language) {
      const tree = read(text, language);
      if (!tree) throw parseStopped(language, text.length);
      return listTokens(tree);
    },
    names(text, language) {
      const tree = read(text, language);
      return tree ? resolveNames(tree) : emptyNames(language, text);
    },
    withTree(text, language, visit) {
      const visited = visitTree(text, language, (tree) => visit(tree.rootNode));
      if (!visited) throw parseStopped(language, text.length);
      return visited.value;
    },
    dispose() {
      if (!isDisposed) engine.delete();
      isDisposed = true;
    },
  };
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
