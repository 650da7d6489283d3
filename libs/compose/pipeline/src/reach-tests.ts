// Which tests a candidate can reach, from what each test was seen to depend on while statements were recorded.
import { getTree, type RegressionSelection, type Sha, type TestId } from '@h/contracts';
import { selectTests } from '@h/ekstazi-select';
import type { Diagnosis } from './diagnose-failure.ts';
import type { Session } from './open-session.ts';

export interface Reach {
  /** `all` where the recording does not allow to leave any out. */
  readonly tests: readonly TestId[] | 'all';
  readonly skipped: RegressionSelection['skipped'];
}

/** Selects tests for a tree. A selection that is not safe selects all. */
export function createReach({ host }: Session, { observed, excluded }: Diagnosis): (tree: Sha) => Promise<Reach> {
  const before = getTree(host.tree, host.artifacts);
  // what disagrees between runs is never left out on the word of one of them
  const wavering = new Set(excluded.map(({ test }) => test));
  const tests = observed.tests.map((one) => (wavering.has(one.test) ? { ...one, flaky: true } : one));
  return async (tree) => {
    const selection = selectTests({
      baseline: { ...observed, tests },
      before: await before,
      after: await getTree(tree, host.artifacts),
      environment: host.environment,
    });
    if (!selection.safe) return { tests: 'all', skipped: [] };
    return { tests: selection.selected.map(({ test }) => test), skipped: selection.skipped };
  };
}
