// A diagnosis over an executor that is far away: what it costs in calls, and that it finds the same.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Executor, readEnvelope } from '@h/contracts';
import { createExecutor, createSandbox, type ForeignSteps, type ForeignWhole, type Sandbox } from '@h/sandbox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runPipeline } from '../src/index.ts';

const LATENCY_MS = 300;
const FILES = {
  'calc.py': 'def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a + a\n',
  'test_calc.py': `import unittest
from calc import add, double


class CalcTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_add_nothing(self):
        self.assertEqual(add(5, 0), 5)

    def test_double(self):
        self.assertEqual(double(4), 8)
`,
};

let dir: string;
let repo: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'h-far-away-'));
  repo = join(dir, 'repo');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A system that does what a sandbox does, a second of light away; it counts what is asked of it. */
function farAway(
  near: Executor,
  store: Parameters<typeof createExecutor>[1]['artifacts'],
  calls: string[],
): ForeignWhole {
  return {
    name: 'far away',
    capabilities: { concurrency: 2, persistent: false, enforces: [] },
    async run({ files, argv, cwd, policy, collect, stdin }) {
      calls.push('run');
      await sleep(LATENCY_MS / 2);
      const { putTree } = await import('@h/contracts');
      const entries = files.map(async ({ path, mode = 0o100644, bytes }) => ({
        path,
        mode,
        sha: await store.put(bytes),
      }));
      const tree = await putTree(await Promise.all(entries), store);
      const base = { mode: 'verdict' as const, argv: [...argv], cwd, policy, tree, artifact_version: tree, ordinal: 0 };
      const result = await near.run({ ...base, collect: [...collect], ...(stdin !== undefined && { stdin }) });
      const back = result.files.map(async ({ path, sha }) => ({ path, bytes: await store.get(sha) }));
      await sleep(LATENCY_MS / 2);
      const { ended_by: endedBy, exit_code, stdout, stderr } = result;
      const exit = exit_code === undefined ? {} : { exitCode: exit_code };
      return { ...exit, endedBy, stdout: stdout.text, stderr: stderr.text, files: await Promise.all(back) };
    },
  };
}

/** The same in steps; every command finds what was put, and nothing of another command. */
function inSteps(whole: ForeignWhole, calls: string[]): ForeignSteps {
  const places = new Map<
    string,
    { files: Parameters<ForeignSteps['put']>[0]; back?: Awaited<ReturnType<ForeignWhole['run']>>['files'] }
  >();
  return {
    name: 'far away',
    capabilities: whole.capabilities,
    async put(files, { place }) {
      calls.push('put');
      await sleep(LATENCY_MS);
      places.set(place, { files });
    },
    async exec(command) {
      calls.push('exec');
      const files = places.get(command.place)?.files ?? [];
      const { files: back = [], ...exit } = await whole.run({ ...command, files, collect: ['**'] });
      places.set(command.place, { files, back });
      return exit;
    },
    async get(_globs, { place }) {
      calls.push('get');
      await sleep(LATENCY_MS);
      return places.get(place)?.back ?? [];
    },
  };
}

async function diagnose(make?: (near: Sandbox, store: Parameters<typeof farAway>[1]) => ForeignWhole | ForeignSteps) {
  let near: Sandbox | undefined;
  const result = await runPipeline({
    command: 'diagnose',
    repo,
    out: join(dir, `out-${Math.random()}`),
    observe: true,
    environment: process.env,
    ...(make && {
      openExecutor: async ({ artifacts, policy }) => {
        near = await createSandbox(policy, { artifacts, readOnlyPaths: policy.filesystem.extra_ro });
        return createExecutor(make(near, artifacts), { artifacts });
      },
    }),
  });
  await near?.close();
  return result;
}

function readPack({ dir: run }: Awaited<ReturnType<typeof diagnose>>) {
  return readEnvelope('EvidencePack', readFileSync(join(run, 'evidence-pack.json'), 'utf8'));
}

it('takes at most 12 calls where a run is one call, and finds what a sandbox here finds', async () => {
  const calls: string[] = [];
  const there = await diagnose((near, store) => farAway(near, store, calls));
  const here = await diagnose();
  expect(calls.length).toBeLessThanOrEqual(12);
  expect(there.summary.isolation).toEqual({ backend: 'far away', downgrades: [] });
  expect(there.summary.localization).toEqual(here.summary.localization);
  expect(there.summary.localization?.top[0]).toMatchObject({ location: 'calc.py:2' });
  const untold = (
    one: ReturnType<typeof readPack>, // Sorted by ids of runs, which differ: they name the environment.
  ) => one.evidence_pack.map(({ execution_id, ...rest }) => JSON.stringify(rest)).sort();
  expect(untold(readPack(there))).toEqual(untold(readPack(here)));
});

it('takes at most 12 calls of put, exec and get, and finds the same', async () => {
  const calls: string[] = [];
  const there = await diagnose((near, store) => inSteps(farAway(near, store, []), calls));
  expect(there.summary.localization?.top[0]).toMatchObject({ location: 'calc.py:2' });
  expect(readPack(there)).toMatchObject({ gated: true, primary_suspects: ['calc.py:2 return'] });
  expect(calls.filter((call) => call === 'exec').length, 'every run is one command').toBeGreaterThanOrEqual(8);
  expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(12);
});
