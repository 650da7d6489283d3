import { memoryArtifacts, parseRecord, type TestRunReport, TestRunReport as TestRunReportSchema } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import {
  type CommandTest,
  commandDetections,
  createSuiteRunner,
  detectRunners,
  planTest,
  type RunTestsOptions,
  runSuite,
} from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

/** Python changed what a program sees in 3.9 and 3.11; two versions between show nothing more. */
const pythons = findPythons().filter(({ version }) => !['3.10', '3.12'].includes(version));
const python = pythons[0]?.executable ?? 'python3';

interface Setting extends RunTestsOptions {
  readonly python?: string;
  readonly wallMs?: number;
}

async function hostOf(files: Record<string, string>, { wallMs = 30_000, python: named = python }: Setting = {}) {
  const artifacts = memoryArtifacts();
  return {
    executor: processExecutor(artifacts),
    artifacts,
    policy: policy({ wall_ms: wallMs }),
    environment: '0'.repeat(64),
    tree: await treeOf(files, artifacts),
    node: process.execPath,
    python: named,
  };
}

async function run(files: Record<string, string>, commands: CommandTest[], options: Setting = {}) {
  return parseRecord(
    TestRunReportSchema,
    await runSuite(commandDetections(commands), await hostOf(files, options), options),
  );
}

const only = (report: TestRunReport) => report.tests[0];

const PYTHON = {
  'src/shop/__init__.py': '',
  'src/shop/cart.py': `RATE = int('2')


def total(prices):
    if not prices:
        return None
    return sum(prices) * RATE


def broken(prices):
    return total(prices) + 1
`,
  'repro.py': `import sys
sys.path.insert(0, 'src')
from shop.cart import broken

assert len(sys.argv) == 2
broken([])
`,
  'test_shop.py': `import sys, unittest
sys.path.insert(0, 'src')
from shop.cart import broken, total


class Shop(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1]), 2)

    def test_broken(self):
        self.assertEqual(broken([1, 2]), 7)
`,
};

describe.each(pythons.map(({ version, executable }) => [version, executable]))('a command of Python %s', (_, named) => {
  it('fails with its exit code, its trace, its statements', async () => {
    const commands = [{ label: 'the cart', argv: ['python', 'repro.py', 'x'] }];
    const report = await run(PYTHON, commands, { coverage: true, python: named });
    expect(report).toMatchObject({
      runner: 'command',
      tests: [
        {
          test: 'the cart',
          file: 'repro.py',
          outcome: 'failed',
          failure: {
            class: 'ExitCode',
            message: expect.stringMatching(/^exit code 1\n[\s\S]*TypeError: unsupported operand/),
            location: 'src/shop/cart.py:11',
            frames: ['src/shop/cart.py:11', 'repro.py:6'],
          },
          coverage: [{ file: 'src/shop/cart.py', lines: '5-6,11' }],
          last_lines: ['src/shop/cart.py:6', 'src/shop/cart.py:5', 'src/shop/cart.py:11'],
        },
      ],
      import_coverage: [{ file: 'src/shop/cart.py', lines: '1,4,10' }],
    });
    const plain = await run(PYTHON, commands, { python: named });
    expect(only(plain)?.failure).toEqual(only(report)?.failure);
    expect(only(plain)).not.toHaveProperty('coverage');
  });

  it.each([
    ['a script', ['python', 'look.py', 'a', '-b']],
    ['a script in a folder', ['python', 'sub/look.py']],
    ['a module', ['python', '-m', 'pkg', 'z']],
    ['code', ['python', '-c', 'import sys; print(sys.argv, repr(sys.path[0]), list(globals())); sys.exit(3)', '5']],
    ['isolated', ['python', '-I', 'look.py']],
    ['an exception', ['python', 'raise.py']],
    ['a message', ['python', '-c', 'raise SystemExit("why")']],
    ['a syntax error', ['python', 'syntax.py']],
    ['nothing', ['python', 'nowhere.py']],
  ])('sees and says what it would without an agent: %s', async (_, argv) => {
    const look = `import os, sys
print(sorted(globals()), __name__, __spec__ and __spec__.name, __package__, os.path.basename(__file__))
print(sys.argv[1:], os.path.relpath(sys.argv[0]), [os.path.relpath(p) if p.startswith(os.getcwd()) else p for p in sys.path])
print(sys.modules['__main__'].__dict__ is globals(), [n for n in os.environ if n.startswith('H_') or n == 'PYTHONPATH'])
sys.exit(9)
`;
    const files = {
      'look.py': look,
      'sub/look.py': look,
      'pkg/__init__.py': '',
      'pkg/part.py': '',
      'pkg/__main__.py': `from . import part\n${look}`,
      'raise.py': 'def f(n):\n    if n:\n        f(n - 1)\n    raise ValueError(n)\n\n\nf(2)\n',
      'syntax.py': 'def f(:\n',
    };
    const host = await hostOf(files, { python: named });
    const message = async (argv: string[]) => {
      const report = await runSuite(commandDetections([{ label: 'x', argv }]), host, { coverage: true });
      return only(report)
        ?.failure?.message.replace(/\/tmp\/h-test-\w+/g, 'HERE')
        .replaceAll(named, 'python');
    };
    // under `env` a command is no Python program, and gets no agent
    expect(await message(argv)).toBe(await message(['env', named, ...argv.slice(1)]));
  });
});

