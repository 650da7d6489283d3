import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { memoryArtifacts, parseRecord, type TestRunReport, TestRunReport as TestRunReportSchema } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { type Detection, detectRunners, listTests, type RunTestsOptions, runTests } from '../src/index.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

const packages = join(import.meta.dirname, '../../../../node_modules');
/** Node as it is here, and others where a folder of them is named: `<folder>/<version>/bin/node`. */
const others = process.env.H_TEST_NODES ?? '';
const NODES = [
  ['this Node', process.execPath],
  ...(existsSync(others) ? readdirSync(others).map((version) => [version, join(others, version, 'bin/node')]) : []),
] as [string, string][];

interface Setting extends RunTestsOptions {
  readonly node?: string;
  readonly wallMs?: number;
  readonly linked?: boolean;
}

async function hostOf(files: Record<string, string>, { node = process.execPath, wallMs = 60_000, linked }: Setting) {
  const artifacts = memoryArtifacts();
  const [detection] = await detectRunners(readerOf(files));
  if (detection === undefined) throw new Error('no runner found');
  const executor = processExecutor(artifacts, linked === true ? [{ at: 'node_modules', target: packages }] : []);
  const tree = await treeOf(files, artifacts);
  const host = { executor, artifacts, policy: policy({ wall_ms: wallMs }), environment: '0'.repeat(64), tree, node };
  return { detection, host };
}

async function run(files: Record<string, string>, options: Setting = {}) {
  const { detection, host } = await hostOf(files, options);
  return parseRecord(TestRunReportSchema, await runTests(detection, host, options));
}

const outcomes = (report: TestRunReport) =>
  Object.fromEntries(report.tests.map(({ test, outcome }) => [test, outcome]));
const byName = (report: TestRunReport, end: string) => {
  const found = report.tests.find(({ test }) => test.endsWith(end));
  if (found === undefined) throw new Error(`no ${end} in ${report.tests.map(({ test }) => test).join(', ')}`);
  return found;
};
const linesOf = (report: TestRunReport, end: string) =>
  Object.fromEntries((byName(report, end).coverage ?? []).map(({ file, lines }) => [file, lines]));

const MANIFEST = JSON.stringify({ type: 'module', scripts: { test: 'node --test' } });

const CALC = `export function add(a, b) {
  if (a > 100) return a - b;
  if (a === 3) {
    throw new RangeError('three');
  }
  return a + b;
}

export const wide = (options) => options.deep;

export function close(a) {
  return -a;
}
`;

const TESTS = `import assert from 'node:assert/strict';
import test, { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { add, close, wide } from './calc.mjs';

before(() => wide({ deep: true }));
after(() => close(9));

test('passes', () => assert.equal(add(1, 2), 3));
test('twice', () => assert.deepEqual({ a: [1, add(1, 2)] }, { a: [1, 4] }));
test('twice', () => assert.equal(add(200, 2), 198));
test('by callback', (t, done) => setTimeout(() => { add(1, 1); done(); }, 5));
test('fails by callback', (t, done) => done(new TypeError('called back')));
test('throws text', () => { throw 'text'; });
test('is skipped', { skip: 'why' }, () => {});
test('skips itself', (t) => t.skip('later'));
test.todo('is still to do');
test('fails as known', { todo: true }, () => { throw new Error('known'); });
test('no longer fails', { todo: 'soon' }, () => {});
test('takes too long', { timeout: 30 }, async () => { await new Promise((done) => setTimeout(done, 200)); });
test('rejects beside', async () => {
  setTimeout(() => { throw new Error('beside'); }, 1);
  await new Promise((done) => setTimeout(done, 30));
});
test('rejects unseen', async () => {
  Promise.reject(new RangeError('unseen'));
  await new Promise((done) => setTimeout(done, 30));
});
test(async function named() { add(1, 1); });

test('parent', async (t) => {
  add(1, 2);
  await t.test('good', () => { wide({}); });
  await t.test('bad', async (inner) => {
    await inner.test('deepest', () => { add(3, 1); });
  });
});

describe('group', () => {
  beforeEach(() => { wide({ deep: false }); });
  afterEach(() => { close(1); });
  it('throws', () => { add(3, 1); });
  it('late', async () => {
    const { late } = await import('./late.mjs');
    assert.equal(late(2), 4);
  });
  describe('inner', () => {
    it('takes none', () => {});
  });
});

describe('broken', () => {
  before(() => { throw new TypeError('no fixture'); });
  it('never starts', () => {});
});
describe('broken each', () => {
  beforeEach(() => { add(3, 0); });
  it('never starts', () => {});
});
describe('down', () => {
  after(() => { throw new TypeError('no tear-down'); });
  it('is torn down badly', () => {});
});
describe('side by side', { concurrency: true }, () => {
  it('one', async () => { await new Promise((done) => setTimeout(done, 20)); add(200, 1); });
  it('two', async () => { await new Promise((done) => setTimeout(done, 40)); });
});
`;

