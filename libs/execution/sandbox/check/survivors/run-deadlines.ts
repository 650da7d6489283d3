import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryArtifacts, putTree } from '@h/contracts';
import { type BackendName, createSandbox, defaultPolicy, discoverPython, type Sandbox } from '../../src/index.ts';
import { endProcesses } from '../find-processes.ts';
import { findRunning, findUnburied, HANGING, LEAVING, runawayCommand, type Spread, spread } from './runaways.ts';

export interface Deadlines {
  readonly backend: BackendName;
  /** Runs in which the runaway stood before its time was up. */
  readonly runs: number;
  /** Runs of which something lived when the promise had settled, and still half a second later; and the dead left at the end. */
  readonly survivors: number;
  /** From the wall limit to the settled promise, ms; what a run does before its command begins comes on top, and is counted in. */
  readonly settled: Spread;
  /** From the wall limit to the end of the processes, by the run's own clock, ms. */
  readonly ended: Spread;
  readonly byShape: Readonly<Record<string, number>>;
  readonly left: readonly string[];
}

export interface Plan {
  readonly backend: BackendName | 'auto';
  readonly runs: number;
  readonly atOnce: number;
  /** One shape instead of all in turn. */
  readonly only?: string;
}

const SHAPES = [...HANGING, ...LEAVING];
const FIRST_WALL_MS = 400;
const LONGEST_WALL_MS = 10_000;
const SECOND_LOOK_MS = 500;

/** Runs runaways until as many as asked for have stood and been ended. */
export async function runDeadlines({ backend, runs, atOnce, only }: Plan): Promise<Deadlines> {
  const prefix = `hd${randomBytes(3).toString('hex')}`;
  const artifacts = memoryArtifacts();
  const python = await findPython();
  const tree = await putTree([], artifacts);
  const sandbox = await createSandbox(defaultPolicy(), {
    artifacts,
    backend,
    concurrency: atOnce,
    readOnlyPaths: python.paths,
  });
  const seen = {
    byShape: {} as Record<string, number>,
    settled: [] as number[],
    ended: [] as number[],
    left: [] as string[],
  };
  let [next, wall_ms] = [0, FIRST_WALL_MS];
  const one = async (index: number): Promise<void> => {
    const shape = only ?? SHAPES[index % SHAPES.length] ?? 'child';
    const mark = `${prefix}-${String(index).padStart(4, '0')}`;
    const policy = defaultPolicy({ wall_ms });
    const argv = runawayCommand(python.executable, shape, mark);
    const began = performance.now();
    const result = await runOnce(sandbox, { argv, policy, tree });
    const took = performance.now() - began;
    const alive = findRunning(mark);
    if (!result.stdout.text.includes('ready')) {
      // It was cut before it stood, which shows nothing: again with more time.
      if (wall_ms >= LONGEST_WALL_MS) throw new Error(`"${shape}" does not stand: ${result.stderr.text}`);
      if (policy.wall_ms === wall_ms) wall_ms *= 2;
      return one(index);
    }
    if (result.ended_by === 'wall_limit') {
      seen.settled.push(took - policy.wall_ms);
      seen.ended.push((result.wall_ms ?? 0) - policy.wall_ms);
    }
    seen.byShape[shape] = (seen.byShape[shape] ?? 0) + 1;
    if (alive.length === 0) return;
    await sleep(SECOND_LOOK_MS);
    const still = findRunning(mark);
    seen.left.push(`${shape}: ${still.length === 0 ? 'gone late: ' : ''}${still[0] ?? alive[0]}`);
  };
  const serve = async () => {
    while (next < runs) {
      next += 1;
      await one(next - 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, serve));
  // A relay may have been between two lives when it was looked for; the dead are counted once, by name.
  for (let look = 0; look < 10; look += 1) {
    seen.left.push(...findRunning(prefix).filter((line) => !seen.left.some((each) => each.endsWith(line))));
    await sleep(5);
  }
  const dead = await findUnburied(prefix);
  endProcesses(prefix);
  await sandbox.close();
  const left = [...seen.left, ...dead];
  return {
    backend: sandbox.backend,
    runs: Object.values(seen.byShape).reduce((sum, count) => sum + count, 0),
    survivors: left.length,
    settled: spread(seen.settled),
    ended: spread(seen.ended),
    byShape: seen.byShape,
    left,
  };
}

type Request = Pick<Parameters<Sandbox['run']>[0], 'argv' | 'policy' | 'tree'>;

function runOnce(sandbox: Sandbox, request: Request) {
  return sandbox.run({ mode: 'verdict', cwd: '', artifact_version: request.tree, ordinal: 0, collect: [], ...request });
}

export async function findPython(): Promise<{ executable: string; paths: string[] }> {
  const found = await discoverPython(['/usr/bin/python3', 'python3']);
  if ('reason' in found) throw new Error(`the runaways are Python programs: ${found.reason}`);
  return { executable: found.executable, paths: [found.prefix, found.base_prefix].filter((path) => path !== '/usr') };
}
