import { join } from 'node:path';
import { memoryArtifacts, parseRecord, type TestDependencies, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { detectRunners, runTests } from '../src/index.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

const packages = process.env.H_TEST_VITEST_FROM ?? join(import.meta.dirname, '../../../../node_modules');
const manifest = JSON.stringify({ type: 'module', scripts: { test: 'vitest run' } });

/** Dependencies of each test by the end of its name. */
async function dependencies(files: Record<string, string>): Promise<Record<string, TestDependencies>> {
  const all = { 'package.json': manifest, ...files };
  const artifacts = memoryArtifacts();
  const [detection] = await detectRunners(readerOf(all));
  if (detection === undefined) throw new Error('no runner found');
  const host = {
    executor: processExecutor(artifacts, [{ at: 'node_modules', target: packages }]),
    artifacts,
    policy: policy(),
    environment: '0'.repeat(64),
    tree: await treeOf(all, artifacts),
    node: process.execPath,
  };
  const report = parseRecord(TestRunReport, await runTests(detection, host, { coverage: true }));
  const found: Record<string, TestDependencies> = {};
  for (const { test, outcome, failure, dependencies } of report.tests) {
    expect(outcome, `${test} ${failure?.message}`).toBe('passed');
    if (dependencies === undefined) throw new Error(`nothing of ${test}`);
    found[test.replace(/^.* > /, '')] = dependencies;
  }
  return found;
}

const paths = (list: readonly { path: string }[] | undefined) => list?.map(({ path }) => path);
const test = (name: string, head: string, body = '') =>
  `import { expect, test } from 'vitest';\n${head}\ntest('${name}', async () => { ${body} });\n`;

describe('vitest', () => {
  it('gives every test of a file the modules that its worker loaded', async () => {
    const found = await dependencies({
      'src/sum.ts': "import { unit } from './unit';\nexport const sum = (a: number, b: number) => a + b * unit;\n",
      'src/unit.ts': 'export const unit = 1;\n',
      'src/types.ts': 'export interface Shape {}\n',
      'src/table.json': '{"a": 1}',
      'src/text.txt': 'hi',
      'src/old.cjs': "module.exports = require('./older.cjs');\n",
      'src/older.cjs': 'module.exports = 3;\n',
      'src/unused.ts': 'export const unused = 1;\n',
      'test/setup.ts': 'globalThis.ready = true;\n',
      'test/helpers.ts': 'export const two = 2;\n',
      'vitest.shared.ts': "export const setup = ['./test/setup.ts'];\n",
      'vitest.config.ts': "import { setup } from './vitest.shared';\nexport default { test: { setupFiles: setup } };\n",
      'test/sum.test.ts': test(
        'sum',
        "import { sum } from '../src/sum';\nimport { two } from './helpers';\nimport type { Shape } from '../src/types';",
        'expect(sum(1, two)).toBe(3)',
      ),
      'test/vain.test.ts': test('vain', '', "try { await import('../src/none'); } catch {}"),
      'test/data.test.ts': test(
        'data',
        [
          "import table from '../src/table.json';",
          "import text from '../src/text.txt?raw';",
          "import { createRequire } from 'node:module';",
          "const old = createRequire(import.meta.url)('../src/old.cjs');",
        ].join('\n'),
        "expect([table.a, text, old]).toEqual([1, 'hi', 3]); expect(1).toMatchSnapshot()",
      ),
      'test/__snapshots__/data.test.ts.snap':
        '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`data 1`] = `1`;\n',
    });
    const common = ['vitest.config.ts', 'vitest.shared.ts'];
    expect(paths(found.sum?.files)).toEqual([
      'src/sum.ts',
      'src/unit.ts',
      'test/helpers.ts',
      'test/setup.ts',
      'test/sum.test.ts',
      ...common,
    ]);
    expect(paths(found.data?.files)).toEqual([
      'src/old.cjs',
      'src/older.cjs',
      'src/table.json',
      'src/text.txt',
      'test/__snapshots__/data.test.ts.snap',
      'test/data.test.ts',
      'test/setup.ts',
      ...common,
    ]);
    expect(found.sum?.missing).toEqual(
      expect.arrayContaining(['src/sum.js', 'src/unit', 'test/__snapshots__/sum.test.ts.snap']),
    );
    expect(found.vain?.missing).toEqual(expect.arrayContaining(['src/none', 'src/none.ts', 'src/none/index.js']));
    for (const { complete, listings } of Object.values(found))
      expect({ complete, listings }).toEqual({ complete: true, listings: [] });
  });

  it('sees a snapshot in a file of its own, and what a package is', async () => {
    const found = await dependencies({
      'a.test.ts': test('a', '', 'await expect("x").toMatchFileSnapshot("./a.txt")'),
      'a.txt': 'x',
      'b.test.ts': test('b', "import picomatch from 'picomatch';", 'expect(picomatch).toBeTruthy()'),
      'c.test.ts': test('c', "import { DatabaseSync } from 'node:sqlite';", '').replace(
        'import { DatabaseSync } from',
        '// ',
      ),
    });
    expect(paths(found.a?.data)).toEqual(['a.txt']);
    expect(found.a?.complete).toBe(true);
    expect(found.b?.packages.map(({ name }) => name)).toEqual(['picomatch']);
    expect(found.c).toMatchObject({ complete: false, why_incomplete: [expect.stringContaining('names sqlite')] });
  });

  it('depends on every path where modules are looked for', async () => {
    const found = await dependencies({
      'a.ts': 'export const a = 1;\n',
      'a.test.ts': test(
        'glob',
        "const all = import.meta.glob('./a*.ts');",
        'expect(Object.keys(all)).toEqual(["./a.ts"])',
      ),
      'b.test.ts': test('computed', '', "const name = 'a'; expect((await import('./' + name + '.ts')).a).toBe(1)"),
      'c.test.ts': test('plain', "import picomatch from 'picomatch';", "expect((await import('./a')).a).toBe(1)"),
    });
    expect(paths(found.glob?.listings)).toEqual(['**']);
    expect(paths(found.computed?.listings)).toEqual(['**']);
    expect(paths(found.computed?.files)).toEqual(['a.ts', 'b.test.ts']);
    expect(found.plain).toMatchObject({ listings: [], complete: true });
  });
});
