import { join } from 'node:path';
import { memoryArtifacts, parseRecord, type TestRunReport, TestRunReport as TestRunReportSchema } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { detectRunners, listTests, type RunTestsOptions, runTests } from '../src/index.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

/** Another vitest than the repository's may be named by the folder that holds it, to check older majors by hand. */
const packages = process.env.H_TEST_VITEST_FROM ?? join(import.meta.dirname, '../../../../node_modules');

interface Setting {
  readonly wallMs?: number;
  readonly at?: string;
}

async function hostOf(files: Record<string, string>, { wallMs = 60_000, at = 'node_modules' }: Setting = {}) {
  const artifacts = memoryArtifacts();
  const manifest = JSON.stringify({ type: 'module', scripts: { test: 'vitest run' } });
  const all = Object.keys(files).some((path) => path.endsWith('package.json'))
    ? files
    : { 'package.json': manifest, ...files };
  const [detection] = await detectRunners(readerOf(all));
  if (detection === undefined) throw new Error('no runner found');
  const executor = processExecutor(artifacts, [{ at, target: packages }]);
  const tree = await treeOf(all, artifacts);
  const node = process.execPath;
  return {
    detection,
    host: { executor, artifacts, policy: policy({ wall_ms: wallMs }), environment: '0'.repeat(64), tree, node },
  };
}

async function run(files: Record<string, string>, options: RunTestsOptions & Setting = {}) {
  const { detection, host } = await hostOf(files, options);
  return parseRecord(TestRunReportSchema, await runTests(detection, host, options));
}

const outcomes = (report: TestRunReport) =>
  Object.fromEntries(report.tests.map(({ test, outcome }) => [test, outcome]));
const byName = (report: TestRunReport, end: string) => {
  const found = report.tests.find(({ test }) => test.endsWith(end));
  if (found === undefined) throw new Error(`no ${end}`);
  return found;
};
const linesOf = (report: TestRunReport, end: string) =>
  Object.fromEntries((byName(report, end).coverage ?? []).map(({ file, lines }) => [file, lines]));

const CALC = `interface Options {
  deep: boolean;
}

export function add(a: number, b: number): number {
  if (a > 100) return a - b;
  else if (a === 3) {
    throw new RangeError('three');
  }
  for (let i = 0; i < 1; i += 1) {
    b += 0;
  }
  return a + b;
}

export const wide = (options: Options) => options.deep;
`;

const TESTS = `import { beforeAll, afterAll, describe, expect, it, test } from 'vitest';
import { add, wide } from './calc';

interface Unused {
  moves: 'the lines below';
}

beforeAll(() => {
  wide({ deep: true });
});
afterAll(() => {
  add(3, 3);
});

test('passes', () => {
  expect(add(1, 2)).toBe(3);
});
test('twice', () => {
  expect({ a: [1, add(1, 2)] }).toEqual({ a: [1, 4] });
});
test('twice', () => {
  expect(add(200, 2)).toBe(198);
});
test('twice #2', () => {});

describe('group', () => {
  it('throws', () => {
    add(3, 1);
  });
  it.skip('is skipped', () => {});
  it.todo('is still to do');
  it('skips itself', (context) => context.skip());
  it.fails('fails as known', () => {
    throw new Error('known');
  });
  it.fails('no longer fails', () => {});
  it.each([1, 2])('takes %i', (n) => {
    expect(n).toBe(n);
  });
  it('is odd', () => {
    expect({ get boom() { throw new Error('getter'); } }).toBe(3);
  });
});

describe('broken', () => {
  beforeAll(() => {
    throw new TypeError('no fixture');
  });
  it('never starts', () => {});
});

describe('down', () => {
  it('is torn down badly', () => {});
  it('late', async () => {
    const { late } = await import('./late');
    expect(late(2)).toBe(4);
  });
});

let tries = 0;
it('flickers', { retry: 2 }, () => {
  tries += 1;
  expect(tries).toBe(2);
});
it.concurrent('side', async () => {
  await new Promise((done) => setTimeout(done, 20));
  add(200, 1);
  await new Promise((done) => setTimeout(done, 20));
});
it.concurrent('by side', async () => {
  await new Promise((done) => setTimeout(done, 40));
});
`;

