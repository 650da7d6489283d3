// What belongs to no test, or to one only later: the runner itself says so, and so must the report.
import { describe, expect, it } from 'vitest';
import { outcomesOf, runProject, testOf } from './javascript-project.ts';

const jest = { 'package.json': JSON.stringify({ scripts: { test: 'jest' } }) };
const mocha = { 'package.json': JSON.stringify({ scripts: { test: 'mocha *.test.js' } }) };
const vitest = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'vitest run' }, devDependencies: { vitest: '*' } }),
  'vitest.config.js': 'export default { test: { globals: true } };\n',
};
const nodeTest = { 'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }) };
const WAIT = "test('wait', () => new Promise((r) => setTimeout(r, 80)));\n";
const NODE = "import { describe, it, test } from 'node:test';\n";

describe('jest', () => {
  it.each([
    ['throws', "setTimeout(() => { throw new Error('late'); }, 5)"],
    ['rejects', "void Promise.reject(new Error('late'))"],
    ['rejects later', "setTimeout(() => { Promise.reject(new Error('late')); }, 5)"],
  ])('fails a test that %s after its end, as jest does', async (_, body) => {
    const report = await runProject({ ...jest, 'a.test.js': `test('late', () => { ${body}; });\n${WAIT}` });
    expect(outcomesOf(report)).toEqual({ 'a.test.js > late': 'failed', 'a.test.js > wait': 'passed' });
    expect(testOf(report, '> late').failure?.message).toBe('late');
    expect(report.collection_errors).toEqual([]);
  });

  it('tells an error after the last test, and an exit code', async () => {
    const report = await runProject({
      ...jest,
      'a.test.js': "test('x', () => { setTimeout(() => { throw new Error('late'); }, 1); });\n",
      'b.test.js': "test('y', () => {});\n",
    });
    expect(report.collection_errors.map(({ message }) => message)).toEqual([expect.stringContaining('Error: late')]);
    expect(testOf(report, '> y').outcome).toBe('passed');
    const other = await runProject({ ...jest, 'a.test.js': "test('x', () => { process.exitCode = 3; });\n" });
    expect(outcomesOf(other)).toEqual({ 'a.test.js > x': 'passed' });
    expect(other.collection_errors).toEqual([{ message: expect.stringContaining('exit code 3') }]);
  });
});

describe('jest with one test', () => {
  it('tells why a process ended after its only test', async () => {
    const report = await runProject({
      ...jest,
      'a.test.js': "test('x', () => { Promise.reject(new Error('late')); });\n",
    });
    const said = [...report.collection_errors, ...report.tests.map(({ failure }) => failure ?? { message: '' })];
    expect(said.map(({ message }) => message).join()).toContain('late');
  });
});

describe('vitest', () => {
  it('tells what fails after the tests of a suite', async () => {
    const report = await runProject({
      ...vitest,
      'a.test.js': "describe('s', () => { afterAll(() => { throw new Error('aa'); }); it('x', () => {}); });\n",
      'b.test.js':
        "beforeAll(() => () => { throw new Error('bb'); }); it('x', () => {});\ndescribe('t', () => { beforeAll(() => { throw new Error('cc'); }); afterAll(() => { throw new Error('dd'); }); it('y', () => {}); });\n",
    });
    expect(outcomesOf(report)).toEqual({
      'a.test.js > s > x': 'passed',
      'b.test.js > x': 'passed',
      'b.test.js > t > y': 'error',
    });
    const told = report.collection_errors.map(({ file, message }) => `${file} ${message.replace(/ \(.*/, '')}`).sort();
    expect(told).toEqual(['a.test.js Error: aa', 'b.test.js Error: bb', 'b.test.js Error: dd']);
  });

  it('keeps an error of nobody when the run is started again', async () => {
    const report = await runProject(
      {
        ...vitest,
        'a.test.js':
          "it('x', async () => { Promise.reject(new Error('unh')); await new Promise((r) => setTimeout(r, 50)); });\n",
        'b.test.js': "it('spins', async () => { await new Promise((r) => setTimeout(r, 500)); for (;;); });\n",
      },
      { testTimeoutMs: 1500 },
    );
    expect(testOf(report, '> spins').outcome).toBe('timeout');
    expect(report.collection_errors).toEqual([{ file: 'a.test.js', message: expect.stringContaining('Error: unh') }]);
  });

  it('tells an exit code', async () => {
    const report = await runProject({ ...vitest, 'a.test.js': "it('x', () => { process.exitCode = 3; });\n" });
    expect(outcomesOf(report)).toEqual({ 'a.test.js > x': 'passed' });
  });
});

describe('mocha', () => {
  it('has no test of a file that throws inside a suite, and the others whole', async () => {
    const report = await runProject({
      ...mocha,
      'a.test.js':
        "before(() => { process.exit(5); });\ndescribe('s', () => { it('x', () => {}); throw new Error('top'); });\n",
      'b.test.js': "describe('t', () => { it('y', () => {}); });\n",
    });
    expect(outcomesOf(report)).toEqual({ 'b.test.js > t > y': 'passed' });
    expect(report.collection_errors).toEqual([{ file: 'a.test.js', message: 'Error: top (a.test.js:2)' }]);
  });

  it('tells a hook that fails after the tests, and an exit code', async () => {
    const report = await runProject({
      ...mocha,
      'a.test.js': "describe('s', () => { after(() => { throw new Error('aa'); }); it('x', () => {}); });\n",
    });
    expect(outcomesOf(report)).toEqual({ 'a.test.js > s > x': 'passed' });
    expect(report.collection_errors).toEqual([{ file: 'a.test.js', message: 'Error: aa (a.test.js:1)' }]);
  });
});

describe('node:test', () => {
  it.each([
    ['a rejection', "Promise.reject(new Error('unh'))", 'Error: unh'],
    ['an exit code', 'process.exitCode = 3', 'exit code 3'],
  ])('tells %s that is of no test', async (_, body, message) => {
    const report = await runProject({ ...nodeTest, 'a.test.js': `${NODE}test('x', () => { ${body}; });\n` });
    const said = [...report.collection_errors, ...report.tests.map(({ failure }) => failure ?? { message: '' })];
    expect(said.map((one) => ('class' in one ? `${one.class}: ${one.message}` : one.message)).join()).toContain(
      message,
    );
  });

  it('tells a hook of the whole file that fails after its tests', async () => {
    const text = `${NODE.replace('test }', 'test, after }')}after(() => { throw new Error('aa'); });\ntest('x', () => {});\n`;
    const report = await runProject({ ...nodeTest, 'a.test.js': text });
    expect(outcomesOf(report)).toEqual({ 'a.test.js > x': 'passed' });
    expect(report.collection_errors).toEqual([{ file: 'a.test.js', message: 'Error: aa (a.test.js:2)' }]);
    expect(report.notes).toBeUndefined();
  });

  it('says nothing of a rejection that the test has', async () => {
    const body = "async () => { Promise.reject(new Error('own')); await new Promise((r) => setTimeout(r, 50)); }";
    const report = await runProject({ ...nodeTest, 'a.test.js': `${NODE}test('x', ${body});\ntest('y', () => {});\n` });
    expect(outcomesOf(report)).toEqual({ 'a.test.js > x': 'failed', 'a.test.js > y': 'passed' });
    expect(report.collection_errors).toEqual([]);
  });

  it('calls a test that hung late, also where a later one ends the process', async () => {
    const report = await runProject(
      {
        ...nodeTest,
        'a.test.js': `${NODE}it('hang', () => new Promise(() => { setInterval(() => {}, 1000); }));\nit('exit', () => process.exit(0));\n`,
      },
      { testTimeoutMs: 800 },
    );
    expect(outcomesOf(report)).toEqual({ 'a.test.js > hang': 'timeout', 'a.test.js > exit': 'error' });
  });
});

describe.each([
  ['jest', jest, ''],
  ['mocha', mocha, ''],
  ['vitest', vitest, ''],
  ['node:test', nodeTest, NODE],
])('%s', (_, files, head) => {
  it('knows no dependencies of a test that ended its process', async () => {
    const report = await runProject(
      {
        ...files,
        'a.test.js': `${head}it('dies', () => { process.kill(process.pid, 'SIGKILL'); });\nit('exits', () => { process.exit(0); });\n`,
      },
      { coverage: true },
    );
    for (const { test, dependencies, failure } of report.tests) {
      if (failure?.class !== 'ProcessEnded') continue; // vitest keeps the process from ending itself
      expect(dependencies?.complete, test).toBe(false);
      expect(dependencies?.why_incomplete?.join(), test).toContain('its process ended');
    }
    expect(report.tests.length).toBe(2);
  });
});
