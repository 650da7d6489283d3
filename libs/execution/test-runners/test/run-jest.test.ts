import { describe, expect, it } from 'vitest';
import { linesOf, listProject, outcomesOf, runProject, testOf } from './javascript-project.ts';

/** Another jest than the repository's may be named by the folder that holds it: `node_modules` with jest 29. */
const packages = process.env.H_TEST_JEST_FROM;
const manifest = JSON.stringify({ scripts: { test: 'jest --coverage' }, jest: { maxWorkers: 2 } });

const CALC = `exports.add = (a, b) => {
  if (a > 100) return a - b;
  else if (a === 3) {
    throw new RangeError('three');
  }
  return a + b;
};

exports.wide = function (options) {
  return options.deep;
};
`;

const TESTS = `const { add, wide } = require('./calc');
beforeAll(() => { wide({}); });
afterAll(() => { add(3.5, 1); });
test('passes', () => {
  expect(add(1, 2)).toBe(3);
});
test('twice', () => {
  expect({ a: [1, add(1, 2)] }).toEqual({ a: [1, 4] });
});
test('twice', () => {
  jest.useFakeTimers();
  process.chdir('/');
  process.stdout.write = () => true;
  expect(add(200, 2)).toBe(198);
});
test('twice #2', () => {});
describe('group', () => {
  it('throws', () => {
    add(3, 1);
  });
  it.skip('is skipped', () => {});
  it.todo('is still to do');
  it.failing('fails as known', () => { throw new Error('known'); });
  it.failing('no longer fails', () => {});
  it.each([1, 2])('takes %i', (n) => { expect(n).toBe(n); });
});
describe('broken', () => {
  beforeAll(() => { throw new TypeError('no fixture'); });
  it('never starts', () => {});
});
describe('torn', () => {
  afterEach(() => { throw new TypeError('no end'); });
  it('down', () => { add(200, 1); });
});
describe('later', () => {
  it('late', async () => {
    const { late } = require('./late');
    await null;
    expect(late(2)).toBe(4);
  });
  it('never ends', () => new Promise(() => {}), 50);
  it.concurrent('side', async () => { await null; add(200, 1); });
});
`;

const project = {
  'package.json': manifest,
  'src/calc.js': CALC,
  'src/late.js': 'const factor = Number(2);\n\nexports.late = (n) => {\n  return n * factor;\n};\n',
  'src/calc.test.js': TESTS,
  'src/empty.test.js': '',
  'src/missing.test.js': "const nothing = require('./nowhere');\nit('a', () => nothing());\n",
  'src/throws.test.js': "it('a', () => {});\nthrow new Error('while loading');\n",
};

