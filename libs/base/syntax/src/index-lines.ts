import type { Language } from './language-of.ts';

/** Line starts of a text. */
export interface LineIndex {
  /** Number of lines; a text that ends with a line end has an empty last line. */
  readonly count: number;
  /** 1-based line of a UTF-16 offset. */
  lineAt(offset: number): number;
  /** Offset at which a 1-based line starts; lines out of range are clamped. */
  startOf(line: number): number;
}

/**
 * Indexes the lines of a text in one pass; `lineAt` is then logarithmic. A line ends at LF, CR LF or a lone CR as CPython
 * and V8 count them; in JavaScript and TypeScript also at U+2028 and U+2029.
 */
export function indexLines(text: string, language: Language): LineIndex {
  const starts = [0];
  const ends = language === 'python' ? /\r\n|[\n\r]/g : /\r\n|[\n\r\u2028\u2029]/g;
  for (const match of text.matchAll(ends)) starts.push(match.index + match[0].length);
  return {
    count: starts.length,
    lineAt: (offset) => {
      let low = 0;
      let high = starts.length;
      while (high - low > 1) {
        const middle = (low + high) >>> 1;
        if ((starts[middle] as number) <= offset) low = middle;
        else high = middle;
      }
      return low + 1;
    },
    startOf: (line) => starts[Math.min(Math.max(line, 1), starts.length) - 1] as number,
  };
}
