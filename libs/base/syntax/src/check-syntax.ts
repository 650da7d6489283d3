import type { CheckerEngine } from './engines.ts';
import { languageNotLoaded } from './errors.ts';
import { isLanguage, type Language } from './language-of.ts';
import { createJavascriptCheck } from './languages/check-javascript.ts';
import { checkJson } from './languages/check-json.ts';
import { createPythonCheck } from './languages/check-python.ts';
import { loadTextParser, MAX_TEXT_LENGTH, type TextParser } from './parse-text.ts';

/** One reason why a text is not a valid program. */
export interface SyntaxDiagnostic {
  /** 1-based. */
  line: number;
  /** 0-based, UTF-16 units. */
  column: number;
  message: string;
  /**
   * `invalid-syntax`; the name of ruff's rule (`return-outside-function` …); `compile-error` for what CPython's compiler
   * refuses beyond that; `invalid-regexp`; `invalid-json`; and where no verdict was possible: `too-deep`, `too-large`,
   * `not-well-formed` (a lone surrogate, which no UTF-8 file can hold).
   */
  code: string;
}

export interface CheckOptions {
  /** Target version of Python, `3.7` to `3.14`; `3.13` when absent. */
  pythonVersion?: `3.${number}`;
  /** `script` is Node's CommonJS. Absent: by the extension of `path`, else `unambiguous`, which is valid if the text is valid as module or as script. */
  sourceType?: 'module' | 'script' | 'unambiguous';
  /** Only its extension is read: `.mjs` and `.mts` are modules, `.cjs` and `.cts` scripts, `.d.ts` declarations. */
  path?: string;
}

/** Decides whether a text is a valid program. */
export interface SyntaxChecker {
  readonly languages: readonly (Language | 'json')[];
  /** The reasons against, by line and column; `[]` for a valid program. Never throws for the text. */
  check(text: string, language: Language | 'json', options?: CheckOptions): SyntaxDiagnostic[];
  /** Frees the engines; later calls throw. */
  dispose(): void;
}

export interface CheckerOptions {
  engine?: CheckerEngine;
  signal?: AbortSignal;
}

/** Loads the engines of the named languages and no others; everything after is synchronous. */
export async function createSyntaxChecker(
  languages: readonly (Language | 'json')[],
  options: CheckerOptions = {},
): Promise<SyntaxChecker> {
  const { engine = {}, signal } = options;
  signal?.throwIfAborted();
  const parsed = languages.filter((language) => language !== 'json');
  const parser = parsed.length > 0 ? await loadTextParser(parsed, engine) : undefined;
  const checks = await loadChecks(parsed, engine, parser);
  if (signal?.aborted) parser?.dispose();
  signal?.throwIfAborted();
  return {
    languages: [...languages],
    check(text, language, checkOptions = {}) {
      if (!languages.includes(language)) throw languageNotLoaded(language, languages);
      const refused = refuse(text);
      if (refused) return [refused];
      if (language === 'json') return checkJson(text);
      const found = language === 'python' ? checks.python : checks.javascript;
      return sorted(found?.(text, language, checkOptions) ?? []);
    },
    dispose: () => parser?.dispose(),
  };
}

type Check = (text: string, language: Language, options: CheckOptions) => SyntaxDiagnostic[];

async function loadChecks(
  languages: readonly Language[],
  engine: CheckerEngine,
  parser: TextParser | undefined,
): Promise<{ python?: Check; javascript?: Check }> {
  const checks: { python?: Check; javascript?: Check } = {};
  if (!parser) return checks;
  if (languages.includes('python')) checks.python = await createPythonCheck(parser, engine.ruff);
  if (languages.some((language) => isLanguage(language) && language !== 'python')) {
    checks.javascript = await createJavascriptCheck(parser, engine.oxc);
  }
  return checks;
}

/** Texts no engine is given. */
function refuse(text: string): SyntaxDiagnostic | undefined {
  if (text.length > MAX_TEXT_LENGTH) {
    return {
      line: 1,
      column: 0,
      message: `More than ${MAX_TEXT_LENGTH} characters are not checked.`,
      code: 'too-large',
    };
  }
  const lone = text.search(/\p{Surrogate}/u);
  if (lone < 0) return undefined;
  const before = text.slice(0, lone).split('\n');
  const column = before[before.length - 1]?.length ?? 0;
  return {
    line: before.length,
    column,
    message: 'A lone surrogate cannot be stored as UTF-8.',
    code: 'not-well-formed',
  };
}

function sorted(diagnostics: SyntaxDiagnostic[]): SyntaxDiagnostic[] {
  return diagnostics.sort(
    (a, b) => a.line - b.line || a.column - b.column || compare(a.code, b.code) || compare(a.message, b.message),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
