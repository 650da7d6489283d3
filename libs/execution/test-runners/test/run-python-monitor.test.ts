// Line events of CPython 3.12 and later: the statements are those that probes tell, in every case that could lose one.
import { describe, expect, it } from 'vitest';
import { findPythons } from './find-python.ts';
import { linesOfTest, runCovered } from './run-covered.ts';

const pythons = findPythons().filter(({ version }) => Number(version.slice(2)) >= 12);

async function run(files: Record<string, string>, python: string, order: boolean) {
  const report = await runCovered(files, 'unittest', { python }, { order });
  const lines = Object.fromEntries(
    report.tests.map((test) => [
      test.test.replace(/^.*::test_/, ''),
      test.outcome === 'passed' ? test.coverage && linesOfTest(test) : test.failure?.message,
    ]),
  );
  return { lines, notes: report.notes ?? [], imported: report.import_coverage };
}

const LIB = `import threading
import typing as t

@t.overload
def stub(n: int) -> int: ...
@t.overload
def stub(n: str) -> str: ...
def stub(n):
    return n

def steps():
    yield 1
    x = (
        len('a')
        + 1
    )
    yield x
    while True:
        global state
        state = 3
        yield state

def one_line(n): return n + 1

def choose(n):
    if (n > 1 and
            n < 5): return 'middle'
    try: return 1 / n
    except ZeroDivisionError: return None
    finally: pass

def fails(n):
    value = [
        int(part)
        for part in n.split()
    ]
    return value

start, done = threading.Event(), threading.Event()

def waits():
    start.wait(20)
    x = 1
    y = x + 1
    done.set()
    return y

class Shape:
    side = 2
    def area(self): return self.side ** 2
    async def slow(self):
        async with Lock():
            return 4

class Lock:
    async def __aenter__(self):
        pass
    async def __aexit__(self, *_):
        return False

def matched(command):
    match command:
        case [x, y]:
            return x + y
        case {'a': z}: return z
        case _:
            pass
`;
const TESTS = `import asyncio, sys, threading, types, unittest
import lib
gen = lib.steps()
thread = threading.Thread(target=lib.waits)

class T(unittest.TestCase):
    def test_01_starts(self): self.assertEqual(next(gen), 1); thread.start()
    def test_02_goes_on(self): self.assertEqual(next(gen), 2)
    def test_03_again(self): self.assertEqual(next(gen), 3)
    def test_04_again(self): self.assertEqual(next(gen), 3)
    def test_05_shared(self): self.assertEqual(lib.one_line(1), 2)
    def test_06_shared(self): self.assertEqual(lib.one_line(1), 2)
    def test_07_thread(self):
        lib.start.set()
        lib.done.wait(20)
        thread.join()
    def test_08_choose(self): self.assertEqual([lib.choose(n) for n in (3, 0)], ['middle', None])
    def test_09_raises(self): self.assertRaises(ValueError, lib.fails, '1 x')
    def test_10_copy(self):
        copy = types.FunctionType(lib.fails.__code__.replace(co_name='other'), vars(lib))
        self.assertEqual(copy('1 2'), [1, 2])
    def test_11_copy_again(self):
        copy = types.FunctionType(lib.fails.__code__.replace(co_name='another'), vars(lib))
        self.assertRaises(ValueError, copy, 'x')
    def test_12_method(self): self.assertEqual(lib.Shape().area(), 4)
    def test_13_async(self): self.assertEqual(asyncio.run(lib.Shape().slow()), 4)
    def test_14_matched(self): self.assertEqual([lib.matched(c) for c in ([1, 2], {'a': 3}, 5)], [3, 3, None])
    def test_15_none(self): pass
`;

describe.each(pythons)('line events of CPython $version', ({ executable }) => {
  it('tell what probes tell', async () => {
    const files = { 'lib.py': LIB, 'test_lib.py': TESTS };
    const [events, probes] = [await run(files, executable, false), await run(files, executable, true)];
    expect(events).toEqual(probes);
    expect(events.lines).toMatchObject({
      '05_shared': 'lib.py:23',
      '06_shared': 'lib.py:23',
      '07_thread': 'lib.py:43-46',
      '11_copy_again': 'lib.py:33',
    });
  });

  it('go without where lines tell statements apart, and see copies of code', async () => {
    const lib = LIB.replace(/@t.overload\n.*\n@t.overload\n.*\n/, '\n\n\n\n')
      .replace(
        "n < 5): return 'middle'\n    try: return 1 / n\n    except ZeroDivisionError: return None\n    finally: pass",
        'n < 5):\n        return 1',
      )
      .replace("case {'a': z}: return z", "case {'a': z}:\n            return z");
    const tests = TESTS.replace(/.*08_choose.*\n/, '');
    const files = { 'lib.py': lib, 'test_lib.py': tests };
    const [events, probes] = [await run(files, executable, false), await run(files, executable, true)];
    expect(events.notes).toEqual([]);
    expect(events.lines['11_copy_again']).toMatch(/lib\.py:\d+/);
    expect(events).toEqual(probes);
  });

  it('see functions that begin on one line with their bodies, again in each test, without a probe', async () => {
    const lib =
      'def one(n): return n + 1\ndef two(n): n += 1; return n\ndef raises(): raise KeyError(1)\nclass Shape:\n    def side(self): return 2\n' +
      'def adder(a):\n    def add(b): return a + b\n    return add\ndef plain():\n    return 1\n';
    const head = 'import unittest\nimport lib\nclass T(unittest.TestCase):\n';
    const bodies = ['lib.one(1)', 'lib.two(1)', 'lib.one(lib.two(1))', 'lib.Shape().side()', 'lib.adder(1)(2)'];
    const tests = [
      ...bodies.map((body) => `self.assertTrue(${body})`),
      'self.assertRaises(KeyError, lib.raises)',
      'lib.plain()',
      'self.assertEqual([name for name in vars(lib) if name.startswith("__h")], [])',
    ].map((body, index) => `    def test_${index}(self): ${body}\n`);
    const found = await run({ 'lib.py': lib, 'test_lib.py': head + tests.join('') }, executable, false);
    const seen = ['1', '2', '1-2', '5', '7-8', '3', '10'].map((lines, index) => [String(index), `lib.py:${lines}`]);
    expect(found.lines).toEqual({ ...Object.fromEntries(seen), 7: '' });
  });

  it('give way to a target that traces by itself, and are not told once it has taken their tool', async () => {
    const head = 'import sys, unittest\nimport lib\nclass T(unittest.TestCase):\n';
    const lib = 'def f():\n    return 1\n';
    const traces = await run(
      { 'lib.py': lib, 'test_lib.py': `${head}    def test_a(self):\n        sys.settrace(None)\n        lib.f()\n` },
      executable,
      false,
    );
    expect(traces.lines).toEqual({ a: 'lib.py:2' });
    expect(traces.notes.join()).toContain('traces by itself');
    const takes = `    def test_a(self): lib.f()\n    def test_b(self): getattr(sys.monitoring, "_".join(["free", "tool", "id"]))(4)\n    def test_c(self): lib.f()\n`;
    const taken = await run({ 'lib.py': lib, 'test_lib.py': head + takes }, executable, false);
    expect(taken.lines).toEqual({ a: 'lib.py:2', b: undefined, c: undefined });
    expect(taken.notes.join()).toContain('not known from here on');
  });
});
