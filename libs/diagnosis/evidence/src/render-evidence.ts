import { type EvidencePack, formatLines, type Sha, type StateObservation, type ValueText } from '@h/contracts';

export interface RenderOptions {
  /** UTF-8 bytes of the text, at most; 6,000 (about 1,500 tokens) when absent, at least 400. */
  readonly maxBytes?: number;
  /** What to call the runs, by execution id: "failing"; "run 1" and so on, in the order of the pack, when absent. */
  readonly names?: Readonly<Record<Sha, string>>;
  /** Places whose observations are kept before others, the most important first: the ranked statements, for instance. Suspects come before them. */
  readonly first?: readonly string[];
}

/** Longest values tried, in UTF-16 units: the first at which every observation has room, else the last. */
const valueLengths = [200, 100, 60];
const longestName = 80;
const longestPlace = 200;

/**
 * The pack as a few lines for a prompt or a person, of a bounded length. Each line cites its observation by its index in `evidence_pack`, as `[3]`;
 * the last line says which observations are left out.
 *
 * Suspected places have room first, then `first`, then the steps nearest to the end of each run; the lines stand in the order of the pack.
 */
export function renderEvidence(pack: EvidencePack, options: RenderOptions = {}): string {
  const most = Math.max(400, options.maxBytes ?? 6000);
  const lines = describeAll(pack, options.names ?? {}, most - 400);
  const suspects = `Suspects: ${pack.primary_suspects.map((name) => cut(name, 80)).join('; ') || 'none'}`;
  const head = ['Observed at run time. Nothing else was observed.', cutBytes(suspects, 200)];
  let room = most - bytesOf(head.join('\n')) - longestClosing - 2;
  const kept = new Set<number>();
  for (const index of byImportance(pack, options.first ?? [])) {
    const length = bytesOf(lines[index] ?? '') + 1;
    if (length > room) continue;
    room -= length;
    kept.add(index);
  }
  return [...head, ...lines.filter((_, index) => kept.has(index)), ...describeMissing(lines.length, kept)].join('\n');
}

const longestClosing = 120;

/** "(4 of 9 observations left out: [0-2,7])" */
function describeMissing(count: number, kept: ReadonlySet<number>): string[] {
  const missing = Array.from({ length: count }, (_, index) => index).filter((index) => !kept.has(index));
  if (missing.length === 0) return [];
  const said = `${missing.length} of ${count} observations left out`;
  const which = formatLines(missing);
  return [which.length <= longestClosing - said.length - 8 ? `(${said}: [${which}])` : `(${said})`];
}

/** Indexes into the pack, the most important first. */
function byImportance({ evidence_pack, primary_suspects }: EvidencePack, first: readonly string[]): number[] {
  const ranks = new Map([...first.entries()].reverse().map(([rank, location]) => [location, rank]));
  const rankOf = (seen: StateObservation) =>
    primary_suspects.some((name) => name.startsWith(`${seen.location} `))
      ? -1
      : (ranks.get(seen.location) ?? first.length);
  const ranked = evidence_pack.map((seen, index) => ({ index, rank: rankOf(seen) }));
  return ranked.sort((a, b) => a.rank - b.rank || b.index - a.index).map(({ index }) => index);
}

function describeAll(pack: EvidencePack, names: Readonly<Record<Sha, string>>, room: number): string[] {
  let lines: string[] = [];
  for (const length of valueLengths) {
    lines = pack.evidence_pack.map((seen, index) => {
      const run = Object.hasOwn(names, seen.execution_id) ? names[seen.execution_id] : undefined;
      const name = run ?? `run ${pack.execution_ids.indexOf(seen.execution_id) + 1}`;
      return `[${index}] ${describe(seen, name, length)}`;
    });
    if (bytesOf(lines.join('\n')) <= room) return lines;
  }
  return lines;
}

/** "run 1 step 12 a.py:3: n = 3, k = 1; f() = 2; branch a.py:2 true" */
function describe(seen: StateObservation, run: string, length: number): string {
  const { path_index, location, variables, return_values, branch_taken } = seen;
  const parts = [
    Object.entries(variables).map(([name, value]) => `${cut(name, longestName)} = ${show(value, length)}`),
    Object.entries(return_values).map(([name, value]) => `${nameReturn(name)} ${show(value, length)}`),
    branch_taken === '' ? [] : [`branch ${cut(branch_taken, longestPlace)}`],
  ];
  const text = parts
    .filter((part) => part.length > 0)
    .map((part) => part.join(', '))
    .join('; ');
  const place = `${cut(run, longestName)} step ${path_index} ${cut(location, longestPlace)}`;
  return cut(text === '' ? place : `${place}: ${text}`, 1500);
}

function nameReturn(name: string): string {
  if (name === 'return') return 'returns';
  return name === 'raise' ? 'raises' : `${cut(name, longestName)}() =`;
}

function show({ text, truncated, masked }: ValueText, length: number): string {
  return `${cut(text, length)}${truncated && !masked ? ' (cut)' : ''}`;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** At most `most` UTF-16 units, never half a character; what was cut ends with "…". */
function cut(text: string, most: number): string {
  const line = oneLine(text);
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function cutBytes(text: string, most: number): string {
  let line = text;
  while (bytesOf(line) > most) line = cut(line, line.length - 1);
  return line;
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).length;
}
