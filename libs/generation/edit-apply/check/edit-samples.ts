// One small program in each of nine languages, built from the same parts, and what a case says of an edit of it.

import type { ReadEditOptions } from '../src/formats.ts';
import type { EditInput, MatchTier } from '../src/index.ts';

export interface EditCase {
  /** Row of the table of failure kinds in the field guide. */
  readonly kind: number;
  readonly what: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly edit: EditInput | ({ readonly text: string } & ReadEditOptions);
  readonly match?: MatchTier;
  readonly expected: Expected;
  /** With a gate, where that differs. */
  readonly gated?: Expected;
}

export type Expected =
  /** Every file afterwards. */
  | { readonly after: Readonly<Record<string, string | Uint8Array>> }
  | {
      readonly reason: string;
      readonly lines?: readonly number[];
      readonly nearest?: number;
      readonly cause?: string;
      readonly path?: string;
    }
  | { readonly unreadable: string };

export interface Language {
  readonly name: string;
  readonly extension: string;
  readonly indent: string;
  readonly head: readonly string[];
  readonly tail: readonly string[];
  readonly open: (name: string) => string;
  readonly close: readonly string[];
  readonly assign: (name: string, value: string) => string;
  readonly result: (value: string) => string;
  readonly comment: (text: string) => string;
  readonly text: (value: string) => string;
}

const braces = {
  close: ['}'],
  comment: (text: string) => `// ${text}`,
  text: (value: string) => `"${value}"`,
  head: [],
  tail: [],
  indent: '  ',
};
const semicolon = (value: string) => `return ${value};`;

export const LANGUAGES: readonly Language[] = [
  {
    ...braces,
    name: 'python',
    extension: 'py',
    indent: '    ',
    open: (name) => `def ${name}(a, b):`,
    close: [],
    assign: (name, value) => `${name} = ${value}`,
    result: (value) => `return ${value}`,
    comment: (text) => `# ${text}`,
  },
  {
    ...braces,
    name: 'javascript',
    extension: 'js',
    open: (name) => `export function ${name}(a, b) {`,
    assign: (name, value) => `let ${name} = ${value};`,
    result: semicolon,
  },
  {
    ...braces,
    name: 'typescript',
    extension: 'ts',
    open: (name) => `export function ${name}(a: number, b: number): number {`,
    assign: (name, value) => `const ${name} = ${value};`,
    result: semicolon,
  },
  {
    ...braces,
    name: 'tsx',
    extension: 'tsx',
    open: (name) => `export function ${name}(a: number, b: number) {`,
    assign: (name, value) => `const ${name} = ${value};`,
    result: (value) => `return <b>{${value}}</b>;`,
  },
  {
    ...braces,
    name: 'go',
    extension: 'go',
    indent: '\t',
    head: ['package sample', ''],
    open: (name) => `func ${name}(a int, b int) int {`,
    assign: (name, value) => `var ${name} = ${value}`,
    result: (value) => `return ${value}`,
  },
  {
    ...braces,
    name: 'java',
    extension: 'java',
    indent: '    ',
    head: ['class Sample {'],
    tail: ['}'],
    open: (name) => `int ${name}(int a, int b) {`,
    assign: (name, value) => `var ${name} = ${value};`,
    result: semicolon,
  },
  {
    ...braces,
    name: 'rust',
    extension: 'rs',
    indent: '    ',
    open: (name) => `fn ${name}(a: i32, b: i32) -> i32 {`,
    assign: (name, value) => `let ${name} = ${value};`,
    result: semicolon,
  },
  {
    ...braces,
    name: 'c',
    extension: 'c',
    open: (name) => `int ${name}(int a, int b) {`,
    assign: (name, value) => `int ${name} = ${value};`,
    result: semicolon,
  },
  {
    ...braces,
    name: 'bash',
    extension: 'sh',
    open: (name) => `${name}() {`,
    assign: (name, value) => `local ${name}=$((${value}))`,
    result: (value) => `echo $((${value}))`,
    comment: (text) => `# ${text}`,
  },
];

/** The lines of one function; the line of `total` is the same in each. */
function functionLines(language: Language, index: number): string[] {
  const { indent, open, close, assign, result, comment } = language;
  return [
    open(`step_${index}`),
    `${indent}${comment(`step ${index} of four`)}`,
    `${indent}${assign('total', 'a + b')}`,
    `${indent}${assign(`value_${index}`, `total * ${index + 2}`)}`,
    `${indent}${result(`value_${index} + total`)}`,
    ...close,
    '',
  ];
}

export interface Sample {
  readonly language: Language;
  readonly path: string;
  readonly lines: readonly string[];
  /** The lines with LF, the last one ended. */
  readonly text: string;
  /** 0-based line of a function's part. */
  readonly at: (index: number, part: 'open' | 'comment' | 'total' | 'value' | 'result') => number;
  /** The line of `value_<index>` with other numbers. */
  readonly value: (index: number, factor: string) => string;
}

export function sampleOf(language: Language): Sample {
  const { head, tail } = language;
  const functions = [0, 1, 2, 3].map((index) => functionLines(language, index));
  const lines = [...head, ...functions.flat(), language.comment('the end'), ...tail];
  const size = functions[0]?.length ?? 0;
  const offset = { open: 0, comment: 1, total: 2, value: 3, result: 4 };
  return {
    language,
    path: `src/sample.${language.extension}`,
    lines,
    text: join(lines),
    at: (index, part) => head.length + index * size + offset[part],
    value: (index, factor) => `${language.indent}${language.assign(`value_${index}`, `total * ${factor}`)}`,
  };
}

export function join(lines: readonly string[], end = '\n'): string {
  return lines.map((line) => line + end).join('');
}

/** The lines with some of them replaced by others, or by none. */
export function withLines(lines: readonly string[], changes: Readonly<Record<number, readonly string[]>>): string[] {
  return lines.flatMap((line, at) => changes[at] ?? [line]);
}

export function lineOf({ lines }: Sample, at: number): string {
  return lines[at] ?? '';
}
