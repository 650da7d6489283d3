import jsTokens from 'js-tokens';
import { lastAtOrBefore } from './count-offsets.ts';

/** Offsets of a text as places: lines from 1, columns from 0, UTF-16 units. */
export interface TextIndex {
  readonly lineStarts: readonly number[];
  readonly placeOf: (offset: number) => { readonly line: number; readonly column: number };
}

/** Lines end at LF, CRLF and CR, as editors and source maps count them. */
export function indexText(text: string): TextIndex {
  const lineStarts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) lineStarts.push(index + end.length);
  return indexLineStarts(lineStarts);
}

/** From the length of each line without its end, as Node notes them beside a source map: a line end is one unit there. */
export function indexLineLengths(lengths: readonly number[]): TextIndex {
  const lineStarts = [0];
  for (const length of lengths.slice(0, -1)) lineStarts.push((lineStarts.at(-1) ?? 0) + length + 1);
  return indexLineStarts(lineStarts);
}

function indexLineStarts(lineStarts: readonly number[]): TextIndex {
  return {
    lineStarts,
    placeOf(offset) {
      const index = lastAtOrBefore(lineStarts, offset);
      return { line: index + 1, column: offset - (lineStarts[index] ?? 0) };
    },
  };
}

const blank = new Set([
  'WhiteSpace',
  'LineTerminatorSequence',
  'SingleLineComment',
  'MultiLineComment',
  'HashbangComment',
]);
const closers = new Set(['}', ')', ']', ';', ',', '};', '>']);
const passedOver = new Set(['TemplateMiddle', 'TemplateTail', 'JSXText']);

/**
 * Per line the offset of the first token that begins on it, where it may begin something: lines that are blank, lie inside a comment, a
 * template or a string, or begin with what closes something, have none.
 */
export function firstTokens(text: string): Map<number, number> {
  const firsts = new Map<number, number>();
  const seen = new Set<number>();
  const { placeOf } = indexText(text);
  let offset = 0;
  for (const { type, value } of jsTokens(text, { jsx: true })) {
    const at = offset;
    offset += value.length;
    if (blank.has(type)) continue;
    const { line } = placeOf(at);
    if (seen.has(line)) continue;
    seen.add(line);
    if (!passedOver.has(type) && !closers.has(value)) firsts.set(line, at);
  }
  return firsts;
}
