// Every exact clause of seed 12 that falls to this library, by its number: what it demands, and nothing else.
import {
  type ExecutionRequest,
  type Executor,
  getTree,
  memoryArtifacts,
  type ProbePlan,
  putTree,
  RawEvent,
  REGULAR_FILE,
  type Sha,
} from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { foldEvents } from '../src/fold-events.ts';
import {
  buildProbeTable,
  holdsProbes,
  instrumentTree,
  observeTest,
  PROBE_CAP,
  planProbes,
  planTrace,
} from '../src/index.ts';
import { failureAt, hypotheses, parser, ranked, shapeOf } from './program-of.ts';

/** Twenty functions of a branch and three blocks each. */
const PYTHON = Array.from(
  { length: 20 },
  (_, n) => `def f${n}(a, b):\n    c = a + b\n    if c > ${n}:\n        c = c - 1\n    return c\n`,
).join('\n');
const SCRIPT = 'export function g(a, b) {\n  let c = a + b;\n  if (c > 1) c = c - 1;\n  return c;\n}\n';
const FILES = { 'a.py': PYTHON, 'b.js': SCRIPT };
const shape = shapeOf(FILES);
const lines = Array.from({ length: 20 }, (_, n) => `a.py:${2 + n * 6}`);
const where = ({ probe_points }: ProbePlan) => probe_points.map(({ location }) => location);

describe('§3.2 selective instrumentation planning', () => {
  test('rule 1: the point that a hypothesis names is included, whatever its rank, and so is its variable', () => {
    const plan = planProbes({ ...shape, candidates: ranked(...lines), hypotheses: hypotheses(['b', 'a.py:119']) });
    expect(plan.probe_points[0]).toMatchObject({ location: 'a.py:119', source: 'hypothesis' });
    expect(plan.probe_points[0]?.variables).toContain('b');
    const unranked = planProbes({ ...shape, hypotheses: hypotheses(['c', 'a.py:4']) });
    expect(where(unranked)).toEqual(['a.py:4']);
  });

  test('rule 2: the rest comes from the top of the ranked list, in its order', () => {
    const order = [lines[7], lines[2], lines[11]].map((line) => line ?? '');
    expect(where(planProbes({ ...shape, candidates: ranked(...order) }))).toEqual(order);
  });

  test('rule 3: it stops at 16 points, or when the list is exhausted', () => {
    expect(PROBE_CAP).toBe(16);
    expect(where(planProbes({ ...shape, candidates: ranked(...lines) }))).toEqual(lines.slice(0, 16));
    expect(where(planProbes({ ...shape, candidates: ranked(...lines.slice(0, 5)) }))).toEqual(lines.slice(0, 5));
    const asked = hypotheses(['c', 'a.py:5'], ['c', 'a.py:11'], ['c', 'a.py:17'], ['c', 'a.py:23']);
    const full = planProbes({ ...shape, candidates: ranked(...lines), hypotheses: asked });
    expect(full.probe_points.map(({ source }) => source)).toEqual([
      ...Array(4).fill('hypothesis'),
      ...Array(12).fill('sbfl'),
    ]);
  });

  test('rule 4: without a hypothesis the list and the neighborhood of the failure seed the plan', () => {
    const plan = planProbes({ ...shape, candidates: ranked(lines[9] ?? ''), failure: failureAt('a.py:4') });
    expect(plan.probe_points.map(({ location, source }) => [location, source])).toEqual([
      ['a.py:4', 'failure_neighborhood'],
      ['a.py:3', 'failure_neighborhood'],
      [lines[9], 'sbfl'],
    ]);
  });

  test('output schema: exactly id, location, block, variables, source', () => {
    const [point] = planProbes({ ...shape, candidates: ranked('a.py:2') }).probe_points;
    expect(Object.keys(point ?? {}).sort()).toEqual(['block', 'id', 'location', 'source', 'variables']);
    expect(point).toMatchObject({ id: 'PP1', location: 'a.py:2', block: 'function f0, lines 2-3' });
  });

  test('block granularity: two candidates of one block are one point', () => {
    expect(where(planProbes({ ...shape, candidates: ranked('a.py:2', 'a.py:3', 'a.py:4') }))).toEqual([
      'a.py:2',
      'a.py:4',
    ]);
  });

  test('variables by definition and use, with what flows into them within the block', () => {
    const [point] = planProbes({ ...shape, candidates: ranked('a.py:3') }).probe_points;
    expect(point?.variables).toEqual(['a', 'b', 'c']);
  });

  test('caps: a plan of 17 points is refused, never cut', () => {
    const plan = planProbes({ ...shape, candidates: ranked(...lines) });
    const more = {
      ...plan.probe_points[0],
      id: 'PP17',
      location: lines[17] ?? '',
    } as ProbePlan['probe_points'][number];
    const build = () => buildProbeTable({ probe_points: [...plan.probe_points, more] }, trace0, sources, { parser });
    expect(build).toThrow(expect.objectContaining({ code: 'too_many_points' }) as Error);
  });
});

const trace0 = { functions: [], variables: [], max_bytes: 2 ** 20 };
const sources = Object.entries(FILES).map(([file, text]) => ({ file, text }));
const artifacts = memoryArtifacts();
const put = (text: string) => artifacts.put(new TextEncoder().encode(text));
async function treeOf(files: Record<string, string>): Promise<Sha> {
  const entries = [];
  for (const [path, text] of Object.entries(files)) entries.push({ path, mode: REGULAR_FILE, sha: await put(text) });
  return putTree(entries, artifacts);
}

