// A test suite whose outcomes are written in the tree itself, so that a candidate is its outcomes: { "a": "failed", … }.
import {
  type ArtifactStore,
  editTree,
  getTree,
  memoryArtifacts,
  putTree,
  type RunTests,
  type Sha,
  sha256Hex,
  type TestCommand,
  type TestOutcome,
  type TestRunReport,
  type TreeChange,
} from '@h/contracts';
import { type ValidateOptions, type Validation, validateCandidates } from '../src/index.ts';

/** Outcome of each test; `gone` leaves it out of the report, `uncollected` makes its file a collection error. */
export type Outcomes = Record<string, TestOutcome | 'gone' | 'uncollected'>;

export const plan = (tests: string[] | 'all'): TestCommand => ({
  argv: tests === 'all' ? ['suite'] : ['suite', ...tests],
  cwd: '',
  env_set: {},
  report_path: 'report.ndjson',
});

export const changeTo = (outcomes: Outcomes): TreeChange[] => [
  { path: 'outcomes.json', bytes: new TextEncoder().encode(JSON.stringify(outcomes)) },
];

export const candidateOf = (outcomes: Outcomes, name = JSON.stringify(outcomes)) => ({
  candidate_id: sha256Hex(name),
  changes: changeTo(outcomes),
});

export function reportOf(outcomes: Outcomes, tests = Object.keys(outcomes)): TestRunReport {
  const outcomeOf = (test: string) => outcomes[test] ?? 'gone';
  const reported = Object.keys(outcomes).filter((test) => tests.includes(test));
  return {
    runner: 'scripted',
    environment: sha256Hex('environment'),
    execution_ids: [],
    tests: reported.flatMap((test) => {
      const outcome = outcomeOf(test);
      if (outcome === 'gone' || outcome === 'uncollected') return [];
      return [{ test, file: fileOf(test), outcome, duration_ms: 1 }];
    }),
    collection_errors: reported
      .filter((test) => outcomeOf(test) === 'uncollected')
      .map((test) => ({ file: fileOf(test), message: 'SyntaxError' })),
  };
}

export interface Suite {
  readonly tree: Sha;
  readonly artifacts: ArtifactStore;
  readonly baseline: TestRunReport;
  readonly failing: string[];
  /** Runs so far, as "<tests or all> on <outcomes>". */
  readonly runs: string[];
  /** The most runs that were in flight at once. */
  mostInFlight: number;
  readonly runTests: RunTests;
}

/** A suite with these outcomes before the patch. `pause` says how long a run takes, by its number. */
export async function suiteOf(
  before: Outcomes,
  pause: (run: number) => Promise<void> = () => Promise.resolve(),
): Promise<Suite> {
  const artifacts = memoryArtifacts();
  const tree = await editTree(await putTree([], artifacts), changeTo(before), artifacts);
  let inFlight = 0;
  const suite: Suite = {
    tree,
    artifacts,
    baseline: reportOf(before),
    failing: Object.keys(before).filter((test) => before[test] === 'failed'),
    runs: [],
    mostInFlight: 0,
    async runTests({ argv }, patched, options) {
      const run = suite.runs.push(`${argv.slice(1).join(' ') || 'all'} on ${patched.slice(0, 6)}`);
      suite.mostInFlight = Math.max(suite.mostInFlight, ++inFlight);
      try {
        await pause(run);
        options?.signal?.throwIfAborted();
        const outcomes = await outcomesOf(patched, artifacts);
        const report = reportOf(outcomes, argv.length > 1 ? argv.slice(1) : undefined);
        return { ...report, execution_ids: [sha256Hex(`${argv.join(' ')} ${patched}`)] };
      } finally {
        inFlight -= 1;
      }
    },
  };
  return suite;
}

export function validate(
  suite: Suite,
  candidates: ValidateOptions['candidates'],
  more: Partial<ValidateOptions> = {},
): Promise<Validation> {
  const { tree, artifacts, baseline, failing, runTests } = suite;
  return validateCandidates({
    candidates,
    tree,
    artifacts,
    baseline,
    failing,
    runTests,
    plan,
    budget: { executions: 1000 },
    ...more,
  });
}

function fileOf(test: string): string {
  return `${test.replace(/\d+$/, '')}.py`;
}

async function outcomesOf(tree: Sha, artifacts: ArtifactStore): Promise<Outcomes> {
  const [entry] = await getTree(tree, artifacts);
  if (entry === undefined) throw new Error('empty tree');
  return JSON.parse(new TextDecoder().decode(await artifacts.get(entry.sha)));
}