describe('jest', () => {
  it('tells every outcome, its cause and its lines', async () => {
    const report = await runProject(project, { coverage: true, packages });
    const file = 'src/calc.test.js';
    expect(outcomesOf(report)).toEqual({
      [`${file} > passes`]: 'passed',
      [`${file} > twice`]: 'failed',
      [`${file} > twice #2`]: 'passed',
      [`${file} > twice #2 #2`]: 'passed',
      [`${file} > group > throws`]: 'failed',
      [`${file} > group > is skipped`]: 'skipped',
      [`${file} > group > is still to do`]: 'skipped',
      [`${file} > group > fails as known`]: 'xfailed',
      [`${file} > group > no longer fails`]: 'xpassed',
      [`${file} > group > takes 1`]: 'passed',
      [`${file} > group > takes 2`]: 'passed',
      [`${file} > broken > never starts`]: 'error',
      [`${file} > torn > down`]: 'error',
      [`${file} > later > late`]: 'passed',
      [`${file} > later > never ends`]: 'timeout',
      [`${file} > later > side`]: 'passed',
    });
    expect(testOf(report, '> twice').failure).toMatchObject({
      class: 'JestAssertionError',
      location: `${file}:8`,
      expected: '{a: [1, 4]}',
      actual: '{a: [1, 3]}',
    });
    expect(testOf(report, '> throws').failure).toMatchObject({
      class: 'RangeError',
      message: 'three',
      frames: ['src/calc.js:4', `${file}:19`],
    });
    expect(testOf(report, 'never starts').failure).toMatchObject({ class: 'TypeError', message: 'no fixture' });
    // line 10 is the file's own fixture: every test shares it
    expect(linesOf(report, '> passes')).toEqual({ 'src/calc.js': '2-3,6,10' });
    expect(linesOf(report, '> throws')).toEqual({ 'src/calc.js': '2-4,10' });
    expect(linesOf(report, '> twice #2')).toEqual({ 'src/calc.js': '2,10' });
    expect(linesOf(report, '> down')).toEqual({ 'src/calc.js': '2,10' });
    expect(linesOf(report, '> late')).toEqual({ 'src/calc.js': '10', 'src/late.js': '4' });
    expect(linesOf(report, '> side')).toEqual({ 'src/calc.js': '2,10' });
    expect(testOf(report, '> throws').last_lines).toEqual([4, 3, 2].map((line) => `src/calc.js:${line}`));
    expect(report.import_coverage).toEqual([
      { file: 'src/calc.js', lines: '1,9' },
      { file: 'src/late.js', lines: '1,3' },
    ]);
    const errors = Object.fromEntries(report.collection_errors.map(({ file, message }) => [file, message]));
    expect(Object.keys(errors).sort()).toEqual(['src/empty.test.js', 'src/missing.test.js', 'src/throws.test.js']);
    expect(errors['src/throws.test.js']).toBe('Error: while loading (src/throws.test.js:2)');
    expect(errors['src/missing.test.js']).toContain("Cannot find module './nowhere'");
  });

  it('runs the others when a test hangs, or its process ends', async () => {
    const files = {
      'package.json': manifest,
      'spin.js': 'exports.spin = () => {\n  for (;;) {\n    Math.sqrt(2);\n  }\n};\n',
      'a.test.js': "it('1', () => {});\nit('2', () => { require('./spin').spin(); });\nit('3', () => {});\n",
      'b.test.js': "it('1', () => { process.exit(3); });\nit('2', () => {});\n",
      'c.test.js': 'process.exit(4);\n',
      'd.test.js': 'it(\'1\', () => { console.log(\'\\u001b[31m{"event":"run-end"}\\n\'.repeat(50)); });\n',
    };
    const report = await runProject(files, { coverage: true, testTimeoutMs: 1500, packages });
    expect(outcomesOf(report)).toEqual({
      'a.test.js > 1': 'passed',
      'a.test.js > 2': 'timeout',
      'a.test.js > 3': 'passed',
      'b.test.js > 1': 'error',
      'b.test.js > 2': 'passed',
      'd.test.js > 1': 'passed',
    });
    expect(linesOf(report, 'a.test.js > 2')).toEqual({ 'spin.js': '2-3' });
    expect(testOf(report, 'b.test.js > 1').failure?.message).toBe('The process ended while the test ran: exit code 3.');
    expect(report.collection_errors).toEqual([
      { file: 'c.test.js', message: 'ProcessEnded: The process ended while the file was loaded: exit code 4.' },
    ]);
  });

  it('lists without running', async () => {
    const files = {
      'jest.config.js': "module.exports = { projects: ['<rootDir>/p/*'] };\n",
      'p/a/jest.config.js': "module.exports = { testMatch: ['**/*.check.js'] };\n",
      'p/a/x.check.js':
        "beforeAll(() => process.exit(9));\ndescribe('d', () => { it('a', () => {}); it.skip('b', () => {}); });\n",
      'p/b/package.json': '{"jest":{"displayName":"b"}}',
      'p/b/y.test.js': "test('c', () => process.exit(9));\n",
    };
    const test = (name: string) => ({ test: name, file: name.split(' > ', 1)[0] });
    expect(await listProject(files, { packages })).toEqual({
      tests: ['p/a/x.check.js > d > a', 'p/a/x.check.js > d > b', 'p/b/y.test.js > c'].map(test),
      collection_errors: [],
      notes: [],
    });
  });

  it('runs only what is asked for, in modules of ECMAScript, and no hook of other suites', async () => {
    const script = "NODE_OPTIONS='--experimental-vm-modules --no-warnings' jest";
    const files = {
      'package.json': JSON.stringify({ type: 'module', scripts: { test: script }, jest: { transform: {} } }),
      'calc.js': 'export function add(a, b) {\n  return a + b;\n}\n',
      'a.test.js': `import { add } from './calc.js';
describe('other', () => { beforeAll(() => process.exit(9)); it('x', () => {}); });
describe('own', () => { it('x', () => { expect(add(1, 1)).toBe(3); }); it('y', () => process.exit(9)); });
`,
      'b.test.js': 'process.exit(9);\n',
    };
    const tests = ['a.test.js > own > x', 'a.test.js > own > z'];
    const report = await runProject(files, { coverage: true, tests, packages });
    expect(outcomesOf(report)).toEqual({ [tests[0] ?? '']: 'failed', [tests[1] ?? '']: 'not_run' });
    expect(testOf(report, 'own > x').failure?.frames).toEqual(['a.test.js:3']);
    expect(linesOf(report, 'own > x')).toEqual({ 'calc.js': '2' });
    expect(report.collection_errors).toEqual([]);
  });
});
