import type { DivergenceRecord, ObservedRun, TestId, TestResult } from '@h/contracts';
import { centerRecord } from './center-record.ts';
import { checkDeterminism, type SideVerdict } from './check-determinism.ts';
import { sequenceMismatch } from './errors.ts';
import { locateFailure } from './locate-failure.ts';
import { own } from './read-values.ts';
import { sliceFailure } from './slice-failure.ts';
import type { RowSlice } from './slice-rows.ts';
import { isTestObject } from './test-code.ts';
import { type TraceDiff, type TraceDifference, traceDiff } from './trace-diff.ts';

export interface ComparedRuns {
  readonly failing: ObservedRun;
  /** The same test once more in the same environment; absent: the side is not checked and drives no divergence. */
  readonly failingAgain?: ObservedRun | undefined;
  readonly passing?: ObservedRun | undefined;
  readonly passingAgain?: ObservedRun | undefined;
  readonly sibling?: { readonly test: TestId; readonly why: string } | undefined;
  /** How the failing test ends without probes; absent: not known. Where the observed run ends otherwise, nothing is concluded. */
  readonly plain?: Pick<TestResult, 'outcome' | 'failure'> | undefined;
  /** Whether decisions *not* to run something count as what the failure depends on; true when absent. */
  readonly omissions?: boolean | undefined;
}

/**
 * Where the failing run first differs from the passing one: the earliest point that both execute, that the failure depends on, and at which
 * they recorded different values. What the test itself hands in is not such a point: two tests differ there by intention.
 *
 * `reason` where there is none: `not_reproduced` (the observed run does not fail), `observer_effect` (it fails otherwise than without
 * probes), `nondeterministic`, `no_passing_sibling`,
 * `sibling_not_passing`, `not_checked`, `truncated` (events of a run are missing, and nothing before the first missing one is surely the first
 * difference), `no_divergence`, in that order. Throws `sequence_mismatch`.
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
  const { omissions = true } = runs;
  const slice = sliceFailure(failing, { omissions, roots });
  const found = findDivergence(runs, sides, masked, slice);
  if (typeof found === 'string') return { ...ids, ...describeFailure(failing, slice, roots), reason: found, ...rest };
  return { ...ids, ...describeDivergence(failing, found, slice), ...rest };
}

type Diverging = TraceDiff & Required<Pick<TraceDiff, 'first'>>;

function checkSide(run: ObservedRun | undefined, again: ObservedRun | undefined): SideVerdict {
  return run === undefined ? { status: 'not_checked' } : checkDeterminism(run, again);
}

function findDivergence(
  { failing, passing, plain }: ComparedRuns,
  sides: readonly SideVerdict[],
  masked: readonly string[],
  slice: RowSlice,
): Diverging | string {
  if (!['failed', 'error', 'timeout'].includes(failing.outcome)) return 'not_reproduced';
  if (plain !== undefined && !endsAlike(plain, failing)) return 'observer_effect';
  if (sides.some(({ status }) => status === 'nondeterministic')) return 'nondeterministic';
  if (passing === undefined) return 'no_passing_sibling';
  if (passing.outcome !== 'passed') return 'sibling_not_passing';
  if (sides.some(({ status }) => status === 'not_checked')) return 'not_checked';
  const within = new Set(slice.rows.map(({ sequence }) => sequence));
  const diff = traceDiff(failing, passing, { masked: new Set(masked), within });
  const meant = diff.differences.filter(({ isInput, sequence }) => !isInput && within.has(sequence));
  if (diff.cut && !isSurelyFirst(diff)) return 'truncated';
  return diff.first === undefined ? 'no_divergence' : { ...diff, first: diff.first, differences: meant };
}

/** Whether nothing that is missing can come before it: no difference that counts was passed over because the slice of a run with gaps does not hold it. */
function isSurelyFirst({ first, differences }: TraceDiff): boolean {
  const earliest = differences.find(({ isInput, isDerived }) => !isInput && !isDerived);
  return first !== undefined && first === earliest;
}

/** Outcome, class of the failure, and place, where both have one. */
function endsAlike(plain: Pick<TestResult, 'outcome' | 'failure'>, { outcome, failure }: ObservedRun): boolean {
  if (plain.outcome !== outcome || plain.failure?.class !== failure?.class) return false;
  const [place, other] = [plain.failure?.location, failure?.location];
  return place === undefined || other === undefined || place === other;
}

function describeDivergence(failing: ObservedRun, { first, differences }: Diverging, slice: RowSlice) {
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
    centered_record: centerRecord(failing, slice, first.sequence),
    primary_suspects: [...new Set(suspects.map(nameSuspect))],
  };
}

/** Without a divergence: the operands of what failed, and the way to it. */
function describeFailure(failing: ObservedRun, slice: RowSlice, roots: readonly number[]) {
  return {
    first_divergence: null,
    centered_record: centerRecord(failing, slice),
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

function requireNumbered(run: ObservedRun | undefined): void {
  if (run === undefined) return;
  if (run.events.length !== run.rows.length) throw sequenceMismatch('Row', run.events.length, undefined);
  for (const [index, { sequence }] of run.events.entries())
    if (sequence !== index) throw sequenceMismatch('Event', index, sequence);
}