describe.each(['a.py', 'b.js'])('§3.3 instrument: %s', (file) => {
  const plan = planProbes({ ...shape, candidates: ranked(`${file}:2`) });
  const trace = planTrace(plan, shape);
  const made = async (files = FILES, ours = plan) =>
    instrumentTree({ tree: await treeOf(files), cwd: '', artifacts, agentFiles: [], plan: ours, trace, parser });

  test('identical plan and identical source give identical instrumentation; another plan another', async () => {
    const [one, two] = [await made(), await made()];
    expect(two.artifact).toEqual(one.artifact);
    expect(two.table).toEqual(one.table);
    const other = await made(FILES, planProbes({ ...shape, candidates: ranked(`${file}:3`) }));
    expect(other.artifact.instrumented_artifact).not.toBe(one.artifact.instrumented_artifact);
  });

  test('output schema: exactly instrumented_artifact and probe_specs of id, location, method, variables', async () => {
    const { artifact } = await made();
    expect(Object.keys(artifact).sort()).toEqual(['instrumented_artifact', 'probe_specs']);
    expect(artifact.probe_specs).toEqual([
      { id: 'PP1', location: `${file}:2`, method: 'inject', variables: plan.probe_points[0]?.variables },
    ]);
  });

  test('a variable that no plan names is never recorded', async () => {
    const named = new Set([...trace.variables, ...plan.probe_points.flatMap(({ variables }) => variables)]);
    const { table } = await made();
    const recorded = table.files.flatMap(({ probes }) => probes.flatMap(({ before, after }) => [...before, ...after]));
    expect(recorded.filter((name) => !named.has(name))).toEqual([]);
    const bare = await instrumentTree({
      tree: await treeOf(FILES),
      cwd: '',
      artifacts,
      agentFiles: [],
      plan: { probe_points: [] },
      trace: { ...trace, variables: [] },
      parser,
    });
    expect(
      bare.table.files.flatMap(({ probes }) => probes.flatMap(({ before, after }) => [...before, ...after])),
    ).toEqual([]);
  });

  test('the copy is apart from the candidate, which is as it was', async () => {
    const tree = await treeOf(FILES);
    const before = await getTree(tree, artifacts);
    const { artifact } = await made();
    expect(artifact.instrumented_artifact).not.toBe(tree);
    expect(await getTree(tree, artifacts)).toEqual(before);
  });

  test('§8.6 probe-bleed: what instrumentation puts into a text is recognized in a diff', async () => {
    const { tree } = await made();
    const entries = await getTree(tree, artifacts);
    const added = entries.filter(({ path }) => path.startsWith('.h-agent') || path === file);
    const texts = await Promise.all(
      added.map(async ({ path, sha }) => `+++ b/${path}\n+${new TextDecoder().decode(await artifacts.get(sha))}`),
    );
    expect(texts.some(holdsProbes)).toBe(true);
    expect(Object.values(FILES).some(holdsProbes)).toBe(false);
  });
});

test('§3.4 execute: under the policy that is given, none of its own, in mode instrumented', async () => {
  const plan = planProbes({ ...shape, candidates: ranked('a.py:2') });
  const requests: ExecutionRequest[] = [];
  const stream = { text: '', observed_bytes: 0, retained_bytes: 0, dropped_bytes: 0 };
  const executor: Executor = {
    capabilities: { concurrency: 1, persistent: false, enforces: [] },
    async run(request) {
      requests.push(request);
      return {
        execution_id: 'e'.repeat(64),
        ended_by: 'exit',
        exit_code: 0,
        stdout: stream,
        stderr: stream,
        files: [],
      };
    },
  };
  const policy = {
    ...{ cpu_cores: 1, memory_bytes: 2 ** 29, wall_ms: 5000, pids_max: 9, stream_bytes: 65_536, disk_bytes: 2 ** 20 },
    ...{ inodes_max: 99, network: 'deny' as const, env_allow: [], env_set: {}, require: [] },
    filesystem: { workspace: 'private_copy' as const, scratch: 'rw' as const, extra_ro: [] },
    determinism: { hash_seed: '0', tz: 'UTC', locale: 'C.UTF-8', no_aslr: false },
  };
  const command = { argv: ['py'], cwd: '', env_set: {}, report_path: 'out' };
  const tree = await treeOf(FILES);
  await observeTest({
    executor,
    artifacts,
    policy,
    command,
    agentFiles: [],
    tree,
    test: 't',
    plan,
    trace: trace0,
    parser,
  });
  expect(requests.map(({ mode, policy: used }) => [mode, used])).toEqual([['instrumented', policy]]);
  expect(requests[0]?.artifact_version).toBe(tree);
});

test('§3.5 capture: the record of an event has exactly these fields, its kind is path, value or state_delta', () => {
  const sites = buildProbeTable(planProbes({ ...shape, candidates: ranked('a.py:2') }), trace0, sources, {
    parser,
  }).sites;
  const value = (text: string) => ({ type: 'int', text, truncated: false });
  const seen = [
    { n: 0, frame: 0, completed: true },
    { n: 0, frame: 0, completed: true, before: { a: value('1') } },
    { n: 0, frame: 0, completed: true, before: { c: value('1') }, after: { c: value('2') } },
  ];
  const { events } = foldEvents(seen, sites, { execution_id: 'e'.repeat(64), test: 't' });
  for (const event of events) RawEvent.parse(event);
  expect(events.map(({ kind, probe_id, sequence }) => [kind, probe_id, sequence])).toEqual([
    ['path', 'PP1', 0],
    ['value', 'PP1', 1],
    ['state_delta', 'PP1', 2],
  ]);
  expect(Object.keys(events[2] ?? {}).sort()).toEqual([
    'execution_id',
    'kind',
    'location',
    'payload',
    'probe_id',
    'sequence',
  ]);
  expect(events[2]?.payload.state_delta).toEqual({ from: { c: value('1') }, to: { c: value('2') } });
});
