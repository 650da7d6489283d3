import { describe, expect, it } from 'vitest';
import { linesOf, listProject, outcomesOf, runProject, testOf } from './javascript-project.ts';

/** Another mocha than the repository's may be named by the folder that holds it: `node_modules` with mocha 10 or 11. */
const packages = process.env.H_TEST_MOCHA_FROM;

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

const TESTS = `const assert = require('node:assert');
const fs = require('node:fs');
const { add, wide } = require('../src/calc');
before(() => { wide({}); });
after(() => { add(3.5, 1); });
it('passes', () => {
  assert.equal(add(1, 2), 3);
});
it('twice', () => {
  assert.deepEqual({ a: [1, add(1, 2)] }, { a: [1, 4] });
});
it('twice', () => {
  process.chdir('/');
  process.stdout.write = () => true;
  for (const name of ['openSync', 'writeSync', 'writeFileSync', 'appendFileSync', 'closeSync'])
    fs[name] = () => { throw new Error('stubbed'); };
  assert.equal(add(200, 2), 198);
});
it('twice #2', () => {});
describe('group', () => {
  it('throws', () => {
    add(3, 1);
  });
  it.skip('is skipped', () => {});
  it('is still to do');
  it('skips itself', function () { this.skip(); });
  for (const n of [1, 2]) it('takes ' + n, () => {});
});
describe('broken', () => {
  before(() => { throw new TypeError('no fixture'); });
  it('never starts', () => {});
});
describe('each', () => {
  beforeEach(() => { throw new TypeError('no start'); });
  it('first', () => {});
  it('second', () => {});
});
describe('torn', () => {
  afterEach(() => { add(200, 1); throw new TypeError('no end'); });
  it('down', () => {});
  it('after it', () => {});
});
describe('later', () => {
  it('late', async () => {
    const { late } = require('../src/late');
    await null;
    assert.equal(late(2), 4);
  });
  it('never ends', function (done) { this.timeout(50); });
  let tries = 0;
  it('flickers', function () {
    this.retries(2);
    tries += 1;
    assert.equal(tries, 2);
  });
});
`;

const project = {
  'package.json': JSON.stringify({ scripts: { test: 'nyc mocha --parallel -R spec "test/**/*.js"' } }),
  '.mocharc.yml': 'require:\n  - ./setup.js\nbail: true\n',
  'setup.js': "require('./src/calc').wide({});\n",
  'src/calc.js': CALC,
  'src/late.js': 'const factor = Number(2);\n\nexports.late = (n) => {\n  return n * factor;\n};\n',
  'test/calc.js': TESTS,
  'test/deep/missing.js': "const nothing = require('./nowhere');\nit('a', () => nothing());\n",
  'test/throws.js': "throw new Error('while loading');\n",
};

