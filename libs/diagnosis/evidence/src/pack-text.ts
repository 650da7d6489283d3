import type { EvidencePack, Sha, StateObservation, ValueText } from '@h/contracts';

export interface PackTextOptions {
  /** UTF-16 units of the text, at most; 6,000 (about 1,500 tokens) when absent, at least 400. */
  readonly maxCharacters?: number;
  /** What to call the runs, by execution id: "failing"; "run 1" and so on, in the order of the pack, when absent. */
  readonly names?: Readonly<Record<Sha, string>>;
}

/** Longest values tried, in UTF-16 units: the first at which every observation has room, else the last. */
const valueLengths = [200, 100, 60];
const longestName = 80;
const longestPlace = 200;

/**
 * The pack as a few lines for a prompt or a person, of a bounded length; says what it leaves out. Suspected places come first into the text, then
 * the steps nearest to the end of each run; the lines stand in the order of the pack.
 */
export function packText(pack: EvidencePack, options: PackTextOptions = {}): string {
  const most = Math.max(400, options.maxCharacters ?? 6000);
  const lines = describeAll(pack, options.names ?? {}, most - 400);
  const suspects = `Suspects: ${pack.primary_suspects.map((name) => cut(name, 80)).join('; ') || 'none'}`;
  const head = ['Observed at run time. Nothing else was observed.', cut(suspects, 200)];
  const closing = (missing: number) => (missing === 0 ? [] : [`(${missing} of ${lines.length} observations left out)`]);
  let room = most - [...head, ...closing(lines.length)].join('\n').length - 1;
  const kept = new Set<number>();
  for (const index of byImportance(pack)) {
    const length = (lines[index] ?? '').length + 1;
    if (length > room) continue;
    room -= length;
    kept.add(index);
  }
  return [...head, ...lines.filter((_, index) => kept.has(index)), ...closing(lines.length - kept.size)].join('\n');
}

function byImportance({ evidence_pack, primary_suspects }: EvidencePack): number[] {
  const suspected = (seen: StateObservation) => primary_suspects.some((name) => name.startsWith(`${seen.location} `));
  const indexes = [...evidence_pack.keys()].reverse();
  const isSuspected = indexes.map((index) => suspected(evidence_pack[index] as StateObservation));
  return [...indexes.filter((_, at) => isSuspected[at]), ...indexes.filter((_, at) => !isSuspected[at])];
}

function describeAll(pack: EvidencePack, names: Readonly<Record<Sha, string>>, room: number): string[] {
  let lines: string[] = [];
  for (const length of valueLengths) {
    lines = pack.evidence_pack.map((seen) => {
      const run = Object.hasOwn(names, seen.execution_id) ? names[seen.execution_id] : undefined;
      return describe(seen, run ?? `run ${pack.execution_ids.indexOf(seen.execution_id) + 1}`, length);
    });
    if (lines.join('\n').length <= room) return lines;
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

function show({ text, truncated }: ValueText, length: number): string {
  return `${cut(text, length)}${truncated ? ' (cut)' : ''}`;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** At most `most` UTF-16 units, never half a character; what was cut ends with "…". */
function cut(text: string, most: number): string {
  const line = oneLine(text);
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
