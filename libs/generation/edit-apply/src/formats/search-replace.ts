import { addBlock, type Fault, fault, isFault, joinLines, type PackageEntry, readPath, shown } from './edit-text.ts';

const OPEN = /^(<{5,}) SEARCH\s*$/;
const FENCE = /^(?:`{3,}|~{3,})/;

/**
 * Blocks of whole lines between `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE`. The path stands on the line above, or above the fence
 * that the block is in; a block right after another one is for the same file. An empty search creates the file.
 *
 * Markers have five characters or more, all three the same number: texts that hold marker lines are written with longer ones.
 */
export function readSearchReplace(lines: readonly string[], given: string | undefined): PackageEntry[] | Fault {
  const entries: PackageEntry[] = [];
  let path = given;
  let after = -1;
  for (let at = 0; at < lines.length; at++) {
    const size = OPEN.exec(lines[at] ?? '')?.[1]?.length;
    if (size === undefined) {
      if (isStray(lines[at] ?? '')) return strayMarker(lines, at);
      continue;
    }
    const named = pathAbove(lines, at, after);
    if (named !== undefined && typeof named !== 'string') return named;
    path = named ?? (isBetween(lines, after, at) ? path : given);
    if (path === undefined) return fault('no_path', at + 1, 'No file is named above this block; write its path there.');
    const block = readBlock(lines, at, size);
    if (isFault(block)) return block;
    const refused = addTo(entries, path, block, at + 1);
    if (refused !== undefined) return refused;
    at = after = block.end;
  }
  return entries;
}

interface MarkedBlock {
  readonly search: readonly string[];
  readonly replace: readonly string[];
  /** Index of the closing marker. */
  readonly end: number;
}

function readBlock(lines: readonly string[], start: number, size: number): MarkedBlock | Fault {
  const divider = '='.repeat(size);
  const close = `${'>'.repeat(size)} REPLACE`;
  const isMarker = (line: string) => [divider, close, `${'<'.repeat(size)} SEARCH`].includes(line.trimEnd());
  const marks: number[] = [];
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (!isMarker(line)) continue;
    marks.push(at);
    const wanted = marks.length === 1 ? divider : close;
    if (line.trimEnd() !== wanted)
      return fault(
        'misplaced_line',
        at + 1,
        `${shown(line)} where ${shown(wanted)} is due; if it is text, use longer markers.`,
      );
    const [middle = at] = marks;
    if (marks.length === 2)
      return { search: lines.slice(start + 1, middle), replace: lines.slice(middle + 1, at), end: at };
  }
  return fault('unclosed', start + 1, `This block has no ${shown(marks.length === 0 ? divider : close)}.`);
}

function addTo(
  entries: PackageEntry[],
  path: string,
  { search, replace }: MarkedBlock,
  line: number,
): Fault | undefined {
  if (search.length > 0 && search.some((text) => text !== '')) {
    addBlock(entries, path, { search: joinLines(search), replace: joinLines(replace), whole_lines: true });
    return undefined;
  }
  if (search.length > 0)
    return fault('no_context', line, 'The search is blank lines only; add a line that has text to it.');
  if (entries.some((entry) => entry.path === path))
    return fault('no_context', line, 'An empty search creates a file, and this file has other blocks too.');
  entries.push({ path, op: 'create', content: joinLines(replace) });
  return undefined;
}

/** The path on the line above a marker, or above the fence that opens there; undefined when there is none of its own. */
function pathAbove(lines: readonly string[], marker: number, after: number): string | Fault | undefined {
  const above = marker - 1;
  const header = FENCE.test(lines[above] ?? '') ? above - 1 : above;
  const text = header > after ? (lines[header] ?? '').trim() : '';
  return text === '' || FENCE.test(text) ? undefined : readPath(text, header + 1);
}

/** Only blank lines and fences stand between two blocks. */
function isBetween(lines: readonly string[], after: number, marker: number): boolean {
  return after >= 0 && lines.slice(after + 1, marker).every((line) => line.trim() === '' || FENCE.test(line));
}

/** Lines that only a block has, where no block is open: something is missing or misspelt. */
function isStray(line: string): boolean {
  return /^(?:<{5,}\s*SEARCH|>{5,}\s*REPLACE)\b/i.test(line.trimStart());
}

function strayMarker(lines: readonly string[], at: number): Fault {
  return fault(
    'misplaced_line',
    at + 1,
    `${shown(lines[at] ?? '')} outside a block; a block opens with "<<<<<<< SEARCH" alone on its line.`,
  );
}
