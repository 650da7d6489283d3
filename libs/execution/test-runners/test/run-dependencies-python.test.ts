import { memoryArtifacts, parseRecord, sha256Hex, type TestDependencies, TestRunReport } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { detectRunners, runTests } from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

const pythons = findPythons();
const withPytest = pythons.find(({ pytest }) => pytest !== undefined);
const runners = withPytest === undefined ? ['unittest'] : ['unittest', 'pytest'];

async function run(files: Record<string, string>, python = (withPytest ?? pythons[0])?.executable ?? 'python3') {
  const artifacts = memoryArtifacts();
  const [detection] = await detectRunners(readerOf(files));
  if (detection === undefined) throw new Error('no runner found');
  const host = {
    executor: processExecutor(artifacts),
    artifacts,
    policy: policy(),
    environment: '0'.repeat(64),
    tree: await treeOf(files, artifacts),
    python,
  };
  return parseRecord(TestRunReport, await runTests(detection, host, { coverage: true }));
}

/** Dependencies of each test by the end of its name. */
async function dependencies(files: Record<string, string>, runner: string, python?: string) {
  const report = await run(runner === 'pytest' ? { 'pytest.ini': '', ...files } : files, python);
  const found: Record<string, TestDependencies> = {};
  for (const { test, outcome, failure, dependencies } of report.tests) {
    expect(outcome, `${test} ${failure?.message}`).toBe('passed');
    if (dependencies === undefined) throw new Error(`nothing of ${test}`);
    found[test.replace(/^.*::/, '')] = dependencies;
  }
  return found;
}

const paths = (list: readonly { path: string }[] | undefined) => list?.map(({ path }) => path);
const testCase = (head: string, ...methods: string[]) =>
  `import unittest\n${head}\nclass A(unittest.TestCase):\n${methods.map((line) => `    ${line}\n`).join('')}`;

