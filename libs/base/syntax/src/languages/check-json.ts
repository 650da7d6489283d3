import type { SyntaxDiagnostic } from '../check-syntax.ts';

/** Strict JSON (RFC 8259) as `JSON.parse` reads it: no comments, no trailing commas, no byte order mark. */
export function checkJson(text: string): SyntaxDiagnostic[] {
  try {
    JSON.parse(text);
    return [];
  } catch {
    const offset = errorOffset(text);
    const before = text.slice(0, offset).split(/\r\n|\n|\r/);
    const got = offset < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0)) : 'the end';
    const column = before[before.length - 1]?.length ?? 0;
    return [{ line: before.length, column, message: `Unexpected ${got} in JSON.`, code: 'invalid-json' }];
  }
}

const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them
  /[\t\n\r ]*(?:([[\]{},:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** Where the text stops being JSON: `JSON.parse` says it in words that change between engines. */
function errorOffset(text: string): number {
  const open: ('[' | '{')[] = [];
  let expected: 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'next' = 'value';
  let end = 0;
  for (;;) {
    TOKEN.lastIndex = end;
    const match = TOKEN.exec(text);
    const at = end + (/[\t\n\r ]*/y.exec(text.slice(end))?.[0].length ?? 0);
    if (!match) return at;
    end = TOKEN.lastIndex;
    const [, mark, string] = match;
    const inner = open[open.length - 1];
    if (expected === 'colon') {
      if (mark !== ':') return at;
      expected = 'value';
    } else if (expected === 'next') {
      if (mark === ',' && inner) expected = inner === '{' ? 'key' : 'value';
      else if ((mark === ']' && inner === '[') || (mark === '}' && inner === '{')) open.pop();
      else return at;
    } else if (mark === '}' && expected === 'key or }') {
      open.pop();
      expected = 'next';
    } else if (expected === 'key' || expected === 'key or }') {
      if (string === undefined) return at;
      expected = 'colon';
    } else if (mark === ']' && expected === 'value or ]') {
      open.pop();
      expected = 'next';
    } else if (mark === '[' || mark === '{') {
      open.push(mark);
      expected = mark === '[' ? 'value or ]' : 'key or }';
    } else if (mark !== undefined) return at;
    else expected = 'next';
  }
}
