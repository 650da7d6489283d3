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
export function createReach({ host }: Session, { observed }: Diagnosis): (tree: Sha) => Promise<Reach> {
  const before = getTree(host.tree, host.artifacts);
  return async (tree) => {
    const selection = selectTests({
      baseline: observed,
      before: await before,
      after: await getTree(tree, host.artifacts),
      environment: host.environment,
    });
    if (!selection.safe) return { tests: 'all', skipped: [] };
    return { tests: selection.selected.map(({ test }) => test), skipped: selection.skipped };
  };
}
