// A replacement as a search/replace block: the smallest text around it that the span holds exactly once.
import type { EditBlock, Span } from '@h/contracts';
import { indexLines, type LineIndex } from '@h/syntax';
import { nodeAround, type OffsetRange, type TreeNode } from './copy-tree.ts';

/** A block with the lines it must be found in. */
export interface PlacedBlock {
  block: EditBlock;
  span: Span;
}

/** A file ready to cut blocks from. */
export interface BlockSource {
  readonly text: string;
  readonly root: TreeNode;
  readonly lines: LineIndex;
}

/** A span and a search text have at most so many lines. */
const MAX_LINES = 40;
/** UTF-16 units; longer texts are never replaced. */
export const MAX_SEARCH_LENGTH = 4_000;

/** Indexes a text once for all its blocks. Appliers end lines at LF, CRLF and a lone CR in every language, as Python does. */
export function blockSource(text: string, root: TreeNode): BlockSource {
  return { text, root, lines: indexLines(text, 'python') };
}

/**
 * Cuts the block for `text` in the place of `[start, end)`. The span is that of the statement, or at most 40 lines of it
 * around the change. `undefined` where no text of at most 40 lines and 4,000 characters is unique.
 */
export function chooseBlock(
  source: BlockSource,
  statement: OffsetRange,
  { start, end, text }: { start: number; end: number; text: string },
): PlacedBlock | undefined {
  const span = spanAround(source, statement, start, end);
  if (!span) return undefined;
  const region = regionOf(source, span);
  const haystack = withLf(source.text.slice(...region));
  for (const [from, to] of widen(source, region, start, end)) {
    if (to - from > MAX_SEARCH_LENGTH) return undefined;
    const search = withLf(source.text.slice(from, to));
    const replace = withLf(source.text.slice(from, start) + text + source.text.slice(end, to));
    const position = withLf(source.text.slice(region[0], from)).length;
    if (isUnique(haystack, search) && !isThereAlready(source, region, haystack, search, replace, position)) {
      return { block: { search, replace }, span };
    }
  }
  return undefined;
}

/** Lines of the statement, cut to 40 around the change; `undefined` when the change alone has more. */
function spanAround(source: BlockSource, statement: OffsetRange, start: number, end: number): Span | undefined {
  const whole = [source.lines.lineAt(statement[0]), source.lines.lineAt(lastOf(statement[0], statement[1]))] as const;
  const [first, last] = [source.lines.lineAt(start), source.lines.lineAt(lastOf(start, end))];
  if (last - first >= MAX_LINES) return undefined;
  const both = [Math.min(whole[0], first), Math.max(whole[1], last)] as const;
  if (both[1] - both[0] < MAX_LINES) return [...both];
  if (first < whole[0] || last > whole[1]) return [first, last];
  const room = MAX_LINES - (last - first + 1);
  const from = Math.max(whole[0], Math.min(first - Math.floor(room / 2), whole[1] - MAX_LINES + 1));
  return [from, Math.min(whole[1], from + MAX_LINES - 1)];
}

function lastOf(start: number, end: number): number {
  return Math.max(start, end - 1);
}

/** Offsets of whole lines, without the last line end and without a byte order mark. */
function regionOf({ text, lines }: BlockSource, [first, last]: Span): OffsetRange {
  const start = lines.startOf(first);
  const end = last < lines.count ? lines.startOf(last + 1) : text.length;
  const line = text.slice(start, end);
  return [start === 0 && text.startsWith('\ufeff') ? 1 : start, start + line.replace(/(\r\n|[\n\r])$/, '').length];
}

/** Ranges around the change that grow: the change itself, the nodes around it, its lines, more lines, the region. */
function* widen(source: BlockSource, region: OffsetRange, start: number, end: number): Iterable<OffsetRange> {
  if (start < end) yield [start, end];
  let node: TreeNode | undefined = nodeAround(source.root, start, end);
  for (; node && region[0] <= node.start && node.end <= region[1]; node = node.parent) yield [node.start, node.end];
  let first = source.lines.lineAt(start);
  let last = source.lines.lineAt(lastOf(start, end));
  for (;;) {
    const lines = regionOf(source, [first, last]);
    const range = [Math.max(lines[0], region[0]), Math.min(lines[1], region[1])] as const;
    yield range;
    if (range[0] === region[0] && range[1] === region[1]) return;
    if (range[0] > region[0]) first -= 1;
    if (range[1] < region[1]) last += 1;
  }
}

function isUnique(haystack: string, search: string): boolean {
  const first = haystack.indexOf(search);
  return first >= 0 && haystack.indexOf(search, first + 1) < 0;
}

/** The match is part of text that reads like the replacement: an applier would say that the edit was made before. */
function isThereAlready(
  source: BlockSource,
  region: OffsetRange,
  haystack: string,
  search: string,
  replace: string,
  position: number,
): boolean {
  if (!replace.includes(search)) return false;
  const text = haystack + withLf(source.text.slice(region[1], region[1] + 2 * replace.length));
  for (let found = text.indexOf(replace); found >= 0 && found <= position; found = text.indexOf(replace, found + 1)) {
    if (position + search.length <= found + replace.length) return true;
  }
  return false;
}

function withLf(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/**
 * Names the text that a replacement leads to: two replacements in one source have the same key exactly when their results
 * are equal. The key is what is left between the longest common start and the longest common end of both texts.
 */
export function changeKey(source: string, start: number, end: number, text: string): string {
  const size = source.length - (end - start) + text.length;
  const resultAt = (index: number): string | undefined => {
    if (index < start) return source[index];
    const inside = index - start;
    return inside < text.length ? text[inside] : source[end + inside - text.length];
  };
  const shorter = Math.min(source.length, size);
  let head = start;
  while (head < shorter && source[head] === resultAt(head)) head++;
  let tail = Math.max(0, Math.min(source.length - end, shorter - head));
  while (tail < shorter - head && source[source.length - 1 - tail] === resultAt(size - 1 - tail)) tail++;
  let middle = '';
  for (let index = head; index < size - tail; index++) middle += resultAt(index);
  return `${head}:${source.length - head - tail}:${middle}`;
}
