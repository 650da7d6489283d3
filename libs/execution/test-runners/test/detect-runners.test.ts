import { describe, expect, it } from 'vitest';
import { detectRunners } from '../src/index.ts';
import { readerOf } from './process-executor.ts';

const UNITTEST = 'import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n';
const PYTEST = 'import pytest\ndef test_a(): pass\n';

/** `expected`: runner, folder, part of the reason, evidence; best first. */
async function check(files: Record<string, string>, expected: [string, string, string, string[]][]) {
  const found = await detectRunners(readerOf(files));
  expect(found.map(({ runner, cwd, evidence }) => [runner, cwd, evidence])).toEqual(
    expected.map(([runner, cwd, , evidence]) => [runner, cwd, evidence]),
  );
  for (const [index, [, , reason]] of expected.entries()) expect(found[index]?.reason).toContain(reason);
  return found;
}

describe('detectRunners: Python', () => {
  it.each<[string, Record<string, string>, [string, string, string, string[]][]]>([
    ['nothing', {}, []],
    ['no tests', { 'a.py': 'x = 1', 'README.md': '' }, []],
    [
      'unittest',
      { 'tests/test_a.py': UNITTEST, 'a.py': '' },
      [['unittest', '', '1 test file with', ['tests/test_a.py']]],
    ],
    [
      'a test of a class of its own base',
      { 'test_a.py': 'from b import Base\nclass A(Base.FastTestCase): pass' },
      [['unittest', '', '1 test file', ['test_a.py']]],
    ],
    [
      'pytest by import',
      { 'test_a.py': PYTEST },
      [['pytest', '', 'test files import pytest: test_a.py', ['test_a.py']]],
    ],
    [
      'pytest by functions',
      { 'a_test.py': 'async def test_a(): pass' },
      [['pytest', '', 'functions outside classes', ['a_test.py']]],
    ],
    [
      'pytest by classes',
      { 'test_a.py': 'class TestA:\n    def test_a(self): pass\n' },
      [['pytest', '', 'classes without a base', ['test_a.py']]],
    ],
    [
      'a configuration, and classes alone',
      { 'pytest.ini': '', 'tests/test_a.py': 'class TestA:\n    def test_a(self): pass\n' },
      [['pytest', '', 'configured: pytest.ini', ['pytest.ini']]],
    ],
    [
      'a configuration that names the files',
      { 'pytest.ini': '[pytest]\npython_files = check_*.py\n', 'check_a.py': 'def test_a(): pass\n' },
      [['pytest', '', 'configured: pytest.ini', ['pytest.ini']]],
    ],
    [
      'classes that unittest test cases inherit from',
      { 'test_base.py': 'class TestBase:\n    def test_a(self): pass\n', 'test_a.py': UNITTEST },
      [['unittest', '', '1 test file', ['test_a.py']]],
    ],
    [
      'pytest by conftest',
      { 'tests/conftest.py': '', 'tests/test_a.py': UNITTEST },
      [['pytest', '', 'conftest.py', ['tests/conftest.py']]],
    ],
    [
      'pytest by requirement',
      { 'requirements-dev.txt': 'pytest>=7\n', 'test_a.py': UNITTEST },
      [['pytest', '', 'among the requirements', ['requirements-dev.txt']]],
    ],
    [
      'pytest.ini',
      { 'pytest.ini': '', 'test_a.py': UNITTEST },
      [['pytest', '', 'configured: pytest.ini', ['pytest.ini']]],
    ],
    [
      'pyproject.toml',
      { 'pyproject.toml': '[tool.pytest.ini_options]\n', 'test_a.py': UNITTEST },
      [['pytest', '', 'configured', ['pyproject.toml']]],
    ],
    [
      'pyproject.toml of pytest 9',
      { 'pyproject.toml': '[tool.pytest]\n', 'test_a.py': UNITTEST },
      [['pytest', '', 'configured', ['pyproject.toml']]],
    ],
    [
      'pyproject.toml that does not speak of it',
      { 'pyproject.toml': '[tool.black]\n', 'test_a.py': UNITTEST },
      [['unittest', '', 'no sign of pytest', ['test_a.py']]],
    ],
    [
      'setup.cfg',
      { 'setup.cfg': '[metadata]\n[tool:pytest]\n', 'test_a.py': UNITTEST },
      [['pytest', '', 'configured', ['setup.cfg']]],
    ],
    ['tox.ini', { 'tox.ini': '[pytest]\n', 'test_a.py': UNITTEST }, [['pytest', '', 'configured', ['tox.ini']]]],
    ['a configuration without tests', { 'pytest.ini': '', 'a.py': '' }, []],
    [
      'the word pytest in a comment',
      { 'test_a.py': `# not pytest\n${UNITTEST}` },
      [['unittest', '', '1 test file', ['test_a.py']]],
    ],
    [
      'test files in an environment',
      { '.venv/lib/test_a.py': PYTEST, 'node_modules/b/test_b.py': PYTEST, 'a.py': '' },
      [],
    ],
  ])('%s', async (_, files, expected) => void (await check(files, expected)));

  it('gives a configured project below the root its own folder, and the root what is its own', async () => {
    const files = { 'pkg/pytest.ini': '', 'pkg/tests/test_a.py': PYTEST, 'test_b.py': UNITTEST };
    await check(files, [
      ['pytest', 'pkg', 'configured', ['pkg/pytest.ini']],
      ['unittest', '', 'no sign of pytest', ['test_b.py']],
    ]);
    await check({ 'pkg/pytest.ini': '', 'pkg/tests/test_a.py': PYTEST }, [
      ['pytest', 'pkg', 'configured', ['pkg/pytest.ini']],
    ]);
    await check({ 'pytest.ini': '', 'pkg/pytest.ini': '', 'pkg/test_a.py': PYTEST }, [
      ['pytest', '', 'configured', ['pytest.ini']],
      ['pytest', 'pkg', 'configured', ['pkg/pytest.ini']],
    ]);
  });

  it('finds where unittest must start from', async () => {
    const files = {
      'tests/__init__.py': '',
      'tests/test_a.py': UNITTEST,
      'more/unit/test_b.py': UNITTEST,
      'more/unit/sub/__init__.py': '',
      'more/unit/sub/test_c.py': UNITTEST,
    };
    expect((await detectRunners(readerOf(files)))[0]?.start_dirs).toEqual(['.', 'more/unit']);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['a src layout', { 'src/p/__init__.py': '' }, ['src']],
    ['a package named src', { 'src/__init__.py': '', 'src/a.py': '' }, []],
    ['setup.cfg', { 'setup.cfg': '[options]\npackage_dir =\n    = lib\n', 'lib/p.py': '' }, ['lib']],
    ['setup.py', { 'setup.py': "setup(package_dir={'': 'python'})", 'python/p.py': '' }, ['python']],
    [
      'pyproject.toml',
      { 'pyproject.toml': '[tool.setuptools.packages.find]\nwhere = ["code"]', 'code/p.py': '' },
      ['code'],
    ],
    ['a folder that is not there', { 'setup.cfg': '[options]\npackage_dir =\n    = lib\n' }, []],
  ])('knows the source roots of %s', async (_, files, roots) => {
    const found = await detectRunners(readerOf({ ...files, 'test_a.py': PYTEST }));
    expect(found[0]?.source_roots).toEqual(roots);
  });
});