const project = {
  'src/calc.ts': CALC,
  'src/late.ts': 'export const factor = Number(2);\n\nexport function late(n: number) {\n  return n * factor;\n}\n',
  'src/calc.test.ts': TESTS,
  'src/missing.test.ts':
    "import { it } from 'vitest';\nimport { nothing } from './nowhere';\nit('a', () => nothing());\n",
  'src/throws.test.ts': "import { it } from 'vitest';\nthrow new Error('while loading');\n",
};

describe('vitest', () => {
  it('tells every outcome, its cause and its lines', async () => {
    const report = await run(project, { coverage: true });
    const file = 'src/calc.test.ts';
    expect(outcomes(report)).toEqual({
      [`${file} > passes`]: 'passed',
      [`${file} > twice`]: 'failed',
      [`${file} > twice #2`]: 'passed',
      [`${file} > twice #2 #2`]: 'passed',
      [`${file} > group > throws`]: 'failed',
      [`${file} > group > is skipped`]: 'skipped',
      [`${file} > group > is still to do`]: 'skipped',
      [`${file} > group > skips itself`]: 'skipped',
      [`${file} > group > fails as known`]: 'xfailed',
      [`${file} > group > no longer fails`]: 'xpassed',
      [`${file} > group > takes 1`]: 'passed',
      [`${file} > group > takes 2`]: 'passed',
      [`${file} > group > is odd`]: 'failed',
      [`${file} > broken > never starts`]: 'error',
      [`${file} > down > is torn down badly`]: 'passed',
      [`${file} > down > late`]: 'passed',
      [`${file} > flickers`]: 'passed',
      [`${file} > side`]: 'passed',
      [`${file} > by side`]: 'passed',
    });
    expect(byName(report, '> twice').failure).toMatchObject({
      class: 'AssertionError',
      location: `${file}:19`,
      expected: '{a: [1, 4]}',
      actual: '{a: [1, 3]}',
    });
    expect(byName(report, 'throws').failure).toMatchObject({
      class: 'RangeError',
      message: 'three',
      frames: ['src/calc.ts:8', `${file}:28`],
    });
    expect(byName(report, 'is odd').failure).not.toHaveProperty('actual', expect.stringContaining('getter'));
    expect(byName(report, 'never starts').failure).toMatchObject({ class: 'TypeError', message: 'no fixture' });
    expect(byName(report, 'flickers').flaky).toBe(true);
    // line 16 is the file's own fixture: every test shares it
    expect(linesOf(report, 'passes')).toEqual({ 'src/calc.ts': '6-7,10-11,13,16' });
    expect(linesOf(report, 'throws')).toEqual({ 'src/calc.ts': '6-8,16' });
    expect(linesOf(report, 'twice #2')).toEqual({ 'src/calc.ts': '6,16' });
    expect(linesOf(report, '> late')).toEqual({ 'src/calc.ts': '16', 'src/late.ts': '4' });
    expect(linesOf(report, '> side')).toEqual({ 'src/calc.ts': '6,16' });
    expect(linesOf(report, 'by side')).toEqual({ 'src/calc.ts': '16' });
    expect(byName(report, '> twice').last_lines).toEqual([13, 10, 11, 7, 6].map((line) => `src/calc.ts:${line}`));
    expect(report.import_coverage).toEqual([
      { file: 'src/calc.ts', lines: '16' },
      { file: 'src/late.ts', lines: '1' },
    ]);
    const errors = Object.fromEntries(report.collection_errors.map(({ file, message }) => [file, message]));
    expect(errors['src/calc.test.ts']).toContain('RangeError: three'); // its last hook
    expect(Object.keys(errors).sort()).toEqual(['src/calc.test.ts', 'src/missing.test.ts', 'src/throws.test.ts']);
    expect(errors['src/throws.test.ts']).toBe('Error: while loading (src/throws.test.ts:2)');
  });

  it('lists without running', async () => {
    const { detection, host } = await hostOf({
      'a.test.ts':
        "import { beforeAll, it } from 'vitest';\nbeforeAll(() => { process.kill(process.pid, 9); });\nit('a', () => {});\nit.skip('b', () => {});\n",
    });
    expect(await listTests(detection, host)).toEqual({
      tests: ['a', 'b'].map((name) => ({ test: `a.test.ts > ${name}`, file: 'a.test.ts' })),
      collection_errors: [],
      notes: [],
    });
  });

  it('runs only what is asked for, and no hook of other suites', async () => {
    const tests = ['src/calc.test.ts > group > takes 2', 'src/calc.test.ts > nowhere'];
    const files = { ...project, 'src/noisy.test.ts': 'process.kill(process.pid, 9);\n' };
    const report = await run(files, { tests });
    expect(outcomes(report)).toEqual({ [tests[0] ?? '']: 'passed', [tests[1] ?? '']: 'not_run' });
    expect(report.collection_errors).toEqual([
      { file: 'src/calc.test.ts', message: expect.stringContaining('RangeError: three') },
    ]);
  });

  const three = (outcome: string) => ({
    'a.test.ts > 1': 'passed',
    'a.test.ts > 2': outcome,
    'a.test.ts > 3': 'passed',
  });
  const deadly = (body: string) => ({
    'a.test.ts': `import { it } from 'vitest';\nit('1', () => {});\nit('2', async () => { ${body} });\nit('3', () => {});\n`,
  });

  it('says which test a killed worker was in', async () => {
    const report = await run(deadly('process.kill(process.pid, "SIGKILL"); await new Promise(() => {});'), {
      wallMs: 20_000,
    });
    expect(outcomes(report)).toEqual(three('error'));
  });

  it('ends a test that hangs, and goes on', async () => {
    const report = await run(deadly('for (;;);'), { testTimeoutMs: 1000 });
    expect(outcomes(report)).toEqual(three('timeout'));
    expect(outcomes(await run(deadly('await new Promise(() => {});'), { testTimeoutMs: 300 }))).toEqual(
      three('timeout'),
    );
  });

  it('takes process.exit as vitest does: the test failed', async () => {
    const report = await run(deadly('process.exit(3);'));
    expect(byName(report, '> 2').outcome).toBe('failed');
    expect(byName(report, '> 3').outcome).toBe('passed');
  });

  it('reports errors outside tests', async () => {
    const report = await run({
      'a.test.ts': "import { it } from 'vitest';\nit('a', () => { Promise.reject(new TypeError('stray')); });\n",
    });
    expect(report.tests[0]?.outcome).toBe('passed');
    expect(report.collection_errors[0]?.message).toContain('TypeError: stray');
  });

  it('runs in the folder of its package, and names files from the root', async () => {
    const files = {
      'p/a/package.json': JSON.stringify({ type: 'module', scripts: { test: 'vitest' } }),
      'p/a/calc.ts': CALC,
      'p/a/test/x.test.ts':
        "import { expect, it } from 'vitest';\nimport { add } from '../calc';\nit('x', () => { expect(add(1, 1)).toBe(3); });\n",
      'p/a/test/y.test.ts': 'process.kill(process.pid, 9);\n',
    };
    const report = await run(files, { coverage: true, tests: ['p/a/test/x.test.ts > x'] });
    expect(report.tests).toMatchObject([
      {
        test: 'p/a/test/x.test.ts > x',
        file: 'p/a/test/x.test.ts',
        failure: { location: 'p/a/test/x.test.ts:3' },
        coverage: [{ file: 'p/a/calc.ts', lines: '6-7,10-11,13' }],
      },
    ]);
  });

  it.each(['forks', 'threads', 'vmThreads'])('covers in the pool %s', async (pool) => {
    const files = {
      'vitest.config.ts': `export default { test: { pool: '${pool}', setupFiles: './setup.ts' } };\n`,
      'setup.ts': "import { wide } from './calc';\nwide({ deep: true });\n",
      'calc.ts': CALC,
      ...Object.fromEntries(
        ['a', 'b'].map((name) => [
          `${name}.test.ts`,
          "import { expect, it } from 'vitest';\nimport { add } from './calc';\nit('x', () => { expect(add(1, 1)).toBe(2); });\n",
        ]),
      ),
    };
    const report = await run(files, { coverage: true });
    const lines = [{ file: 'calc.ts', lines: '6-7,10-11,13' }];
    const sorted = [...report.tests].sort((a, b) => (a.test < b.test ? -1 : 1));
    expect(sorted).toMatchObject(
      ['a', 'b'].map((name) => ({ test: `${name}.test.ts > x`, outcome: 'passed', coverage: lines })),
    );
    expect(report.import_coverage?.map(({ file }) => file)).toEqual(['calc.ts', 'setup.ts']);
  });

  it('runs where the configuration has another root, and coverage of its own', async () => {
    const config =
      "export default { root: './app', test: { coverage: { enabled: true, provider: 'custom', customProviderModule: 'nowhere' } } };\n";
    const test =
      "import { expect, it } from 'vitest';\nimport { add } from '../calc';\nit('x', () => { expect(add(1, 1)).toBe(3); });\n";
    const report = await run(
      { 'vitest.config.ts': config, 'app/calc.ts': CALC, 'app/in/x.test.ts': test },
      { coverage: true, tests: ['app/in/x.test.ts > x'] },
    );
    expect(report.tests).toMatchObject([
      {
        file: 'app/in/x.test.ts',
        outcome: 'failed',
        failure: { location: 'app/in/x.test.ts:3' },
        coverage: [{ file: 'app/calc.ts', lines: '6-7,10-11,13' }],
      },
    ]);
  });

  it('covers projects of one configuration', async () => {
    const body =
      "import { expect, it } from 'vitest';\nimport { add } from '../calc';\nit('x', () => { expect(add(1, 1)).toBe(2); });\n";
    const config =
      "projects: [{ test: { name: 'a', include: ['a/*.test.ts'] } }, { test: { name: 'b', include: ['b/*.test.ts'] } }]";
    const files = {
      'vitest.config.ts': `export default { test: { ${config} } };\n`,
      'calc.ts': CALC,
      'a/x.test.ts': body,
      'b/x.test.ts': body,
    };
    const report = await run(files, { coverage: true });
    expect(report.tests.map(({ test, coverage }) => [test, coverage?.length]).sort()).toEqual([
      ['a/x.test.ts > x', 1],
      ['b/x.test.ts > x', 1],
    ]);
  });

  it('runs TypeScript of every kind with probes', async () => {
    const source = `export abstract class Shape { constructor(protected readonly size: number, public label?: string) {} abstract area(): number; }
export class Square extends Shape { list: number[] = [1]; fn = (x: number): number => x + this.list.length; constructor(public own: string) { super(2, own); if (this.own) this.list.push(2); else this.list = [] } area() { return this.size ** 2 } }
export enum Level { Low, High = 5 }
export namespace Outer { export const x = 1; export namespace Inner { export function y() { return x } } }
export function over(a: string): string;
export function over(a: any): any { if (a) return a + '!'
  else return '' }
`;
    const test = `import { expect, it } from 'vitest';
import { Level, Outer, over, Square } from './kinds';
it('x', () => { const s = new Square('o'); expect([s.fn(1), s.label, s.own, s.area(), Level[5], Outer.Inner.y(), over('a'), over('')]).toEqual([3, 'o', 'o', 4, 'High', 1, 'a!', '']); });
`;
    const report = await run({ 'kinds.ts': source, 'kinds.test.ts': test }, { coverage: true });
    expect(report.tests).toMatchObject([{ outcome: 'passed', coverage: [{ file: 'kinds.ts', lines: '2,4,6-7' }] }]);
  });

  it('keeps what the target sees clean', async () => {
    const code = `import { expect, it } from 'vitest';
it('x', () => {
  expect(Object.keys(process.env).filter((name) => name.startsWith('H_'))).toEqual([]);
  expect(Object.keys(globalThis)).not.toContain('__h');
});
`;
    expect(outcomes(await run({ 'a.test.ts': code, 'b.ts': 'export const b = 1;\n' }, { coverage: true }))).toEqual({
      'a.test.ts > x': 'passed',
    });
  });

  it('says the same twice but for durations', async () => {
    const strip = (report: TestRunReport) =>
      JSON.stringify({
        ...report,
        tests: report.tests.map(({ duration_ms: _, ...test }) => test).sort((a, b) => (a.test < b.test ? -1 : 1)),
      });
    const files = { 'src/calc.ts': CALC, 'src/calc.test.ts': TESTS, 'src/late.ts': project['src/late.ts'] };
    expect(strip(await run(files, { coverage: true }))).toBe(strip(await run(files, { coverage: true })));
  });
});
