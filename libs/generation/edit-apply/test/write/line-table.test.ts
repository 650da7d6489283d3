import { expect, test } from 'vitest';
import { isLineStart, lineAt, spanOfBytes, startOfLine, tableOfLines } from '../../src/write/line-table.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('lines end at LF, CRLF and a lone CR, or at LF alone', () => {
  const starts = (text: string, ends: 'any' | 'lf') => [...tableOfLines(bytes(text), ends).starts];
  expect(starts('a\nb\r\nc\rd', 'any')).toEqual([0, 2, 5, 7]);
  expect(starts('a\nb\r\nc\rd', 'lf')).toEqual([0, 2, 5]);
  expect(starts('a\n', 'any')).toEqual([0]);
  expect(starts('\r\r\n\n', 'any')).toEqual([0, 1, 3]);
  expect(starts('', 'any')).toEqual([]);
  expect(starts('a\u2028b\fc\u0085d', 'any')).toEqual([0]);
  expect(starts('\n'.repeat(1000), 'lf')).toHaveLength(1000);
});

test('offsets are on the line that holds them', () => {
  const table = tableOfLines(bytes('ab\ncd\n'), 'any');
  expect([0, 2, 3, 5, 6].map((offset) => lineAt(table, offset))).toEqual([0, 0, 1, 1, 1]);
  expect([0, 1, 2, 99].map((line) => startOfLine(table, line))).toEqual([0, 3, 6, 6]);
  expect(spanOfBytes(table, 0, 3)).toEqual([1, 1]);
  expect(spanOfBytes(table, 0, 4)).toEqual([1, 2]);
  expect(lineAt(tableOfLines(bytes(''), 'any'), 0)).toBe(-1);
});

test('a line starts after a line end', () => {
  const text = bytes('a\r\nb\rc\n');
  const starts = [...text.keys(), text.length].filter((at) => isLineStart(text, at, 'any'));
  expect(starts).toEqual([0, 3, 5, 7]);
  expect(isLineStart(text, 5, 'lf')).toBe(false);
});
