import type * as TreeSitter from 'web-tree-sitter';
import type { SyntaxDiagnostic } from './check-syntax.ts';
import { languageNotLoaded, parserDisposed } from './errors.ts';
import type { GrammarLanguage } from './language-of.ts';
import { loadGrammar, startRuntime } from './load-engine.ts';
import { parseWithin } from './parse-text.ts';

export interface GrammarCheckerOptions {
  /** WebAssembly bytes of grammars, in place of those in the packages `tree-sitter-<language>`. */
  readonly grammars?: Partial<Record<GrammarLanguage, Uint8Array>>;
  /** As in `ParserEngine`. */
  readonly runtime?: Uint8Array;
  readonly signal?: AbortSignal;
}

/** Says where a text does not fit a language's tree-sitter grammar. */
export interface GrammarChecker {
  readonly languages: readonly GrammarLanguage[];
  /**
   * The places that do not fit, at most 20, by line and column; `[]` for a text that parses. A grammar is not the language: it takes some
   * wrong programs, and now and then refuses a right one. `too-large` where no verdict was possible.
   */
  check(text: string, language: GrammarLanguage): SyntaxDiagnostic[];
  /** Frees the parser; later calls throw. */
  dispose(): void;
}

const SHOWN = 20;

/**
 * Loads the grammars of the named languages; everything after is synchronous. They do not ship with this package: install
 * `tree-sitter-go` and its like beside it (no build needed: only the `.wasm` is read), or pass the bytes.
 */
export async function createGrammarChecker(
  languages: readonly GrammarLanguage[],
  options: GrammarCheckerOptions = {},
): Promise<GrammarChecker> {
  const { grammars: given = {}, runtime, signal } = options;
  signal?.throwIfAborted();
  const treeSitter = await startRuntime(runtime);
  const grammars = new Map<GrammarLanguage, TreeSitter.Language>();
  for (const language of languages) grammars.set(language, await loadGrammar(treeSitter, language, given[language]));
  signal?.throwIfAborted();
  let parser: TreeSitter.Parser | undefined = new treeSitter.Parser();
  return {
    languages: [...languages],
    check(text, language) {
      const grammar = grammars.get(language);
      if (parser === undefined) throw parserDisposed();
      if (grammar === undefined) throw languageNotLoaded(language, languages);
      const tree = parseWithin(parser, grammar, text);
      if (tree === null)
        return [{ line: 1, column: 0, message: 'Parsing was stopped at the work limit.', code: 'too-large' }];
      try {
        return tree.rootNode.hasError ? misfits(tree.rootNode) : [];
      } finally {
        tree.delete();
      }
    },
    dispose() {
      parser?.delete();
      parser = undefined;
    },
  };
}

/** The error nodes that hold no others, and what the parser had to make up. */
function misfits(root: TreeSitter.Node): SyntaxDiagnostic[] {
  const found: SyntaxDiagnostic[] = [];
  const open: TreeSitter.Node[] = [root];
  for (let node = open.pop(); node !== undefined && found.length < SHOWN; node = open.pop()) {
    const inner = node.children.filter(
      (child): child is TreeSitter.Node => child?.hasError === true || child?.isMissing === true,
    );
    if (node.isMissing) found.push(misfit(node, `"${node.type}" is missing.`));
    else if (node.isError && inner.length === 0)
      found.push(misfit(node, `${JSON.stringify(node.text.slice(0, 60))} does not fit here.`));
    open.push(...inner.reverse());
  }
  return found.length > 0 ? found : [misfit(root, 'The text does not parse.')];
}

function misfit({ startPosition: { row, column } }: TreeSitter.Node, message: string): SyntaxDiagnostic {
  return { line: row + 1, column, message, code: 'invalid-syntax' };
}
