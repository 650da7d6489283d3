import { type Fault, fault, joinLines, type PackageEntry, readPath } from './edit-text.ts';

/**
 * One fenced block per file, its path on the line above. Text in which another line could be the closing fence too is refused: a text
 * with fences in it needs a longer one around it, and every file after the first a fence with an info word.
 */
export function readWholeFile(
  lines: readonly string[],
  given: string | undefined,
  exists: (path: string) => boolean,
): PackageEntry[] | Fault {
  const entries: PackageEntry[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = fenceOf(lines[at] ?? '')?.fence;
    if (fence === undefined) continue;
    const path = pathOf(lines, at, given);
    if (typeof path !== 'string') return path;
    if (entries.some((entry) => entry.path === path))
      return fault('misplaced_line', at + 1, 'This file has a text already; write one for each file.');
    const end = endOfFence(lines, at, fence);
    if (typeof end !== 'number') return end;
    entries.push({ path, op: exists(path) ? 'edit' : 'create', content: joinLines(lines.slice(at + 1, end)) });
    at = end;
  }
  return entries;
}

/** A line of three or more backticks or tildes and an info text; after backticks that has none of them. */
function fenceOf(line: string): { readonly fence: string; readonly info: string } | undefined {
  const [, ticks, tickInfo, tildes, tildeInfo] = /^(?:(`{3,})([^`]*)|(~{3,})(.*))$/.exec(line) ?? [];
  const fence = ticks ?? tildes;
  return fence === undefined ? undefined : { fence, info: (tickInfo ?? tildeInfo ?? '').trim() };
}

function pathOf(lines: readonly string[], opening: number, given: string | undefined): string | Fault {
  const header = (lines[opening - 1] ?? '').trim();
  if (header === '' && given === undefined)
    return fault('no_path', opening + 1, 'No file is named above this fence; write its path there.');
  const path = header === '' ? given : readPath(header, opening);
  if (given === undefined) return path ?? '';
  return typeof path === 'string' && path !== given
    ? fault('bad_path', opening, `This text is for ${path}, and the file to write is ${given}.`)
    : given;
}

/** The closing line, when nothing up to the next file, or to the end, could be taken for another one. */
function endOfFence(lines: readonly string[], opening: number, fence: string): number | Fault {
  const likes = lines.flatMap((line, at) => {
    const like = at > opening ? fenceOf(line) : undefined;
    return like?.fence.startsWith(fence) ? [{ at, info: like.info }] : [];
  });
  const [end, next] = likes;
  if (end === undefined) return fault('unclosed', opening + 1, 'This fence has no end.');
  const why = 'It is not clear which line ends the text above; make the fence around it longer than any in it.';
  if (end.info !== '') return fault('unclear_fence', end.at + 1, why);
  if (next !== undefined && (next.info === '' || next.at < end.at + 2)) return fault('unclear_fence', next.at + 1, why);
  return end.at;
}
