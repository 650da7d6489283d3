// Lines of a byte array. Two countings exist: editors, Python and the records here end a line at LF, CRLF and a lone CR; diff tools
// know LF alone. They agree in every file without a lone CR.

export const LF = 10;
export const CR = 13;

export interface LineTable {
  /** Offset of the first byte of each line, ascending; the empty rest after a final line end is not a line. */
  readonly starts: Uint32Array;
  readonly size: number;
  readonly ends: LineEnds;
  /** Whether the bytes have a CR, and a NUL, anywhere. */
  readonly hasCr: boolean;
  readonly hasNul: boolean;
}

/** What ends a line: LF, CRLF and a lone CR, or LF alone. */
export type LineEnds = 'any' | 'lf';

/**
 * One pass over the file. Most bytes are above CR: those that are aligned are looked at four at a time, as words of the buffer.
 */
export function tableOfLines(bytes: Uint8Array, ends: LineEnds): LineTable {
  const { byteOffset, length: size } = bytes;
  const words = new Int32Array(bytes.buffer, 0, (byteOffset + size) >>> 2);
  let starts = new Uint32Array(Math.max(16, size >> 4));
  let count = size === 0 ? 0 : 1; // the first line starts at 0
  let hasCr = false;
  let hasNul = false;
  for (let at = 0; at < size; ) {
    if (((byteOffset + at) & 3) === 0) {
      let word = (byteOffset + at) >>> 2;
      while (word < words.length && !hasControl(words[word] ?? 0)) word++;
      at = word * 4 - byteOffset;
      if (at >= size) break;
    }
    const byte = bytes[at++] ?? 0;
    if (byte > CR) continue;
    if (byte === 0) hasNul = true;
    if (byte === CR) hasCr = true;
    const endsLine = byte === LF || (byte === CR && ends === 'any' && bytes[at] !== LF);
    if (!endsLine || at === size) continue;
    if (count === starts.length) starts = twiceAsLarge(starts);
    starts[count++] = at;
  }
  return { starts: starts.subarray(0, count), size, ends, hasCr, hasNul };
}

/** Whether one of the four bytes is at most CR: taking CR + 1 from it borrows into its top bit, which it has not set itself. */
function hasControl(word: number): boolean {
  return ((word - 0x0e0e0e0e) & ~word & 0x80808080) !== 0;
}

function twiceAsLarge(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

/** Offset after the next line end at or after `at`; the size of the bytes when there is none. */
export function nextLine(bytes: Uint8Array, at: number, ends: LineEnds): number {
  const size = bytes.length;
  for (let i = at; i < size; i++) {
    const byte = bytes[i];
    if (byte === LF) return i + 1;
    if (byte === CR && ends === 'any') return bytes[i + 1] === LF ? i + 2 : i + 1;
  }
  return size;
}

/** True where a line may start: at 0 and right after a line end, also at the end of the bytes. */
export function isLineStart(bytes: Uint8Array, at: number, ends: LineEnds): boolean {
  const before = bytes[at - 1];
  return at === 0 || before === LF || (before === CR && ends === 'any' && bytes[at] !== LF);
}

/** 0-based index of the line that holds the byte at `offset`; the end of the bytes belongs to the last line; -1 when there is none. */
export function lineAt({ starts }: LineTable, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Offset where line `index` starts; the size of the bytes past the last line. */
export function startOfLine({ starts, size }: LineTable, index: number): number {
  return starts[index] ?? size;
}

/** Inclusive 1-based lines that the bytes [start, end) touch. */
export function spanOfBytes(table: LineTable, start: number, end: number): [number, number] {
  const first = Math.max(0, lineAt(table, start));
  const last = Math.max(first, lineAt(table, Math.max(start, end - 1)));
  return [first + 1, last + 1];
}