describe('detectRunners: vitest', () => {
  const manifest = (value: object) => JSON.stringify(value);

  it.each<[string, Record<string, string>, [string, string, string, string[]][]]>([
    [
      'a configuration',
      { 'vitest.config.ts': '', 'a.test.ts': '' },
      [['vitest', '', 'configured: vitest.config.ts', ['vitest.config.ts']]],
    ],
    [
      'a vite configuration with tests',
      { 'vite.config.js': 'export default { test: {} }', 'a.spec.js': '' },
      [['vitest', '', 'configured', ['vite.config.js']]],
    ],
    ['a vite configuration without', { 'vite.config.js': 'export default {}', 'a.spec.js': '' }, []],
    [
      'a script',
      { 'package.json': manifest({ scripts: { test: 'vitest run' } }), 'a.test.ts': '' },
      [['vitest', '', 'the script "test"', ['package.json']]],
    ],
    [
      'a dependency and tests',
      { 'package.json': manifest({ devDependencies: { vitest: '^4' } }), 'a.test.ts': '' },
      [['vitest', '', 'among the dependencies', ['package.json']]],
    ],
    ['a dependency alone', { 'package.json': manifest({ devDependencies: { vitest: '^4' } }) }, []],
    [
      'another runner',
      { 'package.json': manifest({ scripts: { test: 'ava' }, devDependencies: { ava: '6' } }), 'a.test.ts': '' },
      [],
    ],
    ['a manifest that is no JSON', { 'package.json': '{', 'a.test.ts': '' }, []],
    ['a manifest that is null', { 'package.json': 'null', 'a.test.ts': '' }, []],
  ])('%s', async (_, files, expected) => void (await check(files, expected)));

  it('gives packages of a monorepo their own folders, after the root', async () => {
    const script = manifest({ scripts: { test: 'vitest' } });
    const files = {
      'package.json': script,
      'p/a/package.json': script,
      'p/a/x.test.ts': '',
      'p/b/package.json': script,
    };
    await check(files, [
      ['vitest', '', 'script', ['package.json']],
      ['vitest', 'p/a', 'script', ['p/a/package.json']],
      ['vitest', 'p/b', 'script', ['p/b/package.json']],
    ]);
  });
});

