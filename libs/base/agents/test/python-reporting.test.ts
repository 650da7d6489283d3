import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AGENT_FOLDER, pythonAgent, readAgentEvents } from '../src/index.ts';
import { hasPytest, type Python, samplePythons } from './present-pythons.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Lines 5 and 11 word failures, line 8 is at fault. */
const SOURCE = `class Money:
    def __init__(self, cents): self.cents = cents
    def __eq__(self, other): return self.cents == other.cents
    def __repr__(self):
        return 'Money(%d)' % self.cents
    def add(self, other):
        if self.cents > 100:
            return Money(self.cents + other.cents + 1)
        return Money(self.cents + other.cents)
class MoneyError(Exception):
    def __str__(self): return 'no money'
def fail(): raise MoneyError()
`;

const TESTS = `import unittest
from money import Money, MoneyError, fail

class T(unittest.TestCase):
    def test_equal(self): self.assertEqual(Money(200).add(Money(1)), Money(201))
    def test_lists(self): self.assertEqual([Money(200).add(Money(1))], [Money(201)])
    def test_in(self): self.assertIn(Money(2), [Money(1)])
    def test_true(self): self.assertFalse(Money(1))
    def test_raised(self): fail()
    def test_own_repr(self): self.assertEqual(repr(Money(1)), 'Money(2)')
    def test_own_str(self):
        with self.assertRaisesRegex(MoneyError, 'other'):
            fail()
    def test_good(self): self.assertEqual(repr(Money(1).add(Money(2))), 'Money(3)')
`;

const PYTEST = `from money import Money, MoneyError, fail
def test_plain_equal(): assert Money(200).add(Money(1)) == Money(201)
def test_plain_own(): assert repr(Money(1)) == 'Money(2)'
def test_plain_raised(): fail()
def test_plain_caught():
    try: assert Money(1) == Money(2)
    except AssertionError: pass
    assert Money(1).add(Money(1)) == Money(2)
`;

/** Per test its outcome and the lines of money.py that it executed, without those of the constructor and of __eq__. */
async function run(python: Python, args: string[], files: Readonly<Record<string, string>>, plan: object = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'h-reporting-'));
  folders.push(folder);
  mkdirSync(join(folder, AGENT_FOLDER));
  for (const { path, text } of pythonAgent()) writeFileSync(join(folder, path), text);
  for (const [path, text] of Object.entries({ 'money.py': SOURCE, ...files })) writeFileSync(join(folder, path), text);
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: AGENT_FOLDER,
    H_AGENT_PLAN: JSON.stringify({ coverage: true, ...plan }),
  };
  await new Promise<void>((done) => {
    execFile(python.executable, args, { cwd: folder, env }, () => done());
  });
  const events = readAgentEvents(readFileSync(join(folder, AGENT_FOLDER, 'report.ndjson'), 'utf8'));
  return Object.fromEntries(
    events.flatMap((event) => {
      if (event.event !== 'test-end') return [];
      const lines = (event.coverage ?? []).map((entry) => entry.lines).join();
      const body = lines.split(',').flatMap((part) => {
        const [first = 0, last = first] = part.split('-').map(Number);
        return Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((line) => line > 3);
      });
      return [[event.test.replace(/^.*:/, ''), `${event.outcome} ${body.join()}`]];
    }),
  );
}

const ofUnittest = {
  test_equal: 'failed 7,8',
  test_lists: 'failed 7,8',
  test_in: 'failed ',
  test_true: 'failed ',
  test_own_repr: 'failed 5',
  test_own_str: 'failed 11,12',
  test_good: 'passed 5,7,9',
};

describe.each(samplePythons())(
  'what only words a failure is no part of the failing test, on CPython $version',
  (python) => {
    it.concurrent('a program', async () => {
      const script =
        'import atexit\nfrom money import Money, fail\natexit.register(lambda: Money(1).add(Money(2)))\nrepr(Money(1))\nfail()\n';
      const plan = { command: { label: 'program', file: 'program.py', script: 'program.py' } };
      const args = [`${AGENT_FOLDER}/h_agent_command.py`, 'program.py'];
      expect(await run(python, args, { 'program.py': script }, plan)).toEqual({ program: 'failed 5,12' });
      const good = script.replace('fail()\n', '');
      expect(await run(python, args, { 'program.py': good }, plan)).toEqual({ program: 'passed 5,7,9' });
    });

    it.concurrent('unittest', async () => {
      const told = await run(python, [`${AGENT_FOLDER}/h_agent_unittest.py`], { 'test_money.py': TESTS });
      expect(told).toEqual({ ...ofUnittest, test_raised: 'error 12' });
    });

    it.skipIf(!hasPytest(python)).concurrent('pytest, with its own asserts and those of unittest', async () => {
      const files = { 'test_money.py': TESTS, 'test_plain.py': PYTEST };
      const args = ['-m', 'pytest', '-q', '-p', 'h_agent_pytest', '-p', 'no:cacheprovider'];
      expect(await run(python, args, files)).toEqual({
        ...ofUnittest,
        test_raised: 'failed 12',
        test_plain_equal: 'failed 7,8',
        test_plain_own: 'failed 5',
        test_plain_raised: 'failed 12',
        test_plain_caught: 'passed 7,9',
      });
    });
  },
);
