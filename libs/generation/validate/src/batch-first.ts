// Failing tests of many candidates at once: only what a batch says of a candidate that stays broken is taken at its word, and not where a limit of
// the batch's own ended it.
import type { ObserveOptions, RunBatch, Sha, TestCommand, TestId, TestRunReport, TreeChange } from '@h/contracts';
import { judgeRun, type TestExpectation } from './judge-run.ts';

/** How candidates were run; measured, not part of the result: the validations are the same without any batch, as far as a batch says what a run alone says. */
export interface BatchUse {
  /** Candidates rejected on the word of a batch. */
  rejected: number;
  /** Candidates that passed in a batch, and were run alone then. */
  passed: number;
  /** Candidates that a limit of a batch's own ended, and that were run alone then. */
  limited: number;
  /** Candidates that no batch ran. */
  alone: number;
  /** Candidates rejected in a batch that were run alone as well, as a sample. */
  sampled: number;
  /** Why there was no batch, or none for some. */
  readonly notes: string[];
}

/** The first step of a candidate: its failing tests. */
export type RunFirst = (index: number, alone: () => Promise<TestRunReport>) => Promise<TestRunReport>;

/** Runs each candidate alone, for the reason given. */
export function runAlone(reason: string): BatchFirst {
  const use: BatchUse = { rejected: 0, passed: 0, limited: 0, alone: 0, sampled: 0, notes: [reason] };
  const runFirst: RunFirst = (_, alone) => {
    use.alone += 1;
    return alone();
  };
  return { runFirst, use, settled: async () => [] };
}

/** A batch said something else of a candidate than a run alone: none of its words counts. */
export class BatchDisagreement extends Error {}

export interface BatchFirstOptions extends ObserveOptions {
  readonly runBatch: RunBatch;
  readonly command: TestCommand;
  readonly expected: TestExpectation;
  readonly baseline: TestRunReport;
  readonly tree: Sha;
  readonly candidates: readonly { readonly changes: readonly TreeChange[] }[];
  /** Candidates that batches may run in all. */
  readonly most: number;
  /** Batches in flight at once. */
  readonly concurrency: number;
}

/** The first batch is small: the best candidates come first, and one of them may be enough. */
const FIRST_BATCH = 8;
const LARGEST_BATCH = 64;
/** Of the candidates that batches reject, these are run alone too. */
const SAMPLE_FROM = 6;
const SAMPLE_EVERY = 40;

/** So many say nothing of the rest. */
const FEW = 4;
const MOST_TWICE = 'most candidates pass their failing tests, or take long: batches would run them twice';

export interface BatchFirst {
  readonly runFirst: RunFirst;
  readonly use: BatchUse;
  /** When no batch is in flight any more. */
  settled(): Promise<unknown>;
}

interface Batch {
  readonly from: number;
  readonly to: number;
  readonly reports: Promise<BatchReports>;
}

/** By place in the batch; `limited`: the batch's own limit ended it. */
type BatchReports = readonly (TestRunReport | 'limited' | undefined)[];

/** Runs the failing tests of candidates in batches, in their order, as far ahead as they are asked for. */
export function createBatchFirst(options: BatchFirstOptions): BatchFirst {
  const use: BatchUse = { rejected: 0, passed: 0, limited: 0, alone: 0, sampled: 0, notes: [] };
  const batches: Batch[] = [];
  let isOff = false;

  async function run(from: number, to: number): Promise<BatchReports> {
    const { runBatch, command, tree, candidates, signal } = options;
    const changes = candidates.slice(from, to).map((one) => one.changes);
    const said = await runBatch(command, tree, changes, signal === undefined ? {} : { signal });
    for (const note of said.notes) if (!use.notes.includes(note)) use.notes.push(note);
    if (said.off === true) isOff = true;
    else if (said.control !== undefined && !agrees(said.control, options)) {
      isOff = true;
      use.notes.push('the tree itself fails otherwise in a batch than alone: each candidate is run alone');
    }
    const isLimited = new Set(said.limited);
    return isOff ? [] : said.reports.map((report, at) => (isLimited.has(at) ? 'limited' : report));
  }

  function begin(): void {
    if (mostTwice(use)) return;
    const from = batches.at(-1)?.to ?? 0;
    const size = Math.min(FIRST_BATCH * 2 ** batches.length, LARGEST_BATCH);
    const to = Math.min(from + size, options.candidates.length, options.most);
    if (to <= from || isOff) return;
    const reports = run(from, to);
    reports.catch(() => {}); // whoever asks is told
    batches.push({ from, to, reports });
  }

  async function reportOf(index: number): Promise<BatchReports[number]> {
    let at = batches.findIndex(({ to }) => index < to);
    for (let before = -1; at < 0 && before < batches.length; at = batches.findIndex(({ to }) => index < to)) {
      before = batches.length;
      begin();
    }
    const batch = batches[at];
    if (batch === undefined) return undefined;
    while (batches.length < at + options.concurrency) {
      const before = batches.length;
      begin();
      if (batches.length === before) break;
    }
    return (await batch.reports)[index - batch.from];
  }

  async function runFirst(index: number, alone: () => Promise<TestRunReport>): Promise<TestRunReport> {
    const report = isOff ? undefined : await reportOf(index);
    if (report === undefined || report === 'limited') {
      use[report ?? 'alone'] += 1;
      return alone();
    }
    const said = judgeRun(report, options.expected);
    if (said.status === 'plausible') {
      use.passed += 1;
      const fresh = await alone();
      requireSame(judgeRun(fresh, options.expected).status === 'plausible');
      return fresh;
    }
    use.rejected += 1;
    if (use.rejected % SAMPLE_EVERY !== SAMPLE_FROM) return report;
    use.sampled += 1;
    const fresh = await alone();
    const { status, broken } = judgeRun(fresh, options.expected);
    requireSame(status === said.status && broken.join('\n') === said.broken.join('\n'));
    return fresh;
  }

  const settled = () => Promise.allSettled(batches.map(({ reports }) => reports));
  return { runFirst, use, settled };
}

/** What passes in a batch, or comes to its limit there, is run twice: where most do, batches cost more than they save. */
function mostTwice({ passed, limited, rejected, notes }: BatchUse): boolean {
  const twice = passed + limited;
  if (twice < FEW || twice <= rejected) return false;
  if (!notes.includes(MOST_TWICE)) notes.push(MOST_TWICE);
  return true;
}

function requireSame(isSame: boolean): void {
  if (!isSame) throw new BatchDisagreement('a candidate ends otherwise in a batch than alone: each is run alone');
}

/** The failing tests must fail in a batch as they did before it. */
function agrees(control: TestRunReport, { baseline, expected }: BatchFirstOptions): boolean {
  const before = new Map(baseline.tests.map((result) => [result.test, result]));
  const after = new Map(control.tests.map((result) => [result.test, result]));
  return expected.failing.every((test: TestId) => {
    const [was, is] = [before.get(test), after.get(test)];
    return (
      was !== undefined && is !== undefined && was.outcome === is.outcome && was.failure?.class === is.failure?.class
    );
  });
}
