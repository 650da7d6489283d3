import { memoryArtifacts, parseRecord, type TestDependencies, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { detectRunners, runTests } from '../src/index.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

const manifest = JSON.stringify({ type: 'module', scripts: { test: 'node --test' } });

/** Dependencies of each test by the end of its name. */
async function dependencies(files: Record<string, string>): Promise<Record<string, TestDependencies>> {
  const all = { 'package.json': manifest, ...files };
  const artifacts = memoryArtifacts();
  const [detection] = await detectRunners(readerOf(all));
  if (detection === undefined) throw new Error('no runner found');
  const host = {
    executor: processExecutor(artifacts),
    artifacts,
    policy: policy(),
    environment: '0'.repeat(64),
    tree: await treeOf(all, artifacts),
    node: process.execPath,
  };
  const report = parseRecord(TestRunReport, await runTests(detection, host, { coverage: true }));
  expect(report.runner).toBe('node:test');
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
  `import assert from 'node:assert';\nimport { test } from 'node:test';\n${head}\ntest('${name}', async () => { ${body} });\n`;

describe('node:test', () => {
  it('follows what the sources import and require', async () => {
    const found = await dependencies({
      'src/sum.js':
        "import { unit } from './unit.js';\nexport { two } from './two.js';\nexport const sum = (a, b) => a + b * unit;\n",
      'src/unit.js': 'export const unit = 1;\n',
      'src/two.js': 'export function two() {}\n',
      'src/late.js': 'export const late = 1;\n',
      'src/old.cjs': "module.exports = require('./older.cjs') + require('./table.json').a;\n",
      'src/older.cjs': 'module.exports = 1;\n',
      'src/table.json': '{"a": 1}',
      'src/unused.js': 'export const unused = 1;\n',
      'sum.test.js': test(
        'sum',
        "import { sum } from './src/sum.js';",
        "assert.equal(sum(1, 2), 3); await import('./src/late.js')",
      ),
      'plain.test.js': test('plain', ''),
      'old.test.cjs':
        "const { test } = require('node:test');\nconst old = require('./src/old.cjs');\ntest('old', () => { if (old !== 2) throw new Error(); });\n",
    });
    expect(paths(found.sum?.files)).toEqual(['src/late.js', 'src/sum.js', 'src/two.js', 'src/unit.js', 'sum.test.js']);
    expect(found.sum?.missing).toEqual(expect.arrayContaining(['src/sum', 'sum.test.js.snapshot']));
    expect(paths(found.old?.files)).toEqual(['old.test.cjs', 'src/old.cjs', 'src/older.cjs', 'src/table.json']);
    expect(paths(found.plain?.files)).toEqual(['plain.test.js']);
    for (const { complete, listings } of Object.values(found))
      expect({ complete, listings }).toEqual({ complete: true, listings: [] });
  });

  it.each([
    ['a computed import', '', "const name = 'a'; await import('./' + name + '.js')", /computes the name of a module/],
    ['a name of package.json', "import '#a';", '', /imports #a, which is no installed package/],
  ])('is not complete with %s', async (_, head, body, why) => {
    const files = {
      'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' }, imports: { '#a': './a.js' } }),
      'a.js': 'export const a = 1;\n',
      'a.test.js': test('a', head, body),
    };
    const { a } = await dependencies(files);
    expect(a?.complete).toBe(false);
    expect(a?.why_incomplete?.join()).toMatch(why);
    expect(paths(a?.files)).toContain('a.js');
  });

  it.each([
    ['a file of variables', '', "try { process.loadEnvFile('.env'); } catch {}", /names loadEnvFile/],
    ['a file as a blob', "import { openAsBlob } from 'node:fs';", "await openAsBlob('a.txt')", /names openAsBlob/],
    [
      'the number of an open folder',
      "import fs from 'node:fs';",
      "fs.readFileSync('/proc/self/fd/' + fs.openSync('.', 'r') + '/a.txt')",
      /by the number of an open file/,
    ],
  ])('is not complete with %s', async (_, head, body, why) => {
    const { a } = await dependencies({ 'a.txt': 'a', 'a.test.js': test('a', head, body) });
    expect(a?.complete).toBe(false);
    expect(a?.why_incomplete?.join()).toMatch(why);
  });

  it('names where Node looked for a module in vain', async () => {
    const found = await dependencies({
      'd/x.txt': 'x',
      'none.test.cjs': "require('node:test').test('none', () => { try { require('./d/opt'); } catch {} });",
      'asked.test.cjs': "require('node:test').test('asked', () => { try { require.resolve('./d/opt'); } catch {} });",
      'renamed.test.cjs':
        "const r = require;\nr('node:test').test('renamed', () => { try { r('./d/opt'); } catch {} });",
      'later.test.js': test('later', '', "await import('./d/opt.mjs').catch(() => {})"),
      'made.test.js': test(
        'made',
        "import { createRequire } from 'node:module';",
        "const r = createRequire(import.meta.url); try { r('./d/opt'); } catch {}",
      ),
      'changed.test.js': test(
        'changed',
        "import fs from 'node:fs';",
        "try { fs.unlinkSync('d/opt'); } catch {} fs.mkdirSync('d', { recursive: true })",
      ),
    });
    const candidates = ['d/opt', 'd/opt.js', 'd/opt.json', 'd/opt.node', 'd/opt/index.js', 'd/opt/package.json'];
    expect(found.none?.missing).toEqual(expect.arrayContaining(candidates));
    expect(found.asked?.missing).toEqual(expect.arrayContaining(candidates));
    expect(found.later?.missing).toContain('d/opt.mjs');
    expect(found.changed?.missing).toContain('d/opt');
    for (const one of [found.renamed, found.made, found.changed]) expect(paths(one?.listings)).toContain('**');
    expect(paths(found.changed?.listings)).toContain('d');
  });

  it('sees what is copied as a whole folder', async () => {
    const body = "fs.cpSync('d', 'e', { recursive: true })";
    const { a } = await dependencies({ 'd/b.txt': 'b', 'a.test.js': test('a', "import fs from 'node:fs';", body) });
    expect(a?.complete === false || paths(a?.data)?.includes('d/b.txt')).toBe(true);
  });
});
