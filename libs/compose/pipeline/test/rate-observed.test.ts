// What a really observed run says of candidates: a loop header that steps before it asks, a number that is none, a masked value.
import { join } from 'node:path';
import { memoryArtifacts, type ObservedRun, putTree, REGULAR_FILE } from '@h/contracts';
import { type ProposedEdit, proposeEdits } from '@h/fix-templates';
import { observeTest, planProbes, planTrace } from '@h/instrument';
import { createSandbox, defaultPolicy, discoverNode } from '@h/sandbox';
import { createParser } from '@h/syntax';
import { detectRunners, planTestRun } from '@h/test-runners';
import { expect, test } from 'vitest';

const MODULES = join(import.meta.dirname, '../../../../node_modules');
const TEST = 'sum.test.js > all';
const SOURCE = `export function sumTo(n) {
  let total = 0;
  for (let i = 1; i < n; i++) {
    total += i;
  }
  return total;
}
export function login(password) {
  if (password === 'abc') return 'in';
  return 'out';
}
export function mean(sum, count) {
  const found = sum / count;
  if (!found) return 0;
  return found;
}
`;
const FILES = {
  'sum.js': SOURCE,
  'package.json': '{"type":"module","devDependencies":{"vitest":"*"},"scripts":{"test":"vitest run"}}',
  'sum.test.js': `import { expect, test } from 'vitest';
import { login, mean, sumTo } from './sum.js';
test('all', () => {
  expect([sumTo(4), login('xyz'), mean(0, 0)]).toEqual([10, 'in', 1]);
});
`,
};

const parser = await createParser({ languages: ['javascript'] });

/** The failing test's run, with the values at the three statements. */
async function observe(): Promise<ObservedRun> {
  const artifacts = memoryArtifacts();
  const texts = new Map(Object.entries(FILES).map(([path, text]) => [path, new TextEncoder().encode(text)]));
  const entries = [];
  for (const [path, bytes] of texts) entries.push({ path, mode: REGULAR_FILE, sha: await artifacts.put(bytes) });
  const tree = await putTree(entries, artifacts);
  const [detection] = await detectRunners({
    read: async (path) => texts.get(path) ?? new Uint8Array(),
    async *list() {
      yield* texts.keys();
    },
  });
  if (detection === undefined) throw new Error('no runner found');
  const node = discoverNode();
  const policy = defaultPolicy({ wall_ms: 60_000, memory_bytes: 2 ** 31 });
  const readOnlyPaths = [node.prefix, MODULES];
  const links = [{ at: 'node_modules', target: MODULES }];
  const executor = await createSandbox(policy, { artifacts, readOnlyPaths, links, concurrency: 1 });
  try {
    const { command, agent_files } = planTestRun(detection, { tests: [TEST], mode: 'run', node: node.executable });
    const shape = {
      outlines: new Map([['sum.js', parser.outline(SOURCE, 'javascript')]]),
      names: new Map([['sum.js', parser.names(SOURCE, 'javascript')]]),
    };
    const suspected = { rank: 1, location: 'sum.js:4', suspiciousness: 1, failed_runs: 1, passed_runs: 0 };
    const plan = planProbes({ ...shape, candidates: { candidate_probe_points: [suspected] } });
    const trace = planTrace(plan, { ...shape, frames: ['sum.js:3', 'sum.js:9', 'sum.js:14'] });
    const setting = { executor, artifacts, policy, command, agentFiles: agent_files, tree, test: TEST, parser };
    return await observeTest({ ...setting, plan, trace });
  } finally {
    await executor.close();
  }
}

test('a mend that the values seen do not speak against keeps its score', async () => {
  const observed = await observe();
  expect(observed.outcome).toBe('failed');
  const textAt = (line: number, name: string) =>
    observed.events.find(({ location }) => location === `sum.js:${line}`)?.payload.variables?.[name]?.text;
  // The run shows what the ratings below are about.
  expect(observed.events.filter(({ location }) => location === 'sum.js:3')).toHaveLength(4);
  expect(textAt(9, 'password')).toContain('‹masked');
  expect(textAt(14, 'found')).toBe('NaN');

  const factors = (line: number, pattern: RegExp): number[] => {
    const [before, after] = [proposed(line), proposed(line, observed)];
    return [...after]
      .filter(([name]) => pattern.test(name))
      .map(([name, { score = 0 }]) => score / (before.get(name)?.score ?? Number.NaN));
  };
  expect(factors(3, /: < → <=/)).toEqual([1]);
  for (const line of [9, 14]) {
    const found = factors(line, /./);
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter((factor) => factor > 1.001)).toEqual([]);
  }
  for (const [line, pattern] of [
    [9, /'abc' → |empty|=== → /],
    [14, /guard|!found → /],
  ] as const) {
    const found = factors(line, pattern);
    expect(found.length).toBeGreaterThan(2);
    for (const factor of found) expect(factor).toBe(1);
  }
});

function proposed(line: number, observed?: ObservedRun): Map<string, ProposedEdit> {
  const batches = proposeEdits({
    files: [{ path: 'sum.js', text: SOURCE }],
    targets: [{ file: 'sum.js', first: line, last: line, score: 1 }],
    parser,
    ...(observed === undefined ? {} : { evidence: { observed } }),
  });
  return new Map([...batches].flatMap(({ candidates }) => candidates.map((one) => [one.provenance, one])));
}
