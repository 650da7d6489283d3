import type { DivergenceRecord, ObservedRun, RawEvent, TestId } from '@h/contracts';
import { checkDeterminism, type SideVerdict } from './check-determinism.ts';
import { sequenceMismatch } from './errors.ts';
import { endOfRow, locateFailure } from './locate-failure.ts';
import { own } from './read-values.ts';
import { sliceRows } from './slice-rows.ts';
import { isTestObject } from './test-code.ts';
import { type TraceDiff, type TraceDifference, traceDiff } from './trace-diff.ts';

export interface ComparedRuns {
  readonly failing: ObservedRun;
  /** The same test once more in the same environment; absent: the side is not checked and drives no divergence. */
  readonly failingAgain?: ObservedRun | undefined;
  readonly passing?: ObservedRun | undefined;
  readonly passingAgain?: ObservedRun | undefined;
  readonly sibling?: { readonly test: TestId; readonly why: string } | undefined;
  /** Whether decisions *not* to run something count as what the failure depends on; true when absent. */
  readonly omissions?: boolean | undefined;
}

/** Events of a centered record, at most: half of them up to the divergence, a quarter after it, a quarter up to the end of the failing statement. */
export const RECORD_EVENTS = 512;

/**
 * Where the failing run first differs from the passing one: the earliest point that both execute, that the failure depends on, and at which
 * they recorded different values. What the test itself hands in is not such a point: two tests differ there by intention.
 *
 * `reason` where there is none: `not_reproduced` (the observed run does not fail), `nondeterministic`, `no_passing_sibling`,
 * `sibling_not_passing`, `not_checked`, `no_divergence`, in that order. Throws `sequence_mismatch`.
 */
export function compareRuns(runs: ComparedRuns): DivergenceRecord {
  for (const run of [runs.failing, runs.failingAgain, runs.passing, runs.passingAgain]) requireNumbered(run);
  const { failing, passing, sibling } = runs;
  const ids = {
    ...(passing === undefined ? {} : { passing_execution_id: passing.execution_id }),
    failing_execution_id: failing.execution_id,
  };
  const sides = [checkDeterminism(failing, runs.failingAgain), checkSide(passing, runs.passingAgain)];
  const masked = [...new Set(sides.flatMap((side) => (side.status === 'deterministic' ? side.masked : [])))].sort();
  const rest = {
    ...(masked.length === 0 ? {} : { masked }),
    ...(sibling === undefined ? {} : { sibling: { test: sibling.test, why: sibling.why } }),
  };
  const roots = locateFailure(failing);
  const found = findDivergence(runs, sides, masked, roots);
  if (typeof found === 'string') return { ...ids, ...describeFailure(failing, roots), reason: found, ...rest };
  return { ...ids, ...describeDivergence(failing, found, roots), ...rest };
}

function checkSide(run: ObservedRun | undefined, again: ObservedRun | undefined): SideVerdict {
  return run === undefined ? { status: 'not_checked' } : checkDeterminism(run, again);
}

function findDivergence(
  { failing, passing, omissions = true }: ComparedRuns,
  sides: readonly SideVerdict[],
  masked: readonly string[],
  roots: readonly number[],
): Required<TraceDiff> | string {
  if (!['failed', 'error', 'timeout'].includes(failing.outcome)) return 'not_reproduced';
  if (sides.some(({ status }) => status === 'nondeterministic')) return 'nondeterministic';
  if (passing === undefined) return 'no_passing_sibling';
  if (passing.outcome !== 'passed') return 'sibling_not_passing';
  if (sides.some(({ status }) => status === 'not_checked')) return 'not_checked';
  const slice = sliceRows(failing.rows, roots, { events: failing.events, omissions });
  const within = new Set(slice.rows.map(({ sequence }) => sequence));
  const diff = traceDiff(failing, passing, { masked: new Set(masked), within });
  const meant = diff.differences.filter(({ isInput, sequence }) => !isInput && within.has(sequence));
  return diff.first === undefined ? 'no_divergence' : { ...diff, first: diff.first, differences: meant };
}

function describeDivergence(
  failing: ObservedRun,
  { first, differences }: Required<TraceDiff>,
  roots: readonly number[],
) {
  const there = differences.filter(({ sequence }) => sequence === first.sequence);
  const earliest = differences.filter(({ sequence }) => sequence === differences[0]?.sequence);
  const branch = differences.filter(({ name }) => name === 'branch').slice(0, 1);
  const suspects = [...there, ...branch, ...earliest];
  return {
    first_divergence: {
      location: first.location,
      probe_id: failing.events[first.sequence]?.probe_id ?? 'trace',
      passing_value: first.otherValue,
      failing_value: first.value,
      sequence: first.sequence,
      name: first.name,
      passing_sequence: first.otherSequence,
    },
    centered_record: centerRecord(failing, first.sequence, roots[0] ?? first.sequence),
    primary_suspects: [...new Set(suspects.map(nameSuspect))],
  };
}

/** Without a divergence: the operands of what failed, and the way to it. */
function describeFailure(failing: ObservedRun, roots: readonly number[]) {
  const root = roots[0] ?? failing.events.length - 1;
  return {
    first_divergence: null,
    centered_record: centerRecord(failing, undefined, root),
    primary_suspects: listOperands(failing, roots[0]),
  };
}

function listOperands({ failure, rows, events, test }: ObservedRun, root: number | undefined): string[] {
  const compared = [failure?.actual, failure?.expected].filter((text) => text !== undefined);
  const row = root === undefined ? undefined : rows[root];
  if (compared.length > 0 || row === undefined) return [...new Set(compared)];
  const { variables = {}, return_value } = events[row.sequence]?.payload ?? {};
  const operands = row.uses.filter((name) => {
    const value = own(variables, name);
    return value !== undefined && !isTestObject(value, test);
  });
  if (operands.length === 0 && return_value !== undefined) return [`${row.location} return`];
  return operands.map((name) => `${row.location} ${name}`);
}

function nameSuspect({ location, name }: TraceDifference): string {
  return `${location} ${name}`;
}

/** Events around the divergence and up to the end of the failing statement, with that statement itself. */
function centerRecord({ rows, events }: ObservedRun, divergence: number | undefined, root: number): RawEvent[] {
  const end = Math.max(divergence ?? 0, endOfRow(rows, root)) + 1;
  const kept = new Set<number>([root]);
  const keep = (start: number, stop: number) => {
    for (let at = Math.max(0, start); at < stop && kept.size < RECORD_EVENTS; at += 1) kept.add(at);
  };
  if (divergence === undefined) keep(end - RECORD_EVENTS + Number(root < end - RECORD_EVENTS), end);
  else {
    keep(divergence + 1 - RECORD_EVENTS / 2, divergence + 1);
    const room = RECORD_EVENTS - kept.size;
    if (end - divergence - 1 > room) keep(end - Math.floor(room / 2), end);
    keep(divergence + 1, end);
  }
  return [...kept].sort((a, b) => a - b).flatMap((at) => events[at] ?? []);
}

function requireNumbered(run: ObservedRun | undefined): void {
  if (run === undefined) return;
  if (run.events.length !== run.rows.length) throw sequenceMismatch('Row', run.events.length, undefined);
  for (const [index, { sequence }] of run.events.entries())
    if (sequence !== index) throw sequenceMismatch('Event', index, sequence);
}
