// One JSON line per row: work, ours, a peer or limit in the same run, ratio. `npm run bench -w @h/instrument`.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { memoryArtifacts, putTree, REGULAR_FILE } from '@h/contracts';
import { createSandbox, defaultPolicy, discoverNode, discoverPython } from '@h/sandbox';
import { createParser, type Language, type Parser } from '@h/syntax';
import { type Detection, planTestRun, runTests } from '@h/test-runners';
import { buildProbeTable, observeTest, planProbes, planTrace } from '../src/index.ts';
import { benchHits } from './hits.ts';

const row = (fields: Record<string, unknown>) => console.log(JSON.stringify(fields));
const round = (value: number) => Math.round(value * 100) / 100;

const parser = await createParser();
planRows(parser, 'python', 'a.py', pythonFile(100));
planRows(parser, 'typescript', 'a.ts', scriptFile(100));
await runRows('unittest', 'walk.py', PYTHON(), pythonDetection());
await runRows('vitest', 'walk.ts', SCRIPT(), scriptDetection());
await benchHits(row);
process.exit(0);

/** A hundred functions of ten statements. */
function pythonFile(functions: number): string {
  return Array.from({ length: functions }, (_, n) =>
    [
      `def f${n}(items, base=1):`,
      '    out = []',
      '    for item in items:',
      '        if item.price > base:',
      '            out.append(item)',
      '        elif item.price < 0:',
      '            continue',
      '        base += item.price * len(out)',
      '        self.rows[base].total = out',
      '    result = sorted(out, key=lambda each: each.price + base)',
      '    return [each for each in result if each]',
      '',
    ].join('\n'),
  ).join('\n');
}

function scriptFile(functions: number): string {
  return Array.from({ length: functions }, (_, n) =>
    [
      `export function f${n}(items: Item[], base = 1) {`,
      '  const out: Item[] = [];',
      '  for (const item of items) {',
      '    if (item.price > base) out.push(item);',
      '    else if (item.price < 0) continue;',
      '    base += item.price * out.length;',
      '    rows[base].total = out;',
      '  }',
      '  const result = out.sort((a, b) => a.price - b.price);',
      '  return result.filter((each) => each.price);',
      '}',
    ].join('\n'),
  ).join('\n');
}

function planRows(parser: Parser, language: Language, file: string, text: string): void {
  const locations = Array.from({ length: 50 }, (_, n) => `${file}:${5 + n * 11}`);
  const candidates = {
    candidate_probe_points: locations.map((location, n) => {
      return { rank: n + 1, location, suspiciousness: 1, failed_runs: 1, passed_runs: 0 };
    }),
  };
  const parse = best(() => parser.withTree(text, language, (root) => root.endIndex));
  const outlines = new Map([[file, parser.outline(text, language)]]);
  const names = new Map([[file, parser.names(text, language)]]);
  const shape = { outlines, names };
  const planned = best(() => planTrace(planProbes({ ...shape, candidates }), shape));
  const plan = planProbes({ ...shape, candidates });
  const trace = planTrace(plan, shape);
  const table = best(() => buildProbeTable(plan, trace, [{ file, text }], { parser }));
  const statements = outlines.get(file)?.statements.length;
  const peer = { peer: 'one parse', peer_ms: round(parse) };
  row({
    work: `plan 16 points and their trace, ${language}`,
    statements,
    ours_ms: round(planned),
    ...peer,
    ratio: round(planned / parse),
  });
  row({
    work: `probe table of them, ${language}`,
    statements,
    ours_ms: round(table),
    ...peer,
    ratio: round(table / parse),
  });
}

/** Least processor milliseconds of nine. */
function best(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 9; turn++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

function PYTHON(): Record<string, string> {
  return {
    'walk.py':
      'def walk(steps):\n    at = 0\n    seen = []\n    for step in range(steps):\n        if step % 3:\n            at += step\n        else:\n            seen.append(at)\n    return at\n',
    'test_walk.py':
      'import unittest\nfrom walk import walk\n\nclass Walk(unittest.TestCase):\n    def test_walk(self):\n        self.assertEqual(walk(2000), 1333000)\n',
  };
}

function SCRIPT(): Record<string, string> {
  return {
    'package.json': '{ "type": "module" }',
    'walk.ts':
      'export function walk(steps: number) {\n  let at = 0;\n  const seen = [];\n  for (let step = 0; step < steps; step++) {\n    if (step % 3) at += step;\n    else seen.push(at);\n  }\n  return at;\n}\n',
    'walk.test.ts':
      "import { expect, test } from 'vitest';\nimport { walk } from './walk';\ntest('walk', () => expect(walk(2000)).toBe(1333000));\n",
  };
}

function pythonDetection(): Detection {
  return { runner: 'unittest', cwd: '', reason: '', evidence: [], source_roots: [], start_dirs: ['.'] };
}

function scriptDetection(): Detection {
  return { runner: 'vitest', cwd: '', reason: '', evidence: [], source_roots: [], start_dirs: [] };
}

/** A test of some 8,000 statements, plain and observed in full, wall time, best of five. */
async function runRows(
  runner: string,
  file: string,
  files: Record<string, string>,
  detection: Detection,
): Promise<void> {
  const isPython = runner === 'unittest';
  const artifacts = memoryArtifacts();
  const entries = [];
  for (const [path, text] of Object.entries(files))
    entries.push({ path, mode: REGULAR_FILE, sha: await artifacts.put(new TextEncoder().encode(text)) });
  const tree = await putTree(entries, artifacts);
  const python = await discoverPython([join(homedir(), '.pyenv/versions/3.11.7/bin/python'), 'python3']);
  if (!('executable' in python)) return;
  const node = discoverNode();
  const packages = join(import.meta.dirname, '../../../../node_modules');
  const policy = defaultPolicy({ wall_ms: 60_000, ...(isPython ? {} : { memory_bytes: 2 ** 31 }) });
  const readOnlyPaths = isPython ? [python.prefix, python.base_prefix] : [node.prefix, packages];
  const links = isPython ? [] : [{ at: 'node_modules', target: packages }];
  const executor = await createSandbox(policy, { artifacts, readOnlyPaths, links, concurrency: 1 });
  const executables = isPython ? { python: python.executable } : { node: node.executable };
  const test = isPython ? 'test_walk.py::Walk::test_walk' : 'walk.test.ts > walk';
  const text = files[file] ?? '';
  const language = isPython ? 'python' : 'typescript';
  const shape = {
    outlines: new Map([[file, parser.outline(text, language)]]),
    names: new Map([[file, parser.names(text, language)]]),
  };
  const plan = planProbes({ ...shape, failure: { class: '', message: '', frames: [`${file}:6`] } });
  const { command, agent_files } = planTestRun(detection, { tests: [test], mode: 'run', ...executables });
  const setting = {
    executor,
    artifacts,
    policy,
    command,
    agentFiles: agent_files,
    tree,
    test,
    parser,
    plan,
    trace: planTrace(plan, shape),
  };
  const host = { executor, artifacts, policy, environment: '0'.repeat(64), tree, ...executables };
  let events = 0;
  const plain = await bestWall(() => runTests(detection, host, { tests: [test] }));
  const observed = await bestWall(async () => {
    events = (await observeTest(setting)).events.length;
  });
  row({
    work: `observe a test, ${runner}`,
    events,
    ours_ms: round(observed),
    peer: 'the plain run',
    peer_ms: round(plain),
    ratio: round(observed / plain),
  });
  await executor.close();
}

async function bestWall(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 4; turn++) {
    const before = performance.now();
    await work();
    least = Math.min(least, performance.now() - before);
  }
  return least;
}