describe.each(runners)('%s', (runner) => {
  it('follows imports, also those that ran before', async () => {
    const found = await dependencies(
      {
        'shop/__init__.py': '',
        'shop/prices.py': 'from . import rates\nfrom .rates import TAX\ndef price(n):\n    return n + TAX\n',
        'shop/rates.py': 'TAX = 2\n',
        'shop/late.py': 'LATE = 1\n',
        'shop/unused.py': 'X = 1\n',
        'other.py': 'import shop.unused\ndef f():\n    return 1\n',
        'tests/__init__.py': '',
        'tests/base.py': 'import unittest\nclass Base(unittest.TestCase):\n    pass\n',
        'tests/test_prices.py': testCase(
          'from shop.prices import price\nfrom .base import Base',
          'def test_price(self): self.assertEqual(price(1), 3)',
          'def test_late(self):',
          '    import shop.late',
          '    self.assertEqual(shop.late.LATE, 1)',
        ),
        'tests/test_other.py': testCase('import other', 'def test_other(self): self.assertEqual(other.f(), 1)'),
        'tests/test_constant.py': testCase(
          'from shop import rates',
          'def test_constant(self): self.assertEqual(rates.TAX, 2)',
        ),
      },
      runner,
    );
    const common = ['shop/__init__.py', 'shop/late.py', 'shop/prices.py', 'shop/rates.py'];
    expect(paths(found.test_price?.files)).toEqual([
      ...common,
      'tests/__init__.py',
      'tests/base.py',
      'tests/test_prices.py',
    ]);
    expect(paths(found.test_other?.files)).toEqual([
      'other.py',
      'shop/__init__.py',
      'shop/unused.py',
      'tests/__init__.py',
      'tests/test_other.py',
    ]);
    expect(paths(found.test_constant?.files)).toEqual([
      'shop/__init__.py',
      'shop/rates.py',
      'tests/__init__.py',
      'tests/test_constant.py',
    ]);
    for (const { complete, data, children } of Object.values(found))
      expect({ complete, data, children }).toEqual({ complete: true, data: [], children: [] });
  });

  it('records files opened by a test, by a module as it loads, and by what a test calls', async () => {
    const found = await dependencies(
      {
        'conf.py':
          'import json, os\nHERE = os.path.dirname(__file__)\ndef load(name):\n    with open(os.path.join(HERE, name)) as f:\n        return json.load(f)\n',
        'settings.py': 'from conf import load\nS = load("data/settings.json")\n',
        'data/settings.json': '{"a": 1}',
        'data/extra.json': '{"b": 1}',
        'test_data.py': testCase(
          'import conf, settings',
          'def test_settings(self): self.assertEqual(settings.S["a"], 1)',
          'def test_extra(self): self.assertEqual(conf.load("data/extra.json")["b"], 1)',
          'def test_absent(self):',
          '    with self.assertRaises(OSError): conf.load("data/none.json")',
          'def test_written(self):',
          '    with open("out.txt", "w") as f: f.write("x")',
          '    with open("out.txt") as f: self.assertEqual(f.read(), "x")',
        ),
        'test_conf.py': testCase('import conf', 'def test_conf(self): pass'),
      },
      runner,
    );
    expect(paths(found.test_settings?.data)).toEqual(['data/settings.json']);
    expect(paths(found.test_extra?.data)).toEqual(['data/extra.json', 'data/settings.json']);
    expect(found.test_absent?.missing).toContain('data/none.json');
    expect(found.test_written?.missing).toContain('out.txt');
    expect(paths(found.test_extra?.listings)).toEqual(['**']);
    expect(found.test_conf).toMatchObject({ data: [], listings: [], complete: true });
    expect(Object.values(found).map(({ complete }) => complete)).toEqual([true, true, true, true, true]);
  });

  it('records files of the tree in folders for packages, and those that are linked or moved', async () => {
    const found = await dependencies(
      {
        'data/site-packages/x.txt': 'x',
        'data/y.txt': 'y',
        'data/z/a.txt': 'z',
        'test_a.py': testCase(
          'import os, tempfile',
          'def test_packages(self): open("data/site-packages/x.txt").close()',
          'def test_linked(self):',
          '    with tempfile.TemporaryDirectory() as d:',
          '        os.symlink(os.path.abspath("data/y.txt"), d + "/y")',
          '        open(d + "/y").close()',
          'def test_moved(self):',
          '    os.rename("data/z", "data/zz")',
        ),
      },
      runner,
    );
    expect(paths(found.test_packages?.data)).toEqual(['data/site-packages/x.txt']);
    expect(paths(found.test_linked?.data)).toEqual(['data/y.txt']);
    expect(found.test_moved?.why_incomplete?.join()).toMatch(/linked or moved/);
  });

  it('records listings', async () => {
    const found = await dependencies(
      {
        'data/a.txt': '',
        'data/b/c.txt': '',
        'test_a.py': testCase(
          'import os',
          'def test_list(self): self.assertEqual(sorted(os.listdir("data")), ["a.txt", "b"])',
          'def test_scan(self): self.assertEqual(len(list(os.scandir("data/b"))), 1)',
          'def test_none(self): pass',
        ),
      },
      runner,
    );
    expect(paths(found.test_list?.listings)).toEqual(['**', 'data']);
    expect(paths(found.test_scan?.listings)).toEqual(['**', 'data/b']);
    expect(paths(found.test_none?.listings)).toEqual([]);
  });

  it('names what would shadow a module, and what was looked for in vain', async () => {
    const found = await dependencies(
      {
        'calc.py':
          'try:\n    import fast_calc\nexcept ImportError:\n    fast_calc = None\nimport json\ndef one():\n    return 1\n',
        'pack/__init__.py': 'try:\n    from . import speedups\nexcept ImportError:\n    speedups = None\n',
        'tests/test_a.py': testCase('import calc, pack', 'def test_one(self): self.assertEqual(calc.one(), 1)'),
      },
      runner,
    );
    expect(found.test_one?.missing).toEqual(
      expect.arrayContaining([
        'fast_calc',
        'fast_calc.py',
        'json',
        'json.py',
        'calc/__init__.py',
        'pack/speedups',
        'pack/speedups.py',
        'tests/__init__.py',
      ]),
    );
  });

  it.each([
    [
      'a process',
      'import subprocess, sys',
      'subprocess.run([sys.executable, "-I", "-c", "1"], check=True)',
      /starts a process/,
    ],
    ['a shell', 'import os', 'os.system("true")', /starts a process: true/],
    ['a fork that goes on', 'import os, time', 'os.fork() or time.sleep(2) or os._exit(0)', /started goes on/],
    ['a stat', 'import os', 'os.stat("test_a.py").st_size', /names stat/],
    ['a file of C', 'import ctypes', 'ctypes.CDLL(None).fopen(b"test_a.py", b"r")', /uses ctypes/],
    ['a history', 'import readline', 'readline.read_history_file("test_a.py")', /names read_history_file/],
    [
      'certificates',
      'import ssl',
      'self.assertRaises(ssl.SSLError, ssl.create_default_context, cafile="test_a.py")',
      /names cafile/,
    ],
    ['a connection', 'import socket', 's = socket.socket(); s.connect_ex(("127.0.0.1", 9)); s.close()', /connects/],
    ['what another left behind', '', 'open("left.txt").close()', /left.txt, which is not in the tree/],
  ])('is not complete with %s', async (_, head, line, why) => {
    const left = 'with open("left.txt", "w") as f: f.write("x")';
    const found = await dependencies(
      {
        'test_a.py': testCase(head, 'def test_1(self):', `    ${left}`, `def test_2(self): ${line}`),
      },
      runner,
    );
    expect(found.test_2?.complete).toBe(false);
    expect(found.test_2?.why_incomplete?.join()).toMatch(why);
  });

  it('knows a file by the descriptor of its folder', async () => {
    const found = await dependencies(
      {
        'd/a.txt': 'x',
        'e/b.txt': 'y',
        'test_a.py': testCase(
          'import os',
          'def test_file(self):',
          '    folder = os.open("d", os.O_RDONLY)',
          '    open(f"/proc/self/fd/{folder}/a.txt").close()',
          'def test_absent(self):',
          '    folder = os.open("d", os.O_RDONLY)',
          '    with self.assertRaises(OSError): open(f"/dev/fd/{folder}/none.txt")',
          'def test_list(self): os.listdir("/proc/self/cwd/e")',
          'def test_root(self): open("/proc/self/root" + os.path.abspath("e/b.txt")).close()',
          'def test_none(self): open("/proc/self/status").close()',
        ),
      },
      runner,
    );
    expect(paths(found.test_file?.data)).toEqual(['d/a.txt']);
    expect(found.test_absent?.missing).toContain('d/none.txt');
    expect(paths(found.test_list?.listings)).toContain('e');
    expect(paths(found.test_root?.data)).toEqual(['e/b.txt']);
    expect(paths(found.test_none?.data)).toEqual([]);
  });

  it('lets an exception of a signal handler through, wherever it strikes', async () => {
    const found = await dependencies(
      {
        'test_a.py': testCase(
          'import signal',
          'def test_alarm(self):',
          '    def ring(*_): raise TimeoutError',
          '    signal.signal(signal.SIGALRM, ring)',
          '    rung = 0',
          '    for _ in range(30):',
          '        try:',
          '            signal.setitimer(signal.ITIMER_REAL, 0.002)',
          '            for _ in range(20000): open("test_a.py").close()',
          '        except TimeoutError:',
          '            rung += 1',
          '    self.assertEqual(rung, 30)',
        ),
      },
      runner,
    );
    expect(found.test_alarm?.complete).toBe(true);
  });

  it('takes a computed import for any module that is loaded, a string for the module it names', async () => {
    const found = await dependencies(
      {
        'plugins/__init__.py': '',
        'plugins/red.py': 'NAME = 1\n',
        'plugins/blue.py': 'NAME = 2\n',
        'registry.py': 'import importlib\ndef get(name):\n    return importlib.import_module("plugins." + name).NAME\n',
        'test_a.py': testCase('import registry', 'def test_red(self): self.assertEqual(registry.get("red"), 1)'),
        'test_b.py': testCase('import registry', 'def test_blue(self): self.assertEqual(registry.get("blue"), 2)'),
        'test_c.py': testCase(
          'from unittest import mock',
          'def test_patch(self):',
          '    with mock.patch("plugins.red.NAME", 5): pass',
        ),
      },
      runner,
    );
    expect(paths(found.test_red?.files)).toEqual([
      'plugins/__init__.py',
      'plugins/blue.py',
      'plugins/red.py',
      'registry.py',
      'test_a.py',
    ]);
    expect(paths(found.test_patch?.files)).toEqual(['plugins/__init__.py', 'plugins/red.py', 'test_c.py']);
  });
});

