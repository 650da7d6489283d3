import { type ArtifactStore, type ExecutionResult, putTree, type Sha } from '@h/contracts';
import { defaultPolicy, type Sandbox } from '../../src/index.ts';
import type { Attack } from './attack.ts';
import type { Output } from './observe-run.ts';

/** Limits of a run unless its attack sets others: small, so that passing them costs the host nothing. */
const LIMITS = { wall_ms: 8000, memory_bytes: 256 * 2 ** 20, pids_max: 100, disk_bytes: 256 * 2 ** 20 };

export interface Inside {
  readonly sandbox: Sandbox;
  readonly artifacts: ArtifactStore;
}

export interface InsideOutput extends Output {
  readonly result: ExecutionResult;
}

export async function putAttackTree(artifacts: ArtifactStore): Promise<Sha> {
  const sha = await artifacts.put(new TextEncoder().encode('a\n'));
  return putTree([{ path: 'a.txt', mode: 0o100644, sha }], artifacts);
}

/** The attack in the sandbox: what came back, measured by this side's clock. */
export async function runInside(
  { sandbox, artifacts }: Inside,
  attack: Attack,
  argv: readonly string[],
): Promise<InsideOutput> {
  const tree = await putAttackTree(artifacts);
  const policy = defaultPolicy({ ...LIMITS, ...attack.policy });
  const run = (ordinal: number) =>
    sandbox.run({
      mode: 'verdict',
      argv: [...argv],
      cwd: '',
      policy,
      tree,
      artifact_version: tree,
      ordinal,
      collect: [...(attack.collect ?? [])],
    });
  if (attack.twice) await run(1);
  const begin = performance.now();
  const result = await run(0);
  const settled_ms = performance.now() - begin;
  const files = await Promise.all(result.files.map(async ({ sha }) => Buffer.from(await artifacts.get(sha))));
  const { stdout, stderr } = result;
  return {
    result,
    text: [stdout.text, stderr.text, ...files.map((file) => file.toString('latin1', 0, 10_000))].join('\n'),
    measures: {
      settled_ms,
      retained: Math.max(stdout.text.length, stderr.text.length, stdout.retained_bytes, stderr.retained_bytes),
      collected: Math.max(0, ...files.map((file) => file.length)),
      // What it says itself, or what is accounted, whichever is more.
      cpu_ms: Math.max(Number(/^CPU (\d+)/m.exec(stdout.text)?.[1] ?? 0), result.cpu_ms ?? 0),
    },
  };
}