const NODE = {
  'package.json': '{"type":"module"}',
  'lib/cart.js': `export const RATE = Number(2);
export function total(prices) {
  if (prices.length === 0) return null;
  return prices.reduce((sum, price) => sum + price) * RATE;
}
`,
  'repro.js': `import { total } from './lib/cart.js';
if (process.execArgv.length > 0 || process.argv[2] !== 'x') process.exit(40);
total([]).toFixed();
`,
};

describe('a command', () => {
  it('of Node fails with its exit code, its stack, its statements', async () => {
    const report = await run(NODE, [{ label: 'cart', argv: ['node', 'repro.js', 'x'] }], { coverage: true });
    expect(report).toMatchObject({
      tests: [
        {
          test: 'cart',
          file: 'repro.js',
          outcome: 'failed',
          failure: {
            class: 'ExitCode',
            message: expect.stringMatching(
              /^exit code 1\nrepro.js:3\n[\s\S]*TypeError: Cannot read properties of null/,
            ),
            location: 'repro.js:3',
            frames: ['repro.js:3'],
          },
          coverage: [{ file: 'lib/cart.js', lines: '3' }],
          last_lines: ['lib/cart.js:3', 'lib/cart.js:1'],
        },
      ],
      import_coverage: [{ file: 'lib/cart.js', lines: '1' }],
    });
  });

  it.each<[string, string[], string, string]>([
    ['passes with 0', ['sh', '-c', 'exit 0'], 'passed', ''],
    ['fails with any other code', ['sh', '-c', 'echo out; echo why >&2; exit 4'], 'failed', 'exit code 4\nwhy'],
    ['fails by a signal', ['sh', '-c', 'echo out; kill -SEGV $$'], 'failed', 'signal (SIGSEGV)\nout'],
    ['is an error when there is no such program', ['h-no-such-program'], 'error', 'exit code 127'],
    ['is an error when the shell finds none', ['sh', '-c', 'h-no-such-program'], 'error', 'exit code 127'],
    ['does not see colours', ['sh', '-c', "printf '\\033[31mred\\033[0m'; exit 1"], 'failed', 'exit code 1\nred'],
  ])('%s', async (_, argv, outcome, message) => {
    const test = only(await run({}, [{ label: 'x', argv }], { coverage: true }));
    expect([test?.test, test?.file, test?.outcome]).toEqual(['x', '.', outcome]);
    expect(test?.failure?.message ?? '').toContain(message);
  });

  it('shows the end of its output only', async () => {
    const test = only(await run({}, [{ label: 'x', argv: ['sh', '-c', 'seq 100000; exit 1'] }]));
    expect(test?.failure?.message.length).toBeLessThan(5000);
    expect(test?.failure?.message).toMatch(/^exit code 1\n[\s\S]*\n100000$/);
  });

  it('says that it cannot look into other programs', async () => {
    const report = await run({}, [{ label: 'x', argv: ['sh', '-c', 'true'] }], { coverage: true });
    expect(report.notes).toEqual(['No coverage of "x": its command starts neither Python nor Node by itself.']);
  });

  it.each<[string, Record<string, string>, string[], string]>([
    [
      'Python',
      { 'm.py': 'def f():\n    while True:\n        pass\n', 'r.py': 'import m\nm.f()\n' },
      ['python', 'r.py'],
      'm.py',
    ],
    [
      'Node',
      {
        'm.mjs': 'export const f = () => {\n  for (;;) Math.sqrt(2);\n};\n',
        'r.mjs': "import { f } from './m.mjs';\nf();\n",
      },
      ['node', 'r.mjs'],
      'm.mjs',
    ],
    [
      'waiting Node',
      {
        'm.mjs': 'export const f = () => {\n  setInterval(() => {}, 100);\n};\n',
        'r.mjs': "import { f } from './m.mjs';\nf();\n",
      },
      ['node', 'r.mjs'],
      'm.mjs',
    ],
  ])('that never ends is told with what it executed: %s', async (_, files, argv, file) => {
    const report = await run(files, [{ label: 'x', argv }], { coverage: true, testTimeoutMs: 3000 });
    expect(only(report)).toMatchObject({
      outcome: 'timeout',
      failure: { class: 'Timeout' },
      coverage: [{ file, lines: expect.stringMatching(/2/) }],
    });
  });

  it.each([
    ['Python', { 'r.py': 'import sys\nsys.exit(5)\n' }, ['python', 'r.py']],
    ['Node', { 'r.mjs': 'process.exitCode = 5;\n' }, ['node', 'r.mjs']],
  ])('ends within its limit as without one: %s', async (_, files, argv) => {
    const report = await run(files as Record<string, string>, [{ label: 'x', argv }], {
      coverage: true,
      testTimeoutMs: 20_000,
    });
    expect(only(report)).toMatchObject({ outcome: 'failed', failure: { message: 'exit code 5' }, coverage: [] });
  });

  it('starts in its folder, with its variables', async () => {
    const files = { 'a/b/r.py': 'import os\nraise SystemExit(os.environ["COLOUR"] + os.path.basename(os.getcwd()))\n' };
    const test = only(
      await run(files, [{ label: 'x', argv: ['python', './r.py'], cwd: 'a/b', env: { COLOUR: 'red ' } }]),
    );
    expect(test).toMatchObject({ file: 'a/b/r.py', failure: { message: 'exit code 1\nred b' } });
  });

  it('counts the statements of a script that several commands share: it is a program', async () => {
    const files = { 'main.py': 'import sys\n\nif sys.argv[1] == "1":\n    sys.exit(1)\nprint("fine")\n' };
    const commands = ['1', '2'].map((label) => ({ label, argv: ['python', 'main.py', label] }));
    const report = await run(files, commands, { coverage: true });
    expect(report.tests.map(({ test, file, outcome, coverage }) => [test, file, outcome, coverage])).toEqual([
      ['1', '.', 'failed', [{ file: 'main.py', lines: '1,3-4' }]],
      ['2', '.', 'passed', [{ file: 'main.py', lines: '1,3,5' }]],
    ]);
    const script = {
      'main.mjs': 'const [, , word] = process.argv;\nif (word === "1")\n  process.exit(1);\nconsole.log("fine");\n',
    };
    const node = ['1', '2'].map((label) => ({ label, argv: ['node', 'main.mjs', label] }));
    const other = await run(script, node, { coverage: true });
    expect(other.tests.map(({ coverage }) => coverage)).toEqual([
      [{ file: 'main.mjs', lines: '1-3' }],
      [{ file: 'main.mjs', lines: '1-2,4' }],
    ]);
    expect(await run(files, [], { coverage: true })).toMatchObject({ tests: [], execution_ids: [] });
    expect((await run(files, commands, { tests: ['2'] })).tests.map(({ test }) => test)).toEqual(['2']);
  });

  it('makes a spectrum with the tests of a runner, also on another tree', async () => {
    const host = await hostOf(PYTHON);
    const [detection] = await detectRunners(readerOf(PYTHON));
    if (detection === undefined) throw new Error('no runner');
    const repro: CommandTest = { label: 'the cart', argv: ['python', 'repro.py', 'x'] };
    const suite = [detection, ...commandDetections([repro])];
    const merged = await runSuite(suite, host, { coverage: true });
    expect(parseRecord(TestRunReportSchema, merged)).toMatchObject({
      runner: 'unittest+command',
      tests: [
        { test: 'test_shop.py::Shop::test_broken', outcome: 'passed', coverage: [{ lines: '5,7,11' }] },
        { test: 'test_shop.py::Shop::test_total', outcome: 'passed', coverage: [{ lines: '5,7' }] },
        { test: 'the cart', outcome: 'failed', coverage: [{ lines: '5-6,11' }] },
      ],
      import_coverage: [{ file: 'src/shop/cart.py', lines: '1,4,10' }],
    });
    const fixed = { ...PYTHON, 'src/shop/cart.py': PYTHON['src/shop/cart.py'].replace('return None', 'return 0') };
    const runner = createSuiteRunner(suite, host);
    const on = async (tests: string[] | 'all') =>
      (await runner.runTests(runner.plan(tests), await treeOf(fixed, host.artifacts))).tests.map(
        ({ test, outcome }) => `${test} ${outcome}`,
      );
    const [broken, total] = ['test_shop.py::Shop::test_broken passed', 'test_shop.py::Shop::test_total passed'];
    expect(await on('all')).toEqual([broken, total, 'the cart passed']);
    expect(await on(['the cart'])).toEqual(['the cart passed']);
    expect(await on(['test_shop.py::Shop::test_total', 'the cart'])).toEqual([total, 'the cart passed']);
    expect(() => createSuiteRunner(suite.slice(1), host).plan(['test_shop.py::Shop::test_total'])).toThrow(RangeError);
    expect(planTest(suite, 'the cart', host).command.argv.join(' ')).toContain('repro.py');
  });

  it('is not started once cancelled', async () => {
    const options = { signal: AbortSignal.abort() };
    await expect(run({}, [{ label: 'x', argv: ['true'] }], options)).rejects.toThrow();
  });

  it('says the same twice but for durations', async () => {
    const strip = (report: TestRunReport) =>
      JSON.stringify({ ...report, tests: report.tests.map(({ duration_ms: _, ...test }) => test) });
    const twice = async () =>
      strip(await run(NODE, [{ label: 'cart', argv: ['node', 'repro.js', 'x'] }], { coverage: true }));
    expect(await twice()).toBe(await twice());
  });
});
