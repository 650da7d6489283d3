import { describe, expect, it } from 'vitest';
import { findPythons } from './find-python.ts';
import { linesOfTest, runCovered } from './run-covered.ts';

const pythons = findPythons().sort((a, b) => Number(a.version.slice(2)) - Number(b.version.slice(2)));
const chosen = [...new Set([pythons[0], pythons.at(-1)])].filter((one) => one !== undefined);

const WORK = `def forked(n):
    total = n
    return total

def spawned(n):
    return n * 2

def pooled(n):
    if n > 2:
        return n
    return -n

def killed():
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
    return 1

def threaded(out):
    out.append(1)

async def slow():
    return 5
`;
const CLI = `import sys
from shop import work

def main():
    print(work.spawned(len(sys.argv[1])))

if __name__ == '__main__':
    main()
`;
const TESTS = `import asyncio, multiprocessing, os, subprocess, sys, threading, unittest
from concurrent.futures import ProcessPoolExecutor
from shop import work

def in_child(action):
    pid = os.fork()
    if pid == 0:
        action()
        os._exit(0)
    return os.waitpid(pid, 0)[1]

def in_process(method, action, n):
    process = multiprocessing.get_context(method).Process(target=action, args=(n,))
    process.start()
    process.join()
    return process.exitcode

LOOK = 'import os, sys; print(sorted(os.environ), sys.path, getattr(sys, "orig_argv", [0])[1:3], sys.modules["sitecustomize"].FOUND)'

class Children(unittest.TestCase):
    def test_fork(self): self.assertEqual(in_child(lambda: work.forked(1)), 0)
    def test_fork_in_fork(self): self.assertEqual(in_child(lambda: in_child(lambda: work.pooled(9))), 0)
    def test_killed(self): self.assertEqual(in_child(work.killed), 9)
    def test_mp_fork(self): self.assertEqual(in_process('fork', work.forked, 1), 0)
    def test_mp_spawn(self): self.assertEqual(in_process('spawn', work.spawned, 1), 0)
    def test_mp_forkserver(self): self.assertEqual(in_process('forkserver', work.pooled, 3), 0)
    def test_pool(self):
        with ProcessPoolExecutor(1) as pool:
            self.assertEqual(list(pool.map(work.pooled, [1, 3])), [-1, 3])
    def test_module(self): self.assertEqual(subprocess.check_output([sys.executable, '-m', 'shop.cli', 'abc']), b'6\\n')
    def test_script(self):
        self.assertEqual(subprocess.check_output([sys.executable, 'shop/cli.py', 'abc'], env={'PYTHONPATH': '.'}), b'6\\n')
    def test_code(self):
        code = 'import subprocess, sys; subprocess.check_call([sys.executable, "-c", "from shop import work; work.pooled(9)"])'
        subprocess.check_call([sys.executable, '-c', code], env=dict(os.environ, A='1'))
    def test_asyncio(self):
        async def go():
            process = await asyncio.create_subprocess_exec(sys.executable, '-m', 'shop.cli', 'ab', stdout=subprocess.PIPE)
            return (await process.communicate())[0]
        self.assertEqual(asyncio.run(go()), b'4\\n')
    def test_isolated(self):
        subprocess.check_call([sys.executable, '-I', '-c', 'import sys; sys.path.insert(0, ""); from shop import work; work.forked(1)'])
    def test_other(self): subprocess.check_call(['true'])
    def test_hidden(self):
        seen = subprocess.check_output([sys.executable, '-c', LOOK], env={'A': '1', 'PYTHONPATH': 'mine'}).decode()
        self.assertNotRegex(seen, 'H_AGENT|h.agent')
        self.assertRegex(seen, "PYTHONPATH.* 1$")
    def test_thread(self):
        out = []
        thread = threading.Thread(target=work.threaded, args=(out,))
        thread.start()
        thread.join()
        self.assertEqual(asyncio.run(work.slow()), 5)
    def test_nothing(self): pass
`;
const FILES = {
  'shop/__init__.py': '',
  'shop/work.py': WORK,
  'shop/cli.py': CLI,
  'mine/sitecustomize.py': 'FOUND = 1\n',
  'tests/__init__.py': '',
  'tests/test_children.py': TESTS,
};

