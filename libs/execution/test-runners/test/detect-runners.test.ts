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
      { 'package.json': manifest({ scripts: { test: 'jest' }, devDependencies: { jest: '29' } }), 'a.test.ts': '' },
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

  it('survives files that cannot be read', async () => {
    const reader = { ...readerOf(mixed), read: () => Promise.reject(new Error('EACCES')) };
    expect(await detectRunners(reader)).toEqual([expect.objectContaining({ runner: 'vitest', cwd: 'web' })]);
  });
});
