import type { ArtifactStore, Executor, IsolationPolicy } from '@h/contracts';
import { defaultPolicy } from '../judge-policy.ts';
import { CLAIM_TRIALS, unseenClaims } from './checks/claims.ts';
import { COMMAND_TRIALS } from './checks/commands.ts';
import { FILE_TRIALS } from './checks/files.ts';
import { IDENTITY_TRIALS } from './checks/identity.ts';
import { LIFE_TRIALS } from './checks/life.ts';
import { STREAM_TRIALS } from './checks/streams.ts';
import { type ConformanceTrial, openTrial, TrialEnd } from './trial.ts';

export interface ConformanceOptions {
  /** The store that the executor reads trees from and puts collected files into. */
  readonly artifacts: ArtifactStore;
  /** Begins every run; limits, environment and requirements are changed by the checks. `defaultPolicy` with 20 s by default. */
  readonly policy?: IsolationPolicy;
  /** A POSIX shell over there; "/bin/sh" by default. */
  readonly shell?: string;
  /** Milliseconds that the executor may be later than it should, such as its distance; 100 by default. */
  readonly slackMs?: number;
  /** Names of the checks to make; all by default. */
  readonly only?: readonly string[];
  readonly signal?: AbortSignal;
  /** Told of each check as it is done. */
  readonly onCheck?: (check: ConformanceCheck) => void;
}

export interface ConformanceCheck {
  /** Such as "exit_codes", or "claim:memory_limit" for a property that the executor says it enforces. */
  readonly name: string;
  /** What holds where it passed. */
  readonly promise: string;
  /** `untested`: it could not be tried, which says nothing. */
  readonly verdict: 'pass' | 'fail' | 'untested';
  /** What was seen instead, or why it could not be tried; absent where it passed. */
  readonly reason?: string;
  readonly wallMs: number;
}

const TRIALS: readonly ConformanceTrial[] = [
  ...COMMAND_TRIALS,
  ...STREAM_TRIALS,
  ...FILE_TRIALS,
  ...LIFE_TRIALS,
  ...IDENTITY_TRIALS,
];
/** Longest that one check may take. */
const TRIAL_MS = 120_000;

/**
 * Tries, one after another, what callers of an `Executor` rely on, by runs of small shell programs, and whether it enforces what it says it
 * does. Needs a shell, `cat`, `sleep`, `head` and the like over there. Never rejects but for the signal.
 */
export async function checkExecutor(executor: Executor, options: ConformanceOptions): Promise<ConformanceCheck[]> {
  const { artifacts, shell = '/bin/sh', slackMs = 100, only, signal, onCheck } = options;
  const policy = options.policy ?? defaultPolicy({ wall_ms: 20_000 });
  const claimed = new Set(executor.capabilities.enforces);
  const claims = CLAIM_TRIALS.filter(({ property }) => claimed.has(property));
  const wanted = [...TRIALS, ...claims].filter(({ name }) => only === undefined || only.includes(name));
  const checks: ConformanceCheck[] = [];
  const note = (check: ConformanceCheck) => {
    checks.push(check);
    onCheck?.(check);
  };
  for (const trial of wanted) {
    signal?.throwIfAborted();
    const begin = performance.now();
    const verdict = await attempt(trial, openTrial(executor, { artifacts, policy, shell, slackMs }));
    note({ name: trial.name, promise: trial.promise, ...verdict, wallMs: performance.now() - begin });
  }
  if (only === undefined) for (const check of unseenClaims([...claimed])) note({ ...check, wallMs: 0 });
  return checks;
}

async function attempt(
  { run }: ConformanceTrial,
  trial: Parameters<ConformanceTrial['run']>[0],
): Promise<Pick<ConformanceCheck, 'verdict' | 'reason'>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TrialEnd('fail', `nothing was settled after ${TRIAL_MS} ms`)), TRIAL_MS);
  });
  try {
    await Promise.race([run(trial), late]);
    return { verdict: 'pass' };
  } catch (error) {
    if (error instanceof TrialEnd) return { verdict: error.verdict, reason: error.message };
    const said = error instanceof Error ? error.message : String(error);
    return { verdict: 'fail', reason: `the executor rejected: ${said}` };
  } finally {
    clearTimeout(timer);
  }
}
