import type { CoverageFormat } from './coverage-report.ts';
import { decodeText } from './decode-text.ts';
import { malformed } from './errors.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** The value of JSON text. Throws `malformed_coverage` with the line and offset of the first character that cannot be there. */
export function readJson(format: CoverageFormat, input: string | Uint8Array): unknown {
  const text = decodeText(input);
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The engine's own message names the place in some versions only.
    const offset = findJsonError(text);
    const line = text.slice(0, offset).split('\n').length;
    throw malformed(
      format,
      offset >= text.trimEnd().length ? 'it ends too early' : 'not JSON',
      { line, offset },
      cause,
    );
  }
}

/** An object, or an error that says where none was. */
export function objectAt(format: CoverageFormat, value: unknown, at: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw malformed(format, 'an object was expected', { at });
}

export function listAt(format: CoverageFormat, value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw malformed(format, 'a list was expected', { at });
}

/** What may follow, as a state of a little automaton: a value, a key, or what comes after one. */
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'after';

const token =
  /([{}[\],:])|("[^"\\]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*)*")|(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;
/** Below U+0020, which no JSON text may hold inside a string. */
const control = /[^\P{Cc}\u007f-\u009f]/u;

/** Offset of the first token that cannot be there; the length of the text where it ends too early. */
export function findJsonError(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    at = skipBlanks(text, at);
    token.lastIndex = at;
    const [whole, mark, string] = token.exec(text) ?? [];
    if (whole === undefined) return at;
    if (string !== undefined && control.test(string)) return at + string.search(control);
    const next = step(expected, mark ?? (string === undefined ? 'scalar' : 'string'), open);
    if (next === undefined) return at;
    expected = next;
    at += whole.length;
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && '\t\n\r '.includes(text[at] ?? '.')) at += 1;
  return at;
}

function step(expected: Expected, met: string, open: string[]): Expected | undefined {
  if (expected === ':') return met === ':' ? 'value' : undefined;
  if (expected === 'after') {
    if (met === ',' && open.length > 0) return open.at(-1) === '{' ? 'key' : 'value';
    return met === (open.at(-1) === '{' ? '}' : ']') && open.pop() !== undefined ? 'after' : undefined;
  }
  if (expected.startsWith('key')) {
    if (met === 'string') return ':';
    return met === '}' && expected === 'key or }' && open.pop() !== undefined ? 'after' : undefined;
  }
  if (met === 'string' || met === 'scalar') return 'after';
  if (met === ']' && expected === 'value or ]') return open.pop() === undefined ? undefined : 'after';
  if (met !== '{' && met !== '[') return undefined;
  open.push(met);
  return met === '{' ? 'key or }' : 'value or ]';
}
