// Why a test has to run for a change, or that nothing of it changed.
import type { RepoPath, Sha, TestDependencies, TestId, TestResult } from '@h/contracts';
import type { TreeDifference } from './compare-trees.ts';

/** Grounds in the order in which their tests run. */
export type Ground = 'failed' | 'changed' | 'new' | 'unknown' | 'global';

export interface Judgement {
  readonly test: TestId;
  /** Empty: nothing the test depends on changed. */
  readonly reasons: readonly { readonly ground: Ground; readonly why: string }[];
  /** The recorded dependencies are those of another tree than the baseline's. */
  readonly stale: boolean;
  readonly result?: TestResult;
}

const FAILING = new Set(['failed', 'error', 'timeout']);

/** Judges recorded tests against a difference. Lists that tests share are looked through once. */
export function createJudge(
  difference: TreeDifference,
  everywhere: readonly string[],
): (result: TestResult) => Judgement {
  const seen = new Map<readonly unknown[], { why: string[]; stale: boolean }>();
  const share = (list: readonly unknown[], look: () => { why: string[]; stale: boolean }) => {
    const known = seen.get(list) ?? look();
    seen.set(list, known);
    return known;
  };
  const identities = (list: readonly { path: RepoPath; sha: Sha }[]) => share(list, () => lookAt(list, difference));
  const missing = (list: readonly string[]) =>
    share(list, () => ({ why: list.filter(difference.appeared).map((path) => `${path} is there now`), stale: false }));
  return (result) => {
    const { dependencies } = result;
    const own = difference.state(result.file)?.change;
    const lists =
      dependencies === undefined
        ? []
        : [identities(dependencies.files), identities(dependencies.data), missing(dependencies.missing)];
    const changed = [...lists.flatMap(({ why }) => why), ...changedListings(dependencies, difference)];
    if (own !== undefined && changed.length === 0) changed.push(`${result.file} was ${own}`);
    return {
      test: result.test,
      result,
      stale: lists.some(({ stale }) => stale),
      reasons: [
        ...outcomeReasons(result),
        ...changed.map((why) => ({ ground: 'changed' as const, why })),
        ...doubts(result),
        ...everywhere.map((why) => ({ ground: 'global' as const, why })),
      ],
    };
  };
}

function lookAt(
  list: readonly { path: RepoPath; sha: Sha }[],
  difference: TreeDifference,
): { why: string[]; stale: boolean } {
  const why: string[] = [];
  let stale = false;
  for (const { path, sha } of list) {
    const state = difference.state(path);
    if (state?.before === sha && state.change === undefined) continue;
    if (state?.before !== sha) stale = true;
    why.push(state?.change === undefined ? `${path} is not as it was recorded` : `${path} was ${state.change}`);
  }
  return { why, stale };
}

/** `**` stands for the paths of the whole tree: any added or removed file changes it. */
function changedListings(dependencies: TestDependencies | undefined, difference: TreeDifference): string[] {
  const found: string[] = [];
  for (const { path } of dependencies?.listings ?? []) {
    if (path === EVERY_PATH) {
      for (const [file, change] of difference.changes)
        if (change !== 'changed') {
          found.push(`${file} was ${change}, and the test may ask whether files are there`);
          break;
        }
    } else if (difference.listingChanged(path)) found.push(`the names in ${path === '' ? 'the root' : path} changed`);
  }
  return found;
}

const EVERY_PATH = '**';

function outcomeReasons({ outcome, flaky }: TestResult): Judgement['reasons'] {
  if (FAILING.has(outcome))
    return [
      {
        ground: 'failed',
        why: `${outcome === 'timeout' ? 'timed out' : outcome === 'error' ? 'ended in an error' : 'failed'} at the baseline`,
      },
    ];
  if (outcome === 'not_run') return [{ ground: 'unknown', why: 'did not run at the baseline' }];
  return flaky === true ? [{ ground: 'unknown', why: 'its outcome differed between equal runs' }] : [];
}

function doubts({ dependencies }: TestResult): Judgement['reasons'] {
  if (dependencies === undefined) return [{ ground: 'unknown', why: 'what it depends on was not recorded' }];
  if (dependencies.complete) return [];
  const [why = 'unknown', ...more] = dependencies.why_incomplete ?? [];
  return [{ ground: 'unknown', why: `it may depend on more than was seen: ${why}${andMore(more.length)}` }];
}

export function andMore(count: number): string {
  return count === 0 ? '' : ` (and ${count} more)`;
}
