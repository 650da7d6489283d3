import { memoryArtifacts } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { detectRunners, runTests } from '../src/index.ts';
import { findPythons } from './find-python.ts';
import { policy, processExecutor, readerOf, treeOf } from './process-executor.ts';

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

describe.each(chosen)('children on CPython $version', ({ executable }) => {
  it('are covered, and of the test that started them', async () => {
    const artifacts = memoryArtifacts();
    const [detection] = await detectRunners(readerOf(FILES), { runner: 'unittest' });
    if (detection === undefined) throw new Error('no runner found');
    const report = await runTests(
      detection,
      {
        executor: processExecutor(artifacts),
        artifacts,
        policy: policy(),
        environment: '0'.repeat(64),
        tree: await treeOf(FILES, artifacts),
        python: executable,
      },
      { coverage: true },
    );
    const seen = Object.fromEntries(
      report.tests.map(({ test, outcome, failure, coverage = [], dependencies }) => [
        test.replace(/^.*::test_/, ''),
        [
          outcome === 'passed' ? coverage.map(({ file, lines }) => `${file}:${lines}`).join(' ') : failure?.message,
          [...new Set(dependencies?.children.map(({ followed }) => followed))],
          dependencies?.complete,
        ],
      ]),
    );
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
});
