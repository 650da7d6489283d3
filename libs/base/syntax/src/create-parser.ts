import type { ParserEngine } from './engines.ts';
import { parseStopped } from './errors.ts';
import type { FlatTree } from './flat-tree.ts';
import { indexLines } from './index-lines.ts';
import { LANGUAGES, type Language } from './language-of.ts';
import { listTokens, type Token } from './list-tokens.ts';
import { emptyOutline, type Outline, outlineCode } from './outline-code.ts';
import { loadTextParser, type TextParser } from './parse-text.ts';
import { emptyNames, type NameTable, resolveNames } from './resolve-names.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** Reads source text synchronously once its engine is loaded. */
export interface Parser {
  /** The languages that were loaded. */
  readonly languages: readonly Language[];
  /** Functions, statements and blocks; never throws for the text: what did not parse makes it `partial`. */
  outline(text: string, language: Language): Outline;
  /** Tokens in source order, with comments and with the line ends and indentation that carry meaning. Throws `parse_stopped`. */
  tokens(text: string, language: Language): Token[];
  /** The same, and whether the text did not parse as a whole. Throws `parse_stopped`. */
  tokenList(text: string, language: Language): { tokens: Token[]; partial: boolean };
  /** The whole tree as plain arrays that outlive the parse; outline, names and tokens of one text share it. Throws `parse_stopped`. */
  flatTree(text: string, language: Language): FlatTree;
  /** Scopes, definitions and uses of names; never throws for the text. */
  names(text: string, language: Language): NameTable;
  /** Calls `visit` with the root of a parse tree and frees the tree afterwards: return plain data, never a node. Throws `parse_stopped`. */
  withTree<T>(text: string, language: Language, visit: (root: SyntaxNode) => T): T;
  /** Frees the parser; every later call throws `parser_disposed`. */
  dispose(): void;
}

export interface ParserOptions {
  /** Languages to load; all four when absent. */
  languages?: readonly Language[];
  /** WebAssembly bytes to use instead of the shipped files. */
  engine?: ParserEngine;
  signal?: AbortSignal;
}

/** Loads tree-sitter and the grammars (tens of milliseconds the first time); everything after is synchronous. */
export async function createParser(options: ParserOptions = {}): Promise<Parser> {
  const { languages = LANGUAGES, engine = {}, signal } = options;
  signal?.throwIfAborted();
  const parser = await loadTextParser(languages, engine);
  if (signal?.aborted) parser.dispose();
  signal?.throwIfAborted();
  return parserOver(parser);
}

function parserOver(parser: TextParser): Parser {
  function flatTree(text: string, language: Language): FlatTree {
    const tree = parser.read(text, language);
    if (!tree) throw parseStopped(language, text.length);
    return tree;
  }
  function tokenList(text: string, language: Language): { tokens: Token[]; partial: boolean } {
    const tree = flatTree(text, language);
    return { tokens: listTokens(tree), partial: tree.partial };
  }
  return {
    languages: parser.languages,
    outline(text, language) {
      const tree = parser.read(text, language);
      return tree ? outlineCode(tree) : emptyOutline(language, indexLines(text, language).count, true);
    },
    tokens: (text, language) => tokenList(text, language).tokens,
    tokenList,
    flatTree,
    names(text, language) {
      const tree = parser.read(text, language);
      return tree ? resolveNames(tree) : emptyNames(language, text);
    },
    withTree(text, language, visit) {
      const visited = parser.visit(text, language, (tree) => visit(tree.rootNode));
      if (!visited) throw parseStopped(language, text.length);
      return visited.value;
    },
    dispose: () => parser.dispose(),
  };
}