describe.skipIf(withPytest === undefined)('pytest alone', () => {
  it('names the installed packages that a test leads to, with what those need, and the runner', async () => {
    const found = await dependencies(
      {
        'lib.py': 'import iniconfig\n',
        'late.py': 'import importlib\ndef load(name):\n    return importlib.import_module(name)\n',
        'test_a.py': 'def test_plain():\n    assert True\n',
        'test_b.py': 'import lib\ndef test_lib():\n    assert lib\n',
        'test_c.py': 'from late import load\ndef test_late():\n    assert load("iniconfig")\n',
      },
      'pytest',
    );
    const packages = (name: string) => found[name]?.packages.map((one) => one.name) ?? [];
    expect(packages('test_plain')).toEqual(expect.arrayContaining(['pytest', 'pluggy']));
    expect(packages('test_lib')).toEqual(expect.arrayContaining(['iniconfig', 'pytest']));
    expect(packages('test_late')).toEqual(expect.arrayContaining(['iniconfig', 'pytest']));
    const [pytest] = found.test_lib?.packages.filter(({ name }) => name === 'pytest') ?? [];
    expect(pytest).toEqual({
      name: 'pytest',
      version: withPytest?.pytest,
      sha: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('gives every test its conftest files, and what their fixtures need', async () => {
    const found = await dependencies(
      {
        'helpers.py': 'def value():\n    with open("data.txt") as f:\n        return int(f.read())\n',
        'data.txt': '4',
        'conftest.py':
          'import pytest\nfrom helpers import value\n@pytest.fixture(scope="session")\ndef four():\n    return value()\n',
        'a/conftest.py': 'X = 1\n',
        'a/test_a.py':
          'def test_a(four):\n    assert four == 4\ndef test_b(four):\n    assert four == 4\ndef test_c():\n    pass\n',
        'b/test_b.py': 'def test_d():\n    pass\n',
      },
      'pytest',
    );
    expect(paths(found.test_a?.files)).toEqual(['a/conftest.py', 'a/test_a.py', 'conftest.py', 'helpers.py']);
    expect(paths(found.test_d?.files)).toEqual(['b/test_b.py', 'conftest.py', 'helpers.py']);
    expect([found.test_a, found.test_b, found.test_c].map((test) => paths(test?.data))).toEqual([
      ['data.txt'],
      ['data.txt'],
      [],
    ]);
    expect(found.test_a?.complete).toBe(true);
  });
});

describe.each(pythons.map(({ version, executable }) => [version, executable]))('CPython %s', (_, executable) => {
  it('sees that it was asked whether something is there, and for variables in unusual ways', async () => {
    const asking: Record<string, string> = {
      mkdir: 'os.mkdir("d")',
      makedirs: 'os.makedirs("d", exist_ok=True)',
      remove: 'os.remove("none")',
      unlink: 'pathlib.Path("none").unlink()',
      rmdir: 'os.rmdir("d")',
      chmod: 'os.chmod("none", 0o644)',
      truncate: 'os.truncate("none", 0)',
      utime: 'os.utime("none")',
      chdir: 'os.chdir("none")',
      symlink: 'os.symlink("x", "d/a.txt")',
      rename: 'os.rename("none", "other")',
      rmtree: 'shutil.rmtree("none", ignore_errors=True)',
      bind: 's = socket.socket(socket.AF_UNIX); self.addCleanup(s.close); s.bind("d/a.txt")',
    };
    const modules: Record<string, string> = {
      which: 'import shutil\ndef ask(): shutil.which("tool", path="d")\n',
      gettext: 'import gettext\ndef ask(): gettext.find("m", "d", ["en"])\n',
      mimetypes: 'import mimetypes\ndef ask(): mimetypes.init(["none.types"])\n',
      strict: 'from pathlib import Path\ndef ask(): Path("none").resolve(strict=True)\n',
      strictly: 'from pathlib import Path\ndef ask(): Path("none").resolve(True)\n',
      watched:
        'from logging import handlers\ndef ask(): handlers.WatchedFileHandler("none.log", delay=True).reopenIfNeeded()\n',
      uri: 'from urllib.request import urlopen\nimport os\ndef ask(): urlopen("file://" + os.getcwd() + "/none")\n',
      counted: 'import os\ndef ask(): len(os.environ)\n',
      deleted: 'import os\ndef ask(): del os.environ["NO_SUCH"]\n',
      inner: 'import os\ndef ask(): os.environ._data.get(b"A")\n',
      posix: 'import posix\ndef ask(): posix.environ.get(b"A")\n',
      proc: 'def ask(): open("/proc/self/environ").close()\n',
      plain:
        'from pathlib import Path\nimport os\nHERE = Path(__file__).resolve().parent\ndef ask(): return os.name == "posix"\n',
    };
    const attempt = (line: string) => [`    try: ${line}`, '    except (OSError, KeyError): pass'];
    const found = await dependencies(
      {
        'd/a.txt': 'x',
        'test_a.py': testCase(
          'import os, pathlib, shutil, socket',
          ...Object.entries(asking).flatMap(([name, line]) => [`def test_${name}(self):`, ...attempt(line)]),
        ),
        ...Object.fromEntries(Object.entries(modules).map(([name, text]) => [`m_${name}.py`, text])),
        ...Object.fromEntries(
          Object.keys(modules).map((name) => [
            `test_${name}.py`,
            testCase(`import m_${name}`, `def test_${name}(self):`, ...attempt(`m_${name}.ask()`)),
          ]),
        ),
      },
      'unittest',
      executable,
    );
    const names = (name: string) => found[`test_${name}`]?.env.map((read) => read.name);
    const looks = ['which', 'gettext', 'mimetypes', 'strict', 'strictly', 'watched'];
    for (const name of [...Object.keys(asking), ...looks])
      expect(paths(found[`test_${name}`]?.listings), name).toContain('**');
    for (const name of ['remove', 'unlink', 'chmod', 'truncate', 'utime', 'chdir', 'rename', 'rmtree'])
      expect(found[`test_${name}`]?.missing, name).toContain('none');
    expect(paths(found.test_bind?.data)).toEqual(['d/a.txt']);
    expect(paths(found.test_symlink?.data)).toEqual(['d/a.txt']);
    expect(paths(found.test_mkdir?.listings)).toContain('d');
    expect(found.test_uri?.why_incomplete).toEqual(['a file was named by a URI']);
    expect(['counted', 'inner', 'posix', 'proc'].map(names)).toEqual([['*'], ['*'], ['*'], ['*']]);
    expect(names('deleted')).toEqual(['NO_SUCH']);
    expect(found.test_plain).toMatchObject({ complete: true, env: [], listings: [], data: [] });
  });

  it('gives the same', async () => {
    const found = await dependencies(
      {
        'a.py': 'from b import B as VALUE\n',
        'b.py':
          'import os\nB = open("b.txt").read()\nLEVEL = os.getenv("LEVEL")\ndef home():\n    return os.environb[b"HOME"]\n',
        'b.txt': 'x',
        'tests/test_a.py': testCase(
          'import os\nfrom a import VALUE\nfrom b import home',
          'def test_a(self): self.assertEqual(VALUE, "x")',
          'def test_home(self): home()',
          'def test_none(self): self.assertNotIn("NO_SUCH", os.environ)',
          'def test_sets(self): os.environ["MINE"] = "1"',
          'def test_all(self): dict(os.environ)',
          'def test_raises(self):',
          '    try: os.environ["NO_SUCH"]',
          '    except KeyError as error: self.assertIsNone(error.__traceback__.tb_next.tb_next)',
        ),
      },
      'unittest',
      executable,
    );
    const variables = (name: string) => found[name]?.env.map((read) => read.name);
    expect(['test_a', 'test_home', 'test_none', 'test_sets', 'test_raises'].map(variables)).toEqual([
      ['LEVEL'],
      ['HOME', 'LEVEL'],
      ['LEVEL', 'NO_SUCH'],
      ['LEVEL'],
      ['LEVEL', 'NO_SUCH'],
    ]);
    expect(variables('test_all')?.[0]).toBe('*');
    const [absent, other] = [found.test_none, found.test_raises].map((test) => test?.env[1]?.value_sha);
    expect(absent).toBe(other);
    expect(absent).not.toBe(sha256Hex(''));
    expect([paths(found.test_a?.files), paths(found.test_a?.data), found.test_a?.complete]).toEqual([
      ['a.py', 'b.py', 'tests/test_a.py'],
      ['b.txt'],
      true,
    ]);
  });
});
