// What a caller may bring instead of the files and packages this library finds by itself. Structural on purpose: the
// published types need none of the engines' own.
import type { Language } from './language-of.ts';

/** WebAssembly bytes to use instead of the files shipped in `dist/grammars` (for bundles and foreign file systems). */
export interface ParserEngine {
  /** `web-tree-sitter.wasm` of the installed web-tree-sitter; only the first parser of a process starts the runtime. */
  runtime?: Uint8Array;
  /** One grammar per language, built for tree-sitter ABI 13 to 15. */
  grammars?: Partial<Record<Language, Uint8Array>>;
}

/** Engines to use instead of the installed packages. */
export interface CheckerEngine extends ParserEngine {
  /** The module `@astral-sh/ruff-wasm-nodejs`. */
  ruff?: RuffModule;
  /** The module `oxc-parser`. */
  oxc?: OxcModule;
}

/** What is used of `@astral-sh/ruff-wasm-nodejs`. */
export interface RuffModule {
  Workspace: new (settings: unknown, positionEncoding: number) => RuffWorkspace;
  PositionEncoding: { Utf16: number };
}

export interface RuffWorkspace {
  /** A list of `RuffDiagnostic`. */
  check(text: string): unknown;
}

export interface RuffDiagnostic {
  code: string | null;
  message: string;
  /** Both 1-based. */
  start_location: { row: number; column: number };
}

/** What is used of `oxc-parser`. */
export interface OxcModule {
  parseSync(filename: string, text: string, options: OxcOptions): OxcResult;
}

export interface OxcOptions {
  lang: 'js' | 'jsx' | 'ts' | 'tsx' | 'dts';
  sourceType: 'module' | 'commonjs';
  showSemanticErrors: boolean;
}

export interface OxcResult {
  program: unknown;
  errors: { severity: string; message: string; labels: { start: number }[] }[];
}
