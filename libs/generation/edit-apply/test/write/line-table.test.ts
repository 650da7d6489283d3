import { expect, test } from 'vitest';
import { isLineStart, lineAt, spanOfBytes, startOfLine, tableOfLines } from '../../src/write/line-table.ts';
import { randomSource } from '../random-edits.ts';

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

/** The same, one byte after the other. */
function tableByBytes(text: Uint8Array, ends: 'any' | 'lf') {
  const isEnd = (byte: number | undefined, next: number | undefined) =>
    byte === 10 || (byte === 13 && ends === 'any' && next !== 10);
  const starts = [...text.keys()].filter((at) => at === 0 || isEnd(text[at - 1], text[at]));
  return { starts, hasCr: text.includes(13), hasNul: text.includes(0) };
}

test('words give what bytes give, at every alignment and with any bytes', () => {
  const { below, pick } = randomSource(4);
  const bytesOfNote = [0, 9, 10, 12, 13, 14, 0x7f, 0x80, 0x8d, 0xff];
  for (let round = 0; round < 4000; round++) {
    const plain = pick([0x0e, 0x61, 0x80, 0xff]);
    const buffer = Uint8Array.from({ length: 40 }, () => (below(8) === 0 ? pick(bytesOfNote) : plain));
    const [start, size] = [below(6), below(34)];
    const text = buffer.subarray(start, start + size);
    for (const ends of ['any', 'lf'] as const) {
      const { starts, hasCr, hasNul } = tableOfLines(text, ends);
      expect({ starts: [...starts], hasCr, hasNul }, `${[...text]}`).toEqual(tableByBytes(text, ends));
    }
  }
});
