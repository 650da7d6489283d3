// Random files and edits, and what an independent, slow model says of them. Used by the tests and by `npm run check:bytes`.
import type { FileEdit } from '../src/index.ts';

/** A small generator, so that a seed is a case. */
export function randomSource(seed: number) {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x1_0000_0000;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  return { next, below, pick };
}
export type RandomSource = ReturnType<typeof randomSource>;

export const LINE_ENDS = { lf: ['\n'], crlf: ['\r\n'], cr: ['\r'], mixed: ['\n', '\r\n', '\r'] } as const;
const WORDS = [
  'a',
  'b',
  'ab',
  'aa',
  ' ',
  '  ',
  '\t',
  'x = 1',
  'return a',
  '(',
  ')',
  'é',
  '😀',
  '\u2028',
  '\f',
  '\u00a0',
  "'",
];
const encoder = new TextEncoder();

export interface RandomFile {
  readonly bytes: Uint8Array;
  readonly ends: keyof typeof LINE_ENDS;
}

/** A file of up to 14 short lines over few words, so that texts repeat. */
export function randomFile({ below, next, pick }: RandomSource): RandomFile {
  const ends = pick(['lf', 'crlf', 'cr', 'mixed', 'lf', 'crlf'] as const);
  const parts: Uint8Array[] = next() < 0.15 ? [new Uint8Array([0xef, 0xbb, 0xbf])] : [];
  const lines = below(14) + 1;
  for (let line = 0; line < lines; line++) {
    for (let word = below(4); word > 0; word--) parts.push(encoder.encode(pick(WORDS)));
    if (next() < 0.08) parts.push(new Uint8Array([pick([0xe9, 0xff, 0x80, 0xc3])]));
    if (next() < 0.01) parts.push(new Uint8Array([0]));
    if (line < lines - 1 || next() < 0.7) parts.push(encoder.encode(pick(LINE_ENDS[ends])));
  }
  return { bytes: Uint8Array.from(parts.flatMap((part) => [...part])), ends };
}

/** A block whose search is mostly a piece of the file, its line ends written anyhow. */
export function randomEdit(source: RandomSource, file: RandomFile): FileEdit {
  const { below, next, pick } = source;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes);
  const units = text.match(/\r\n|[\s\S]/gu) ?? [];
  const from = below(units.length + 1);
  const piece = units.slice(from, from + 1 + below(next() < 0.5 ? 6 : 30)).join('');
  const search = withAnyLineEnds(source, next() < 0.9 ? piece : piece + pick(WORDS));
  const lines = units.filter((unit) => /^(?:\r\n?|\n)$/.test(unit)).length + 1;
  const first = below(lines) + 1;
  const span: [number, number] = [first, first + below(4)];
  return {
    file: 'a.txt',
    ...(next() < 0.3 ? { span } : {}),
    blocks: [{ search, replace: randomReplacement(source, search) }],
  };
}

function randomReplacement(source: RandomSource, search: string): string {
  const { below, next, pick } = source;
  if (next() < 0.1) return '';
  if (next() < 0.3) return search + pick(['\n', '\nb', 'c', '$&', "$'"]);
  const words = Array.from({ length: below(6) }, () => pick([...WORDS, '\n', '\r\n', '$1']));
  return words.join('');
}

function withAnyLineEnds({ pick }: RandomSource, text: string): string {
  return text.replace(/\r\n?|\n/g, () => pick(['\n', '\n', '\r\n', '\r']));
}

/** Bytes as a string of one character each, for a model that is easy to believe. */
export function byteString(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

export function unified(byteText: string): string {
  return byteText.replace(/\r\n?|\n/g, '\n');
}

/** Where `search` stands in the file: ranges of the file's bytes, overlapping ones included. */
export function placesBySlowModel(
  file: Uint8Array,
  search: string,
  span?: readonly [number, number],
): [number, number][] {
  const units = byteString(file).match(/\r\n|[\s\S]/g) ?? [];
  const mark = byteString(file).startsWith('\u00ef\u00bb\u00bf') ? 3 : 0;
  const copiedMark = mark > 0 && search.startsWith('\ufeff');
  const wanted = unified(byteString(encoder.encode(copiedMark ? search.slice(1) : search))).split('');
  const places: [number, number][] = [];
  if (wanted.length === 0) return places;
  let offset = 0;
  let line = 1;
  units.forEach((unit, i) => {
    const matched = units.slice(i, i + wanted.length);
    const same = matched.length === wanted.length && matched.every((one, k) => unified(one) === wanted[k]);
    const ends = matched.filter((one) => unified(one) === '\n').length;
    const lastLine = line + (matched.length > 0 && unified(matched.at(-1) ?? '') === '\n' ? ends - 1 : ends);
    const inside = span === undefined || (line >= span[0] && lastLine <= span[1]);
    if (same && inside && (copiedMark ? offset === mark : offset >= mark))
      places.push([offset, offset + matched.join('').length]);
    offset += unit.length;
    if (unified(unit) === '\n') line++;
  });
  return places;
}
