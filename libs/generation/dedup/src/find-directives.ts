// Comments that a tool reads: to a type checker, a linter, a bundler or the interpreter they are part of the program.
import type { Language } from '@h/syntax';

/** A comment that is kept. `line` scope: it speaks of the line it stands on or of the next one, so that its place matters too. */
export interface Directive {
  readonly scope: 'line' | 'file';
}

const LINE: Directive = { scope: 'line' };
const FILE: Directive = { scope: 'file' };

const PYTHON: readonly (readonly [pattern: RegExp, directive: Directive])[] = [
  [/^#\s*(?:ruff|flake8)\s*:\s*noqa|^#\s*(?:isort|cython|distutils|mypy)\s*:|^#\s*pyright\s*:\s*(?!ignore)/i, FILE],
  [
    /#\s*(?:type|noqa|pyright|pylint|pyre|pytype|pragma|nosec|fmt|yapf|ruff|flake8|isort|skipcq|sourcery|nopep8)\b/i,
    LINE,
  ],
  [/#\s*pyre-(?:ignore|fixme|strict|unsafe)/i, LINE],
];

const JAVASCRIPT: readonly (readonly [pattern: RegExp, directive: Directive])[] = [
  [/^#!/, FILE],
  [/^\/\/\/\s*</, FILE],
  [/^\/[/*][#@]\s*source(?:Mapping)?URL=/, FILE],
  [/^\/[/*][\s*]*@ts-(?:no)?check\b/, FILE],
  [/[@#]__[A-Z_]+__/, FILE],
  [/^\/\*[\s*]*(?:globals?|exported|eslint(?:-env|-enable|-disable)?|jshint|jslint)\s/, FILE],
  [/^\/[/*][\s*]*@(?:no)?flow\b/, FILE],
  [
    /@(?:vite-ignore|jsx\w*|jest-\w+|vitest-\w+|license|preserve|cc_on)\b|^\/\*!|\bwebpack[A-Z]\w*\s*:|turbopack\w*\s*:/,
    FILE,
  ],
  // JSDoc types are read by the type checker where it checks JavaScript, and by Closure.
  [
    /^\/\*\*[\s\S]*@(?:type|typedef|param|arg|argument|returns?|template|satisfies|import|overload|enum|this|extends|augments|implements|class|constructor|callback|prop|property|public|private|protected|readonly|override|deprecated|const|define|suppress)\b/,
    FILE,
  ],
  // Not comments at all in a module: `a <!--b` compares.
  [/^(?:<!--|-->)/, FILE],
  [
    /@ts-|eslint-|oxlint-|biome-ignore|prettier-ignore|dprint-ignore|deno-|rome-ignore|tslint:|jscs:|(?:istanbul|c8|v8|coverage|node:coverage)\s+(?:ignore|disable|enable)|stryker |\$Flow|noinspection|NOSONAR|nosemgrep|globals?\s/i,
    LINE,
  ],
];

const CODING = /^#.*?coding[:=][ \t]*[-_.a-zA-Z0-9]+/;

/** The directive a comment is, or undefined for one that only people read. `line` is 1-based. */
export function directiveOf(comment: string, line: number, language: Language): Directive | undefined {
  if (language === 'python') {
    if (line === 1 && comment.startsWith('#!')) return FILE;
    if (line <= 2 && CODING.test(comment)) return FILE;
  }
  const table = language === 'python' ? PYTHON : JAVASCRIPT;
  return table.find(([pattern]) => pattern.test(comment))?.[1];
}

/** Start of an inline script metadata block (PEP 723), whose comment lines are data up to `# ///`. */
export function opensMetadata(comment: string): boolean {
  return /^# \/\/\/ [a-zA-Z0-9-]+$/.test(comment);
}

export function closesMetadata(comment: string): boolean {
  return comment === '# ///';
}