describe('detectRunners: node:test', () => {
  const manifest = (test: string) => JSON.stringify({ scripts: { build: 'tsc', test } });
  const USES = "import { test } from 'node:test';\n";

  it.each<[string, Record<string, string>, [string, string, string, string[]][], string[]]>([
    [
      'a script',
      {
        'package.json': manifest('node --test'),
        'a.test.js': '',
        'test/b.mjs': '',
        'src/c.js': '',
        'test-d.cjs': '',
        'e.js': '',
      },
      [['node:test', '', 'the script "test" runs node --test: package.json', ['package.json']]],
      ['a.test.js', 'test-d.cjs', 'test/b.mjs'],
    ],
    [
      'a script with files, folders and globs',
      {
        'package.json': manifest(
          "node --test-reporter spec --test one.js unit/ 'src/**/*.spec.js' more/*.{mjs,cjs} && tsc",
        ),
        'one.js': '',
        'two.js': '',
        'unit/deep/x.test.js': '',
        'unit/help.js': '',
        'src/a/b/c.spec.js': '',
        'more/x.mjs': '',
        'more/y.js': '',
        'more/z/x.mjs': '',
      },
      [['node:test', '', 'script', ['package.json']]],
      ['more/x.mjs', 'one.js', 'src/a/b/c.spec.js', 'unit/deep/x.test.js'],
    ],
    [
      'a glob that the shell expands first',
      { 'package.json': manifest('node --test test/**/*.js'), 'test/a/x.js': '', 'test/a/b/y.js': '', 'test/z.js': '' },
      [['node:test', '', 'script', ['package.json']]],
      ['test/a/x.js'],
    ],
    [
      'test files that import it',
      {
        'package.json': manifest('echo none'),
        'test/a.js': USES,
        'b.test.cjs': "require('node:test')",
        'test/help.js': '',
      },
      [['node:test', '', 'test files import node:test: b.test.cjs', ['b.test.cjs', 'test/a.js']]],
      ['b.test.cjs', 'test/a.js'],
    ],
    ['a word in a text', { 'a.test.js': "// import from 'node:tests'\n", 'b.js': USES }, [], []],
    ['a script that only names it', { 'package.json': manifest('echo node --testing') }, [], []],
    [
      'vitest beside',
      { 'vitest.config.ts': '', 'a.test.js': USES },
      [
        ['vitest', '', 'configured', ['vitest.config.ts']],
        ['node:test', '', 'import', ['a.test.js']],
      ],
      [],
    ],
    [
      'packages of a monorepo',
      {
        'p/a/package.json': manifest('node --test'),
        'p/a/x.test.js': USES,
        'p/b/package.json': '{}',
        'p/b/test/y.js': USES,
      },
      [
        ['node:test', 'p/a', 'script', ['p/a/package.json']],
        ['node:test', 'p/b', 'import', ['p/b/test/y.js']],
      ],
      ['p/a/x.test.js'],
    ],
  ])('%s', async (_, files, expected, tests) => {
    const found = await check(files, expected);
    if (tests.length > 0) expect(found[0]?.test_files).toEqual(tests);
  });

  it.each<[string, string[], Record<string, string>]>([
    ['tsx --test src/*.test.ts', ['--import', 'tsx'], {}],
    ['c8 node --import tsx --test src/a.test.ts', ['--import', 'tsx'], {}],
    [
      'TZ=UTC cross-env A=1 node -r ts-node/register --test src/a.test.ts',
      ['-r', 'ts-node/register'],
      { A: '1', TZ: 'UTC' },
    ],
    ['node --experimental-strip-types --no-warnings --test', ['--experimental-strip-types', '--no-warnings'], {}],
    ['node --env-file=.env --test-timeout=5 --experimental-test-coverage --test', ['--env-file=.env'], {}],
  ])('takes what the script gives: %s', async (script, nodeArgs, env) => {
    const files = { 'package.json': manifest(script), 'src/a.test.ts': USES };
    const [detection] = await detectRunners(readerOf(files));
    expect([detection?.node_args ?? [], detection?.env ?? {}]).toEqual([nodeArgs, env]);
    expect(detection?.test_files).toEqual(['src/a.test.ts']);
  });

  it('says what is missing', async () => {
    const typescript = await detectRunners(readerOf({ 'package.json': manifest('node --test'), 'a.test.ts': USES }));
    expect(typescript[0]?.notes).toEqual([
      expect.stringContaining('a.test.ts is TypeScript and the test script names no loader'),
    ]);
    const unbuilt = await detectRunners(
      readerOf({ 'package.json': manifest('tsc && node --test dist/test'), 'src/a.ts': '' }),
    );
    expect(unbuilt[0]).toMatchObject({ test_files: [], notes: [expect.stringContaining('(dist/test)')] });
  });
});