describe('mocha', () => {
  it('tells every outcome, its cause and its lines', async () => {
    const report = await runProject(project, { coverage: true, packages });
    const file = 'test/calc.js';
    expect(outcomesOf(report)).toEqual({
      [`${file} > passes`]: 'passed',
      [`${file} > twice`]: 'failed',
      [`${file} > twice #2`]: 'passed',
      [`${file} > twice #2 #2`]: 'passed',
      [`${file} > group > throws`]: 'failed',
      [`${file} > group > is skipped`]: 'skipped',
      [`${file} > group > is still to do`]: 'skipped',
      [`${file} > group > skips itself`]: 'skipped',
      [`${file} > group > takes 1`]: 'passed',
      [`${file} > group > takes 2`]: 'passed',
      [`${file} > broken > never starts`]: 'error',
      [`${file} > each > first`]: 'error',
      [`${file} > each > second`]: 'error',
      [`${file} > torn > down`]: 'error',
      [`${file} > torn > after it`]: 'not_run',
      [`${file} > later > late`]: 'passed',
      [`${file} > later > never ends`]: 'timeout',
      [`${file} > later > flickers`]: 'passed',
    });
    expect(testOf(report, '> twice').failure).toMatchObject({
      class: 'AssertionError',
      location: `${file}:10`,
      expected: '{a: [1, 4]}',
      actual: '{a: [1, 3]}',
    });
    expect(testOf(report, '> throws').failure).toMatchObject({
      class: 'RangeError',
      message: 'three',
      frames: ['src/calc.js:4', `${file}:22`],
    });
    for (const [end, message] of [
      ['never starts', 'no fixture'],
      ['second', 'no start'],
      ['down', 'no end'],
    ] as const)
      expect(testOf(report, end).failure).toMatchObject({ class: 'TypeError', message });
    expect(testOf(report, 'flickers').flaky).toBe(true);
    // line 10 is a fixture of the whole run: every test shares it
    expect(linesOf(report, '> passes')).toEqual({ 'src/calc.js': '2-3,6,10' });
    expect(linesOf(report, '> throws')).toEqual({ 'src/calc.js': '2-4,10' });
    expect(linesOf(report, '> twice #2')).toEqual({ 'src/calc.js': '2,10' });
    expect(linesOf(report, '> down')).toEqual({ 'src/calc.js': '2,10' });
    expect(linesOf(report, '> late')).toEqual({ 'src/calc.js': '10', 'src/late.js': '4' });
    expect(testOf(report, '> throws').last_lines).toEqual([4, 3, 2].map((line) => `src/calc.js:${line}`));
    expect(report.import_coverage).toEqual([
      { file: 'setup.js', lines: '1' },
      { file: 'src/calc.js', lines: '1,9-10' },
      { file: 'src/late.js', lines: '1,3' },
    ]);
    const errors = Object.fromEntries(report.collection_errors.map(({ file, message }) => [file, message]));
    expect(Object.keys(errors).sort()).toEqual(['test/deep/missing.js', 'test/throws.js']);
    expect(errors['test/throws.js']).toBe('Error: while loading (test/throws.js:1)');
  });

  it('runs the others when a test hangs, or its process ends', async () => {
    const files = {
      'package.json': JSON.stringify({ mocha: { spec: ['*.test.js'] } }),
      'spin.js': 'exports.spin = () => {\n  for (;;) {\n    Math.sqrt(2);\n  }\n};\n',
      'a.test.js': "it('1', () => {});\nit('2', () => { require('./spin').spin(); });\nit('3', () => {});\n",
      'b.test.js': "it('4', () => { process.exit(3); });\nit('5', () => {});\n",
      'c.test.js': 'process.exit(4);\n',
      'd.test.js':
        'it(\'6\', () => { console.log(\'\\u001b[31m{"event":"run-end"}\\n\'.repeat(5000)); });\nsetInterval(() => {}, 1000);\n',
    };
    const report = await runProject(files, { coverage: true, testTimeoutMs: 500, packages });
    expect(outcomesOf(report)).toEqual({
      'a.test.js > 1': 'passed',
      'a.test.js > 2': 'timeout',
      'a.test.js > 3': 'passed',
      'b.test.js > 4': 'error',
      'b.test.js > 5': 'passed',
      'd.test.js > 6': 'passed',
    });
    expect(linesOf(report, 'a.test.js > 2')).toEqual({ 'spin.js': '2-3' });
    expect(testOf(report, 'b.test.js > 4').failure?.message).toBe('The process ended while the test ran: exit code 3.');
    expect(report.collection_errors).toEqual([
      { file: 'c.test.js', message: 'ProcessEnded: The process ended while the file was loaded: exit code 4.' },
    ]);
    expect(report.notes).toContain('The process went on after its last test, and was ended.');
  });

  it('lists without running', async () => {
    const files = {
      'package.json': JSON.stringify({ scripts: { test: 'mocha --ui tdd' } }),
      'test/x.js':
        "suite('s', () => { suiteSetup(() => process.exit(9)); test('a', () => {}); test.skip('b', () => {}); });\n",
    };
    expect(await listProject(files, { packages })).toEqual({
      tests: ['a', 'b'].map((name) => ({ test: `test/x.js > s > ${name}`, file: 'test/x.js' })),
      collection_errors: [],
      notes: [],
    });
  });

  it('runs only what is asked for, through a loader of TypeScript, in the folder of its package', async () => {
    const files = {
      'p/package.json': JSON.stringify({ type: 'module', scripts: { test: 'mocha --import=tsx "src/**/*.spec.ts"' } }),
      'p/src/calc.ts':
        'export interface Unused {\n  moves: "lines";\n}\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n',
      'p/src/a.spec.ts': `import { equal } from 'node:assert';
interface Unused {
  moves: 'lines';
}
import { add } from './calc.js';
describe('other', () => { before(() => process.exit(9)); it('x', () => {}); });
describe('own', () => { it('x', () => { equal(add(1, 1), 3); }); it('y', () => process.exit(9)); });
`,
      'p/src/b.spec.ts': 'process.exit(9);\n',
    };
    const tests = ['p/src/a.spec.ts > own > x', 'p/src/a.spec.ts > own > z'];
    const report = await runProject(files, { coverage: true, tests, packages });
    expect(outcomesOf(report)).toEqual({ [tests[0] ?? '']: 'failed', [tests[1] ?? '']: 'not_run' });
    expect(testOf(report, 'own > x').failure?.frames).toEqual(['p/src/a.spec.ts:7']);
    expect(linesOf(report, 'own > x')).toEqual({ 'p/src/calc.ts': '5' });
    expect(report.collection_errors).toEqual([]);
  });
});
