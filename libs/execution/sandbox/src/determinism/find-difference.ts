import type { ArtifactStore, ExecutionResult } from '@h/contracts';

/** Where two runs part. */
export interface Difference {
  /** "ended_by", "signal", "exit_code", "files", "files: <path>", "stdout", "stderr" or "records: <JSON pointer>". */
  readonly field: string;
  readonly first_difference: string;
  /** The whole of the field in the one run and the other, masked. */
  readonly before: string;
  readonly after: string;
}

export interface Comparison {
  readonly artifacts?: ArtifactStore;
  readonly masks: readonly RegExp[];
}

const EXCERPT = 60;

/** The first field in which two results differ, in the order of `Difference.field`; undefined when none does. */
export async function findDifference(
  first: ExecutionResult,
  other: ExecutionResult,
  comparison: Comparison,
): Promise<Difference | undefined> {
  for (const field of ['ended_by', 'signal', 'exit_code'] as const) {
    const [before, after] = [String(first[field]), String(other[field])];
    if (before !== after) return { field, first_difference: `${before} | ${after}`, before, after };
  }
  const files = await compareFiles(first, other, comparison);
  if (files !== undefined) return files;
  return compareStream('stdout', first, other, comparison) ?? compareStream('stderr', first, other, comparison);
}

async function compareFiles(first: ExecutionResult, other: ExecutionResult, comparison: Comparison) {
  const [before, after] = [first, other].map(({ files }) => files.map(({ path }) => path).join('\n'));
  if (before !== after) return compareTexts('files', before ?? '', after ?? '', []);
  for (const [index, { path, sha }] of first.files.entries()) {
    const theirs = other.files[index]?.sha;
    if (theirs === undefined || theirs === sha) continue;
    const texts = await Promise.all([sha, theirs].map((each) => readText(each, comparison.artifacts)));
    const difference = compareTexts(`files: ${path}`, texts[0] ?? sha, texts[1] ?? theirs, comparison.masks);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

async function readText(sha: string, artifacts: ArtifactStore | undefined): Promise<string> {
  return artifacts === undefined ? sha : Buffer.from(await artifacts.get(sha)).toString('latin1');
}

function compareStream(
  field: 'stdout' | 'stderr',
  first: ExecutionResult,
  other: ExecutionResult,
  { masks }: Comparison,
) {
  const difference = compareTexts(field, first[field].text, other[field].text, masks);
  if (difference !== undefined) return difference;
  const [before, after] = [first, other].map((result) => `${result[field].dropped_bytes} bytes over the cap`);
  // The text that is masked may be longer in one of them; what is over the cap is then, too.
  return masks.length > 0 ? undefined : compareTexts(field, before ?? '', after ?? '', []);
}

function compareTexts(field: string, before: string, after: string, masks: readonly RegExp[]): Difference | undefined {
  const [masked, other] = [applyMasks(before, masks), applyMasks(after, masks)];
  if (masked === other) return undefined;
  return { field, first_difference: describeDifference(masked, other), before: masked, after: other };
}

/** The text with each match of a mask taken out. */
export function applyMasks(text: string, masks: readonly RegExp[]): string {
  return masks.reduce((rest, mask) => rest.replace(new RegExp(mask, addGlobal(mask.flags)), '…'), text);
}

function addGlobal(flags: string): string {
  return flags.includes('g') ? flags : `${flags}g`;
}

function describeDifference(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const line = before.slice(0, at).split('\n').length;
  const start = before.lastIndexOf('\n', at - 1) + 1;
  const from = Math.max(start, at - EXCERPT / 2);
  const excerpt = (text: string) => JSON.stringify(text.slice(from, from + EXCERPT).split('\n')[0]);
  return `line ${line}, character ${at - start + 1}: ${excerpt(before)} | ${excerpt(after)}`;
}