describe('detectRunners', () => {
  const mixed = { 'pytest.ini': '', 'test_a.py': PYTEST, 'web/vitest.config.ts': '', 'web/a.test.ts': '' };

  it('finds several runners', async () => {
    await check(mixed, [
      ['pytest', '', 'configured', ['pytest.ini']],
      ['vitest', 'web', 'configured', ['web/vitest.config.ts']],
    ]);
  });

  it('gives the same for the same', async () => {
    const twice = [await detectRunners(readerOf(mixed)), await detectRunners(readerOf(mixed))];
    expect(JSON.stringify(twice[0])).toBe(JSON.stringify(twice[1]));
  });

  it('takes what was asked for, also where no sign speaks for it', async () => {
    const files = { 'checks/check_a.py': 'x = 1', 'test_b.py': 'class TestB:\n    def test_b(self): pass\n' };
    const [first] = await detectRunners(readerOf(files), { runner: 'pytest' });
    expect(first).toMatchObject({ runner: 'pytest', cwd: '', evidence: ['test_b.py'] });
    const [bare] = await detectRunners(readerOf({ 'check_a.py': 'x = 1' }), { runner: 'pytest' });
    expect(bare).toMatchObject({ runner: 'pytest', reason: 'pytest was asked for', evidence: [] });
    expect(await detectRunners(readerOf({ 'a.md': '' }), { runner: 'pytest' })).toEqual([]);
  });

  it('survives files that cannot be read', async () => {
    const reader = { ...readerOf(mixed), read: () => Promise.reject(new Error('EACCES')) };
    expect(await detectRunners(reader)).toEqual([expect.objectContaining({ runner: 'vitest', cwd: 'web' })]);
  });
});
