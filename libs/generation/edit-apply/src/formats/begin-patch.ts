import {
  type Fault,
  fault,
  isFault,
  joinLines,
  type PackageBlock,
  type PackageEntry,
  readPath,
  shown,
} from './edit-text.ts';

const HEADER = /^\*\*\* (Update File|Add File|Delete File): (.*)$/;
const MOVE = /^\*\*\* Move to: (.*)$/;
const END_OF_FILE = '*** End of File';

/**
 * The envelope from `*** Begin Patch` to `*** End Patch`; text outside it is not read. Hunks are whole lines, each ` `, `-` or `+`, an
 * empty one a blank line of context. An `@@` line parts hunks; what it says beside them is not used: a hunk has to be unique without it.
 */
export function readBeginPatch(lines: readonly string[]): PackageEntry[] | Fault {
  const begins = indexesOf(lines, '*** Begin Patch');
  const ends = indexesOf(lines, '*** End Patch');
  const [begin, extra] = begins;
  if (begin === undefined) return [];
  const [end, extraEnd] = ends.filter((at) => at > begin);
  if (end === undefined) return fault('unclosed', begin + 1, 'This patch has no "*** End Patch".');
  const second = extra ?? extraEnd;
  if (second !== undefined) return fault('misplaced_line', second + 1, 'One text holds one patch.');
  const entries: PackageEntry[] = [];
  let at = begin + 1;
  while (at < end) {
    const section = readSection(lines, at, end);
    if (isFault(section)) return section;
    if (entries.some(({ path }) => path === section.entry.path))
      return fault(
        'misplaced_line',
        at + 1,
        `${shown(section.entry.path)} has a section already; write one for each file.`,
      );
    entries.push(section.entry);
    at = section.next;
  }
  return entries;
}

function indexesOf(lines: readonly string[], marker: string): number[] {
  return lines.flatMap((line, at) => (line.trimEnd() === marker ? [at] : []));
}

interface Section {
  readonly entry: PackageEntry;
  readonly next: number;
}

function readSection(lines: readonly string[], start: number, end: number): Section | Fault {
  const [, kind, header = ''] = HEADER.exec(lines[start] ?? '') ?? [];
  if (kind === undefined)
    return fault(
      'misplaced_line',
      start + 1,
      `${shown(lines[start] ?? '')} where "*** Update File: path" or its like is due.`,
    );
  const path = readPath(quoteBlanks(header.trim()), start + 1);
  if (typeof path !== 'string') return path;
  let next = start + 1;
  while (next < end && !HEADER.test(lines[next] ?? '')) next++;
  const body = { lines, from: start + 1, to: next };
  if (kind === 'Delete File') {
    const stray = firstText(body);
    return stray === undefined
      ? { entry: { path, op: 'delete' }, next }
      : fault('misplaced_line', stray + 1, 'A deleted file has no lines.');
  }
  const entry = kind === 'Add File' ? readAdded(path, body) : readUpdate(path, body);
  return isFault(entry) ? entry : { entry, next };
}

/** A path may have blanks here: it has the rest of the line to itself. */
function quoteBlanks(header: string): string {
  return /\s/.test(header) && !header.includes('`') ? `\`${header}\`` : header;
}

interface Body {
  readonly lines: readonly string[];
  readonly from: number;
  readonly to: number;
}

function firstText({ lines, from, to }: Body): number | undefined {
  for (let at = from; at < to; at++) if ((lines[at] ?? '').trim() !== '') return at;
  return undefined;
}

function readAdded(path: string, { lines, from, to }: Body): PackageEntry | Fault {
  const content: string[] = [];
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? '';
    if (!line.startsWith('+')) return fault('misplaced_line', at + 1, 'Every line of an added file starts with "+".');
    content.push(line.slice(1));
  }
  return { path, op: 'create', content: joinLines(content) };
}

function readUpdate(path: string, body: Body): PackageEntry | Fault {
  const [, header] = MOVE.exec(body.lines[body.from] ?? '') ?? [];
  const to = header === undefined ? undefined : readPath(quoteBlanks(header.trim()), body.from + 1);
  if (to !== undefined && typeof to !== 'string') return to;
  const blocks = readHunks({ ...body, from: body.from + (to === undefined ? 0 : 1) });
  if (isFault(blocks)) return blocks;
  if (to !== undefined) return { path, op: 'move', to, ...(blocks.length === 0 ? {} : { blocks }) };
  return blocks.length === 0
    ? fault('no_edit', body.from, `The section of ${shown(path)} changes nothing.`)
    : { path, op: 'edit', blocks };
}

function readHunks({ lines, from, to }: Body): PackageBlock[] | Fault {
  const blocks: PackageBlock[] = [];
  let old: string[] = [];
  let next: string[] = [];
  let start = from;
  const close = (): Fault | undefined => {
    if (old.length === 0 && next.length === 0) return undefined;
    if (!old.some((line) => line !== ''))
      return fault('no_context', start + 1, 'A hunk without a line that has text could go anywhere; give it context.');
    blocks.push({ search: joinLines(old), replace: joinLines(next), whole_lines: true });
    [old, next] = [[], []];
    return undefined;
  };
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? '';
    const sign = line[0] ?? ' ';
    if (/^@@(?: |$)/.test(line) || line.trimEnd() === END_OF_FILE) {
      const refused = close();
      if (refused !== undefined) return refused;
      start = at + 1;
    } else if (sign === ' ' || sign === '-' || sign === '+') {
      if (sign !== '+') old.push(line.slice(1));
      if (sign !== '-') next.push(line.slice(1));
    } else return fault('misplaced_line', at + 1, `${shown(line)} starts with none of " ", "-", "+", "@@".`);
  }
  return close() ?? blocks;
}