const file = 'src/calc.test.mjs';
const project = {
  'package.json': MANIFEST,
  'src/calc.mjs': CALC,
  'src/late.mjs': 'export const factor = Number(2);\n\nexport function late(n) {\n  return n * factor;\n}\n',
  [file]: TESTS,
};

describe.each(NODES)('node:test on %s', (_, node) => {
  it('tells every outcome, its cause and its lines', async () => {
    const report = await run(project, { coverage: true, node });
    expect(outcomes(report)).toEqual({
      [`${file} > passes`]: 'passed',
      [`${file} > twice`]: 'failed',
      [`${file} > twice #2`]: 'passed',
      [`${file} > by callback`]: 'passed',
      [`${file} > fails by callback`]: 'failed',
      [`${file} > throws text`]: 'failed',
      [`${file} > is skipped`]: 'skipped',
      [`${file} > skips itself`]: 'skipped',
      [`${file} > is still to do`]: 'skipped',
      [`${file} > fails as known`]: 'xfailed',
      [`${file} > no longer fails`]: 'xpassed',
      [`${file} > takes too long`]: 'timeout',
      [`${file} > rejects beside`]: 'failed',
      [`${file} > rejects unseen`]: 'failed',
      [`${file} > named`]: 'passed',
      [`${file} > parent`]: 'failed',
      [`${file} > parent > good`]: 'passed',
      [`${file} > parent > bad`]: 'failed',
      [`${file} > parent > bad > deepest`]: 'failed',
      [`${file} > group > throws`]: 'failed',
      [`${file} > group > late`]: 'passed',
      [`${file} > group > inner > takes none`]: 'passed',
      [`${file} > broken > never starts`]: 'error',
      [`${file} > broken each > never starts`]: 'error',
      [`${file} > down > is torn down badly`]: 'passed',
      [`${file} > side by side > one`]: 'passed',
      [`${file} > side by side > two`]: 'passed',
    });
    expect(byName(report, '> twice').failure).toMatchObject({
      class: 'AssertionError',
      location: `${file}:9`,
      expected: '{a: [1, 4]}',
      actual: '{a: [1, 3]}',
    });
    expect(byName(report, 'group > throws').failure).toMatchObject({
      class: 'RangeError',
      message: 'three',
      frames: ['src/calc.mjs:4', `${file}:41`],
    });
    expect(byName(report, 'fails by callback').failure).toMatchObject({ class: 'TypeError', message: 'called back' });
    expect(byName(report, 'throws text').failure).toMatchObject({ class: 'Error', message: 'text' });
    expect(byName(report, 'rejects beside').failure).toMatchObject({ class: 'Error', message: 'beside' });
    expect(byName(report, '> parent').failure).toMatchObject({ class: 'SubtestsFailed', location: 'src/calc.mjs:4' });
    expect(byName(report, 'broken > never starts').failure).toMatchObject({ message: 'no fixture' });
    expect(byName(report, 'broken each > never starts').failure).toMatchObject({ class: 'RangeError' });
    // line 9 is the fixture of the file: every test shares it; line 12 what tears down after each test of a group
    expect(linesOf(report, 'passes')).toEqual({ 'src/calc.mjs': '2-3,6,9' });
    expect(linesOf(report, 'twice #2')).toEqual({ 'src/calc.mjs': '2,9' });
    expect(linesOf(report, 'by callback')).toEqual({ 'src/calc.mjs': '2-3,6,9' });
    expect(linesOf(report, '> parent')).toEqual({ 'src/calc.mjs': '2-4,6,9' });
    expect(linesOf(report, 'parent > good')).toEqual({ 'src/calc.mjs': '9' });
    expect(linesOf(report, 'deepest')).toEqual({ 'src/calc.mjs': '2-4,9' });
    expect(linesOf(report, 'group > throws')).toEqual({ 'src/calc.mjs': '2-4,9,12' });
    expect(linesOf(report, 'group > late')).toEqual({ 'src/calc.mjs': '9,12', 'src/late.mjs': '4' });
    expect(linesOf(report, 'takes none')).toEqual({ 'src/calc.mjs': '9,12' });
    expect(linesOf(report, 'broken each > never starts')).toEqual({ 'src/calc.mjs': '2-4,9' });
    expect(linesOf(report, 'takes too long')).toEqual({ 'src/calc.mjs': '9' });
    expect(linesOf(report, 'rejects beside')).toEqual({ 'src/calc.mjs': '9' });
    expect(linesOf(report, 'rejects unseen')).toEqual({ 'src/calc.mjs': '9' });
    expect(linesOf(report, 'side > one')).toEqual({ 'src/calc.mjs': '2,9' });
    expect(linesOf(report, 'side > two')).toEqual({ 'src/calc.mjs': '9' });
    expect(byName(report, '> twice').last_lines).toEqual([6, 3, 2].map((line) => `src/calc.mjs:${line}`));
    expect(byName(report, 'group > throws').last_lines).toEqual([4, 3, 2, 9].map((line) => `src/calc.mjs:${line}`));
    expect(byName(report, '> parent').last_lines).toEqual([4, 3, 2, 9, 6].map((line) => `src/calc.mjs:${line}`));
    expect(report.import_coverage).toEqual([
      { file: 'src/calc.mjs', lines: '9' },
      { file: 'src/late.mjs', lines: '1' },
    ]);
    expect(report.collection_errors).toEqual([{ file, message: `TypeError: no tear-down (${file}:60)` }]);
    expect(report.notes).toBeUndefined();
  });

  it('lists without running', async () => {
    const { detection, host } = await hostOf(
      {
        'package.json': MANIFEST,
        'a.test.js': `import test, { before, describe } from 'node:test';
before(() => process.kill(process.pid, 9));
test('a', () => process.kill(process.pid, 9));
describe('s', () => { test.skip('b', () => {}); test('b'); });
`,
        'b.test.cjs': "const { it } = require('node:test');\nit('c', () => {});\n",
      },
      { node },
    );
    expect(await listTests(detection, host)).toEqual({
      tests: [
        { test: 'a.test.js > a', file: 'a.test.js' },
        { test: 'a.test.js > s > b', file: 'a.test.js' },
        { test: 'a.test.js > s > b #2', file: 'a.test.js' },
        { test: 'b.test.cjs > c', file: 'b.test.cjs' },
      ],
      collection_errors: [],
      notes: [],
    });
  });

  it('runs only what is asked for: no hook and no body of others, a parent for its subtest', async () => {
    const deadly = "describe('x', () => { before(() => process.kill(process.pid, 9)); it('y', () => {}); });\n";
    const tests = [`${file} > parent > good`, `${file} > twice #2`, `${file} > nowhere`];
    const files = { ...project, [file]: TESTS + deadly, 'src/noisy.test.mjs': 'process.kill(process.pid, 9);\n' };
    const report = await run(files, { tests, node });
    expect(outcomes(report)).toEqual({
      [`${file} > twice #2`]: 'passed',
      [`${file} > parent > good`]: 'passed',
      [`${file} > nowhere`]: 'not_run',
    });
  });

  it('gives every test an id of its own, however it is named', async () => {
    const names = ['a', 'a #2', 'a', 'a'];
    const body = names.map((name) => `test('${name}', () => {});\n`).join('');
    const files = { 'package.json': MANIFEST, 'x.test.js': `import { test } from 'node:test';\n${body}` };
    const report = await run(files, { node });
    expect(report.tests.map(({ test }) => test)).toEqual(
      ['a', 'a #2', 'a #3', 'a #4'].map((id) => `x.test.js > ${id}`),
    );
  });

  it('takes a parent with all of its subtests', async () => {
    const report = await run(project, { tests: [`${file} > parent`], node });
    expect(outcomes(report)).toEqual({ [`${file} > parent`]: 'failed' });
  });

  const inTheMiddle = (body: string) => ({
    'package.json': MANIFEST,
    'a.test.js': `import { test } from 'node:test';\nimport { one } from './one.js';\ntest('1', () => {});\ntest('2', async () => { one(); ${body} });\ntest('3', () => {});\n`,
    'b.test.js': "import { test } from 'node:test';\ntest('4', () => {});\n",
    'one.js': 'export function one() {\n  return 1;\n}\n',
  });
  const four = (outcome: string) => ({
    'a.test.js > 1': 'passed',
    'a.test.js > 2': outcome,
    'a.test.js > 3': 'passed',
    'b.test.js > 4': 'passed',
  });

  it.each([
    ['is killed', 'process.kill(process.pid, "SIGKILL"); await new Promise(() => {});', 'signal SIGKILL'],
    ['ends itself', 'process.exit(3);', 'exit code 3'],
    ['aborts', 'process.abort();', 'signal SIGABRT'],
  ])('goes on after a test whose process %s', async (_, body, how) => {
    const report = await run(inTheMiddle(body), { coverage: true, node });
    expect(outcomes(report)).toEqual(four('error'));
    expect(byName(report, '> 2').failure).toMatchObject({
      class: 'ProcessEnded',
      message: `The process ended while the test ran: ${how}.`,
    });
    expect(report.notes).toEqual([expect.stringContaining('a.test.js was started again')]);
    if (how === 'exit code 3') expect(linesOf(report, '> 2')).toEqual({ 'one.js': '2' });
  });

  it.each([
    ['blocks', 'for (;;);'],
    ['waits with work to do', 'setInterval(() => {}, 1000); await new Promise(() => {});'],
  ])('ends a test that %s, and goes on', async (_, body) => {
    const report = await run(inTheMiddle(body), { testTimeoutMs: 400, node });
    expect(outcomes(report)).toEqual(four('timeout'));
    expect(byName(report, '> 2').failure?.class).toBe('Timeout');
  });

  it('knows what a test executed that never returns', async () => {
    const report = await run(inTheMiddle('for (;;) one();'), { coverage: true, testTimeoutMs: 400, node });
    expect(outcomes(report)).toEqual(four('timeout'));
    expect(byName(report, '> 2')).toMatchObject({
      coverage: [{ file: 'one.js', lines: '2' }],
      last_lines: ['one.js:2'],
    });
  });

  it('ends a test that hangs where no limit is asked for, and says which one hung at the wall limit', async () => {
    const tests = ['1 () => {}', '2 () => { for (;;); }', '3 () => { for (;;); }', '4 () => {}'];
    const body = tests.map((one) => `test('${one[0]}', ${one.slice(2)});\n`).join('');
    const files = { 'package.json': MANIFEST, 'a.test.js': `import { test } from 'node:test';\n${body}` };
    const report = await run(files, { wallMs: 4000, node });
    expect(Object.values(outcomes(report))).toEqual(['passed', 'timeout', 'timeout', 'not_run']);
    expect(byName(report, '> 2').failure?.message).toContain('after 1000 ms');
  });

  it('leaves a test alone whose parts go on', async () => {
    const wait = 'await new Promise((done) => setTimeout(done, 700));';
    const parts = ['a', 'b', 'c', 'd'].map((name) => `await t.test('${name}', async () => { ${wait} });`).join(' ');
    const files = {
      'package.json': MANIFEST,
      'a.test.js': `import { test } from 'node:test';\ntest('1', async (t) => { ${parts} });\n`,
    };
    const report = await run(files, { wallMs: 4600, node });
    expect(new Set(Object.values(outcomes(report)))).toEqual(new Set(['passed']));
  });

  it('ends a file that lives on after its last test', async () => {
    const files = {
      'package.json': MANIFEST,
      'a.test.js': "import { test } from 'node:test';\nsetInterval(() => {}, 1000);\ntest('1', () => {});\n",
      'b.test.js': "import { test } from 'node:test';\ntest('2', () => {});\n",
    };
    const report = await run(files, { testTimeoutMs: 200, node });
    expect(outcomes(report)).toEqual({ 'a.test.js > 1': 'passed', 'b.test.js > 2': 'passed' });
    expect(report.notes).toEqual(['a.test.js went on after its last test, and its process was ended.']);
  });

  it('reports files that do not load, and errors outside tests', async () => {
    const files = {
      'package.json': MANIFEST,
      'a.test.js':
        "import { test } from 'node:test';\nimport { nothing } from './nowhere.js';\ntest('a', () => nothing());\n",
      'b.test.js': "import { test } from 'node:test';\ntest('b', () => {});\nthrow new Error('while loading');\n",
      'c.test.js': "import { test } from 'node:test';\nlet {\n",
      'd.test.js':
        "import { describe, it } from 'node:test';\ndescribe('s', () => { it('d', () => {}); throw new Error('body'); });\n",
      'e.test.js': "import { test } from 'node:test';\ntest('e', () => {});\n",
    };
    const report = await run(files, { node });
    expect(outcomes(report)).toMatchObject({ 'd.test.js > s > d': 'error', 'e.test.js > e': 'passed' });
    const errors = Object.fromEntries(report.collection_errors.map(({ file, message }) => [file, message]));
    expect(Object.keys(errors).sort()).toEqual(['a.test.js', 'b.test.js', 'c.test.js', 'd.test.js']);
    expect(errors['a.test.js']).toContain('Cannot find module');
    expect(errors['b.test.js']).toBe('Error: while loading (b.test.js:3)');
    expect(errors['c.test.js']).toContain('SyntaxError');
    expect(errors['d.test.js']).toBe('Error: body (d.test.js:2)');
  });

  it('takes a file without tests as one test, as node --test does', async () => {
    const files = {
      'package.json': MANIFEST,
      'test/plain.js':
        "import assert from 'node:assert';\nimport { half } from '../half.js';\nassert.equal(half(4), 2);\n",
      'test/wrong.js':
        "import assert from 'node:assert';\nimport { half } from '../half.js';\nassert.equal(half(4), 3);\n",
      'half.js': 'export function half(n) {\n  return n / 2;\n}\n',
    };
    const report = await run(files, { coverage: true, node });
    expect(outcomes(report)).toEqual({ 'test/plain.js': 'passed', 'test/wrong.js': 'failed' });
    expect(byName(report, 'wrong.js')).toMatchObject({
      failure: { class: 'AssertionError', location: 'test/wrong.js:3', expected: '3', actual: '2' },
      coverage: [{ file: 'half.js', lines: '2' }],
      last_lines: ['half.js:2'],
    });
  });

  it('sees every way to node:test, and keeps what the target sees clean', async () => {
    const files = {
      'package.json': JSON.stringify({ scripts: { test: 'NODE_ENV=test node --test' } }),
      'a.test.cjs': `const test = require('node:test');
const assert = require('node:assert');
test('a', (t) => {
  assert.equal(test, test.test);
  assert.equal(typeof test.mock.fn, 'function');
  assert.deepEqual(process.execArgv, []);
  assert.equal(process.argv[1], __filename);
  assert.equal(require.main, module);
  assert.equal(process.env.NODE_TEST_CONTEXT, 'child-v8');
  assert.equal(process.env.NODE_ENV, 'test');
  assert.deepEqual(Object.keys(process.env).filter((name) => name.startsWith('H_')), []);
  assert.ok(!Object.keys(globalThis).includes('__h'));
});
test.describe('s', () => { test.it('b', () => { test('c', () => {}); }); });
`,
      'b.test.mjs': `import * as all from 'node:test';
import test, { suite, it, mock } from 'node:test';
suite('s', function () { it('a', function (t) { if (t.name !== 'a' || this !== t) throw new Error('no context'); }); });
all.default('b', (t) => { t.mock.timers.enable({ apis: ['setTimeout'] }); });
test('c', async (t) => { t.beforeEach(() => {}); t.after(() => {}); await t.test('d', { concurrency: 2 }, () => {}); });
if (typeof mock.method !== 'function' || all.test !== test) throw new Error('not the same');
const { it: again } = await import('node:test');
again('e', () => {});
`,
    };
    const report = await run(files, { coverage: true, node });
    expect(report.tests.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    expect(report.collection_errors).toEqual([]);
    expect(report.tests.map(({ test }) => test).sort()).toEqual([
      'a.test.cjs > a',
      'a.test.cjs > s > b',
      'a.test.cjs > s > b > c',
      'b.test.mjs > b',
      'b.test.mjs > c',
      'b.test.mjs > c > d',
      'b.test.mjs > e',
      'b.test.mjs > s > a',
    ]);
  });

  it('runs TypeScript by the loader that the script names', async () => {
    const files = {
      'package.json': JSON.stringify({ type: 'module', scripts: { test: 'tsx --test src/*.test.ts' } }),
      'src/calc.ts':
        'export enum Sign { Plus = 1 }\nexport function add(a: number, b: number): number {\n\n  return a + b * Sign.Plus;\n}\n',
      'src/calc.test.ts': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add } from './calc.ts';

interface Unused {
  moves: 'the lines below';
}
test('adds', () => assert.equal(add(1, 1) as number, 3));
`,
    };
    const report = await run(files, { coverage: true, linked: true, node });
    expect(report.tests).toMatchObject([
      {
        test: 'src/calc.test.ts > adds',
        failure: { class: 'AssertionError', location: 'src/calc.test.ts:8', expected: '3', actual: '2' },
        coverage: [{ file: 'src/calc.ts', lines: '4' }],
      },
    ]);
    expect(report.collection_errors).toEqual([]);
  });

  it('runs TypeScript by itself where Node can, else says what is missing', async () => {
    const files = {
      'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
      'a.test.ts': "import { test } from 'node:test';\nconst name: string = 'a';\ntest(name, () => {});\n",
    };
    const report = await run(files, { node });
    expect(report.notes?.[0]).toContain('names no loader');
    if (report.tests.length === 1) expect(outcomes(report)).toEqual({ 'a.test.ts > a': 'passed' });
    else {
      expect(report.collection_errors[0]?.message).toContain('.ts');
      expect(report.notes?.[1]).toContain('does not load TypeScript by itself');
    }
  });

  it('says the same twice but for durations', async () => {
    const strip = (report: TestRunReport) =>
      JSON.stringify({ ...report, tests: report.tests.map(({ duration_ms: _, ...test }) => test) });
    expect(strip(await run(project, { coverage: true, node }))).toBe(
      strip(await run(project, { coverage: true, node })),
    );
  });
});

describe('node:test in a package below the root', () => {
  it('runs in its folder, and names files from the root', async () => {
    const files = {
      'p/a/package.json': MANIFEST,
      'p/a/calc.mjs': CALC,
      'p/a/test/x.mjs':
        "import { test } from 'node:test';\nimport { add } from '../calc.mjs';\ntest('x', () => { add(3, 1); });\n",
      'p/a/test/help.cjs': 'exports.help = () => 1;\n',
    };
    const report = await run(files, { coverage: true, tests: ['p/a/test/x.mjs > x'] });
    expect(report.tests).toMatchObject([
      {
        test: 'p/a/test/x.mjs > x',
        file: 'p/a/test/x.mjs',
        failure: { location: 'p/a/calc.mjs:4' },
        coverage: [{ file: 'p/a/calc.mjs', lines: '2-4' }],
      },
    ]);
  });

  it('is what a detection by hand names', async () => {
    const artifacts = memoryArtifacts();
    const files = { 'odd-name.mjs': "import { test } from 'node:test';\ntest('x', () => {});\n" };
    const detection: Detection = {
      runner: 'node:test',
      cwd: '',
      reason: 'mine',
      evidence: [],
      source_roots: [],
      start_dirs: [],
      test_files: ['odd-name.mjs', 'gone.mjs'],
    };
    const tree = await treeOf(files, artifacts);
    const executor = processExecutor(artifacts);
    const report = await runTests(detection, {
      executor,
      artifacts,
      policy: policy(),
      environment: '0'.repeat(64),
      tree,
    });
    expect(outcomes(report)).toEqual({ 'odd-name.mjs > x': 'passed' });
    expect(report.collection_errors).toEqual([{ file: 'gone.mjs', message: 'Missing: There is no such file.' }]);
  });
});
