import { nodeAgent, pythonAgent } from '@h/agents';
import {
  getTree,
  InstrumentedArtifact,
  memoryArtifacts,
  parseRecord,
  putTree,
  REGULAR_FILE,
  type Sha,
} from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { holdsProbes, type InstrumentInput, instrumentTree, planProbes, planTrace } from '../src/index.ts';
import { parser, ranked, shapeOf } from './program-of.ts';

const FILES = {
  'app/cart.py': 'def total(xs):\n    out = 0\n    for x in xs:\n        out += x\n    return out\n',
  'app/cart.ts':
    'export function total(xs: number[]) {\n  let out = 0;\n  for (const x of xs) out += x;\n  return out;\n}\n',
  'app/other.py': 'x = 1\n',
};
const artifacts = memoryArtifacts();
const bytes = (text: string) => new TextEncoder().encode(text);

async function treeOf(files: Record<string, string | Uint8Array>): Promise<Sha> {
  const entries = [];
  for (const [path, text] of Object.entries(files))
    entries.push({ path, mode: REGULAR_FILE, sha: await artifacts.put(typeof text === 'string' ? bytes(text) : text) });
  return putTree(entries, artifacts);
}

const textsOf = async (tree: Sha) =>
  Object.fromEntries(
    await Promise.all(
      (await getTree(tree, artifacts)).map(async ({ path, sha }) => [
        path,
        new TextDecoder().decode(await artifacts.get(sha)),
      ]),
    ),
  ) as Record<string, string>;

async function input(location: string, more: Partial<InstrumentInput> = {}): Promise<InstrumentInput> {
  const shape = shapeOf(FILES);
  const plan = planProbes({ ...shape, candidates: ranked(location) });
  const agents = location.includes('.py') ? pythonAgent() : nodeAgent();
  const agentFiles = agents.map(({ path, text }) => ({ path: `app/${path}`, text }));
  return {
    tree: await treeOf(FILES),
    cwd: 'app',
    artifacts,
    agentFiles,
    plan,
    trace: planTrace(plan, shape),
    parser,
    ...more,
  };
}

describe.each(['app/cart.py:4', 'app/cart.ts:3'])('%s', (location) => {
  test('is instrumented in a copy, beside the table and the agents', async () => {
    const given = await input(location);
    const before = await textsOf(given.tree);
    const made = await instrumentTree(given);
    const after = await textsOf(made.tree);
    expect(await textsOf(given.tree)).toEqual(before);
    for (const { path, text } of given.agentFiles) expect(after[path]).toBe(text);
    expect(JSON.parse(after['app/.h-agent/probe-table.json'] ?? '')).toEqual(made.table);
    expect(made.eventsPath).toBe('app/.h-agent/probe-events.ndjson');
    const changed = Object.keys(before).filter((path) => after[path] !== before[path]);
    expect(changed).toEqual(location.includes('.py') ? [] : ['app/cart.ts']);
    for (const path of changed) expect(holdsProbes(after[path] ?? '')).toBe(true);
    for (const text of Object.values(before)) expect(holdsProbes(text)).toBe(false);
    expect(parseRecord(InstrumentedArtifact, made.artifact)).toEqual({
      instrumented_artifact: made.tree,
      probe_specs: given.plan.probe_points.map(({ id, location, variables }) => ({
        id,
        location,
        method: 'inject',
        variables,
      })),
    });
    expect(made.notes).toEqual([]);
  });

  test('gives the same hash for the same plan and source, also with a parser of its own', async () => {
    const given = await input(location);
    const { parser: _, ...alone } = given;
    const [one, two] = [await instrumentTree(given), await instrumentTree(alone)];
    expect(two.tree).toBe(one.tree);
    expect(JSON.stringify(two)).toBe(JSON.stringify(one));
  });
});

test('a variable that no plan names is not in the table', async () => {
  const given = await input('app/cart.py:2');
  const { table } = await instrumentTree({ ...given, trace: { ...given.trace, variables: ['x'] } });
  const names = new Set(
    table.files.flatMap(({ probes }) => probes.flatMap(({ before, after }) => [...before, ...after])),
  );
  expect([...names].sort()).toEqual(['out', 'x']);
  const elsewhere = table.files[0]?.probes.filter(({ line }) => line !== 2) ?? [];
  expect(elsewhere.flatMap(({ before, after }) => [...before, ...after])).not.toContain('out');
});

test('limits come from the plan and the caller', async () => {
  const given = await input('app/cart.py:2', { maxEvents: 7 });
  const { table } = await instrumentTree({ ...given, trace: { ...given.trace, max_bytes: 9 } });
  expect(table).toMatchObject({ protocol: 1, max_bytes: 9, max_events: 7 });
});

test('a source that takes no probes stays, and is noted', async () => {
  const text = `${FILES['app/cart.ts']}let globalThis: any;\n`;
  const given = await input('app/cart.ts:3', {
    tree: await treeOf({ ...FILES, 'app/cart.ts': `${text}${'/'.repeat(9000)}\n` }),
  });
  const made = await instrumentTree(given);
  expect(made.notes).toEqual([expect.stringMatching(/^No probe in app\/cart\.ts: /)]);
  expect((await textsOf(made.tree))['app/cart.ts']).toContain(text);
});

describe('misuse', () => {
  const refused = async (given: Promise<InstrumentInput>, code: string) =>
    expect(instrumentTree(await given)).rejects.toMatchObject({ code });

  test('a copy of a copy', async () => {
    const { tree } = await instrumentTree(await input('app/cart.py:2'));
    await refused(input('app/cart.py:2', { tree }), 'already_instrumented');
  });
  test('a file that is not there', async () =>
    refused(input('app/cart.py:2', { tree: await treeOf({}) }), 'unknown_file'));
  test('a file that is no text', async () => {
    const tree = await treeOf({ 'app/cart.py': new Uint8Array([0xff, 0xfe]) });
    await refused(input('app/cart.py:2', { tree }), 'not_text');
  });
  test('a text that has no such statement', async () => {
    await refused(input('app/cart.py:4', { tree: await treeOf({ 'app/cart.py': 'x = 1\n' }) }), 'unknown_statement');
  });
  test('aborted', async () => {
    const signal = AbortSignal.abort();
    await expect(instrumentTree(await input('app/cart.py:2'), { signal })).rejects.toThrow('abort');
  });
});
