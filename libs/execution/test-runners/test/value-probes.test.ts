// A probe table beside the agents is obeyed under every entry: what @h/instrument relies on.
import { join } from 'node:path';
import { createProbeInjector, readProbeEvents } from '@h/agents';
import { memoryArtifacts } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { commandDetection, type Detection, planTestRun } from '../src/index.ts';
import { policy, processExecutor, treeOf } from './process-executor.ts';

const JAVASCRIPT = 'export function half(n) {\n  return n / 2;\n}\n';
const COMMON = 'function half(n) {\n  return n / 2;\n}\nmodule.exports = { half };\n';
const PYTHON = 'def half(n):\n    return n / 2\n';

const packages = join(import.meta.dirname, '../../../../node_modules');

const nodeTest: Detection = {
  runner: 'node:test',
  cwd: '',
  reason: '',
  evidence: [],
  source_roots: [],
  start_dirs: [],
  test_files: ['a.test.mjs'],
};

describe('value probes', () => {
  it.each<[string, Detection, string, string, string]>([
    [
      'node:test',
      nodeTest,
      'half.mjs',
      "import { test } from 'node:test';\nimport { half } from './half.mjs';\nhalf(8);\ntest('a', () => { half(4); });\n",
      'a.test.mjs',
    ],
    ...(['jest', 'mocha'] as const).map((runner): [string, Detection, string, string, string] => [
      runner,
      { ...nodeTest, runner, test_files: ['test/a.test.js'] },
      'half.cjs',
      "const { half } = require('../half.cjs');\nhalf(8);\nit('a', () => { half(4); });\n",
      'test/a.test.js',
    ]),
    [
      'a Node program',
      commandDetection({ label: 'a', argv: ['node', 'a.mjs'] }),
      'half.mjs',
      "import { half } from './half.mjs';\nhalf(4);\n",
      'a.mjs',
    ],
    [
      'a Python program',
      commandDetection({ label: 'a', argv: ['python', 'a.py'] }),
      'half.py',
      'from half import half\nhalf(4)\n',
      'a.py',
    ],
  ])('are recorded under %s', async (_, detection, file, test, name) => {
    const isPython = file.endsWith('.py');
    const source = isPython ? PYTHON : file.endsWith('.cjs') ? COMMON : JAVASCRIPT;
    const probe = { n: 0, line: 2, role: 'return', before: ['n'], after: [], start: source.indexOf('return') } as const;
    const probes = [{ ...probe, before: ['n'], after: [] }];
    const injected = isPython
      ? { text: source }
      : (await createProbeInjector()).inject(source, 'javascript', { path: file, probes });
    if (!('text' in injected)) throw new Error('not injected');
    const table = { protocol: 1, max_bytes: 100_000, max_events: 100, files: [{ file, probes }] };
    const { command, agent_files } = planTestRun(detection, { mode: 'run', node: process.execPath });
    const artifacts = memoryArtifacts();
    const files = {
      ...Object.fromEntries(agent_files.map(({ path, text }) => [path, text])),
      '.h-agent/probe-table.json': JSON.stringify(table),
      [file]: injected.text,
      [name]: test,
      'package.json': '{}',
    };
    const tree = await treeOf(files, artifacts);
    const events = '.h-agent/probe-events.ndjson';
    const result = await processExecutor(artifacts, [{ at: 'node_modules', target: packages }]).run({
      mode: 'instrumented',
      argv: command.argv,
      cwd: '',
      policy: policy({ env_set: command.env_set }),
      tree,
      artifact_version: tree,
      ordinal: 0,
      collect: [events],
    });
    const [collected] = result.files;
    if (collected === undefined) throw new Error(`no events: ${result.stderr.text}`);
    const read = readProbeEvents(new TextDecoder().decode(await artifacts.get(collected.sha)));
    expect(read.events.filter(({ test: under }) => under !== undefined)).toMatchObject([
      {
        n: 0,
        test: expect.stringMatching(/(?:^| > )a$/),
        before: { n: { text: '4' } },
        returned: { text: isPython ? '2.0' : '2' },
      },
    ]);
  });
});