const LATE = `import os, subprocess, sys, time, unittest
import shop.work
CODE = 'import sys; sys.stdin.read(); from shop import work; work.spawned(1)'
def start(): return subprocess.Popen([sys.executable, '-c', CODE], stdin=subprocess.PIPE)
class Late(unittest.TestCase):
    # the interpreter begins, and tells so, only once a later test has let the shell go on
    def test_a_starts(self): Late.shell = subprocess.Popen(['/bin/sh', '-c', 'read go; exec "$0" -c "from shop import work; work.pooled(1)"', sys.executable], stdin=subprocess.PIPE)
    def test_b(self): pass
    def test_c(self): pass
    def test_d_ends(self): Late.shell.communicate(b'go\\n'); self.assertEqual(Late.shell.returncode, 0)
    def test_e_starts(self): Late.process = start()
    def test_f(self): pass
    def test_g(self): pass
    def test_h_ends(self): Late.process.communicate(b''); self.assertEqual(Late.process.returncode, 0)
    def test_i_spawns(self): Late.pid = os.posix_spawn('/bin/sleep', ['sleep', '60'], os.environ)
    def test_j(self): pass
    def test_k_ends(self): os.kill(Late.pid, 9); os.waitpid(Late.pid, 0)
    def test_l(self): self.assertEqual(os.listdir('.h-agent/children'), [])
class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.process = start()
    def test_p(self): pass
    def test_q(self): pass
    def test_r_ends(self): self.process.communicate(b''); self.assertEqual(self.process.returncode, 0)
    def test_s(self): pass
`;
const SAFE = `import os, subprocess, sys, unittest
import shop.work
SIGNALS = """
import signal, os, itertools
count = itertools.count()
def on_alarm(*_):
    try: open('nothing%d' % next(count))
    except OSError: pass
    signal.setitimer(signal.ITIMER_REAL, .0005)
signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, .0005)
for i in range(4000):
    try: open('other%d' % i)
    except OSError: pass
signal.setitimer(signal.ITIMER_REAL, 0)
from shop import work
work.pooled(1)
print('done')
"""
class Safe(unittest.TestCase):
    def check(self, *words, **environment):
        return subprocess.run([sys.executable, *words], env=dict(os.environ, **environment), stdout=subprocess.PIPE, timeout=20, check=True).stdout
    def test_signals(self): self.assertEqual(self.check('-c', SIGNALS), b'done\\n')
    def test_safe_path(self): self.assertEqual(self.check('shop/cli.py', 'abc', PYTHONSAFEPATH='1', PYTHONPATH='.'), b'6\\n')
    @unittest.skipIf(sys.version_info < (3, 11), 'no such option')
    def test_safe_flag(self): self.assertEqual(self.check('-P', 'shop/cli.py', 'abc', PYTHONPATH='.'), b'6\\n')
class Storm(unittest.TestCase):
    def test_storm(self):
        most = 0
        for n in range(200):
            pid = os.fork()
            if pid == 0:
                shop.work.pooled(n)
                os._exit(0)
            os.waitpid(pid, 0)
            with open('/proc/self/maps') as file: most = max(most, file.read().count('dev/zero'))
        self.assertTrue(0 < most < 40, most)
`;

/** Of each test: its lines or its failure, whether its processes were followed, whether its dependencies are complete. */
async function seenOf(files: Record<string, string>, python: string) {
  const report = await runCovered(files, 'unittest', { python });
  return Object.fromEntries(
    report.tests.map((test) => [
      test.test.replace(/^.*::test_/, ''),
      [
        test.outcome === 'passed' ? linesOfTest(test) : test.failure?.message,
        [...new Set(test.dependencies?.children.map(({ followed }) => followed))],
        test.dependencies?.complete,
      ],
    ]),
  );
}

describe.each(chosen)('children on CPython $version', ({ executable }) => {
  it('are covered, and of the test that started them', async () => {
    const seen = await seenOf(FILES, executable);
    const cli = 'shop/cli.py:1-2,4-5,7-8 shop/work.py:6';
    expect(seen).toEqual({
      fork: ['shop/work.py:2-3', [true], true],
      fork_in_fork: ['shop/work.py:9-10', [true], true],
      killed: ['shop/work.py:14-15', [true], true],
      mp_fork: ['shop/work.py:2-3', [true], true],
      mp_spawn: ['shop/work.py:6', [true], true],
      mp_forkserver: ['shop/work.py:9-10', [true], false],
      pool: ['shop/work.py:9-11', [true], expect.any(Boolean)],
      module: [cli, [true], true],
      script: [cli, [true], true],
      code: ['shop/work.py:9-10', [true], true],
      asyncio: ['shop/cli.py:1-2,4-5,7-8 shop/work.py:6', [true], expect.any(Boolean)],
      isolated: ['', [false], false],
      other: ['', [false], false],
      hidden: ['', [true], true],
      thread: ['shop/work.py:19,22', [], true],
      nothing: ['', [], true],
    });
  });

  it('are known until they have ended: a test in whose time one goes on is not complete', async () => {
    const seen = await seenOf({ 'shop/__init__.py': '', 'shop/work.py': WORK, 'test_late.py': LATE }, executable);
    const complete = Object.fromEntries(Object.entries(seen).map(([name, [, , whole]]) => [name, whole]));
    const none = ['a_starts', 'b', 'c', 'd_ends', 'e_starts', 'f', 'g', 'h_ends', 'i_spawns', 'j', 'k_ends'];
    expect(complete).toMatchObject(Object.fromEntries([...none, 'p', 'q', 'r_ends'].map((name) => [name, false])));
    expect(seen).toMatchObject({
      h_ends: ['shop/work.py:6', [], false],
      l: ['', [], true],
      r_ends: ['shop/work.py:6', [true], false],
    });
  });

  it('are neither stopped by being told of, nor slowed down by those that have ended', async () => {
    const files = { 'shop/__init__.py': '', 'shop/work.py': WORK, 'shop/cli.py': CLI, 'test_safe.py': SAFE };
    const seen = await seenOf(files, executable);
    const cli = ['shop/cli.py:1-2,4-5,7-8 shop/work.py:6', [true], true];
    expect(seen).toEqual({
      signals: ['shop/work.py:9,11', [true], true],
      safe_path: cli,
      safe_flag: seen.safe_flag?.[0] === undefined ? expect.anything() : cli,
      storm: ['shop/work.py:9-11', [true], true],
    });
  });
});
