import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { samplePythons } from './present-pythons.ts';

const agents = join(import.meta.dirname, '../agents/python');
const pythons = samplePythons();
const ends = [...new Set([pythons[0], pythons.at(-1)])].filter((one) => one !== undefined);

const NESTED = `
from h_agent_coverage import Coverage
coverage = Coverage(lambda path: None, print, lambda path: False)
class Lines(list):
    """Another file is loaded in the middle of the loading of this one, as by a signal handler."""
    def __len__(self):
        if not coverage.ranges: coverage.number('inner.py', [7])
        return super().__len__()
    def __bool__(self): return bool(len(self))
first = coverage.number('outer.py', Lines([1, 2, 3]))
last = coverage.number('last.py', [5])
print(coverage.total, [coverage.location(number) for number in range(coverage.total)], first, last)
`;
const PAGE = `
import signal, threading
from h_agent_page import Page, TEXT
page, told, count = Page(None, 0), [], [0]
page.begin()
def write(who):
    for n in range(2000): page.write('read', 'opened', '%d-%d' % (who, n))
def on_alarm(*_):
    count[0] += 1
    page.write('read', 'absent', count[0])
    signal.setitimer(signal.ITIMER_REAL, .0002)
signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, .0002)
threads = [threading.Thread(target=write, args=(who,)) for who in range(3)]
for thread in threads: thread.start()
write(3)
for thread in threads: thread.join()
signal.setitimer(signal.ITIMER_REAL, 0)
page.take_lines(lambda *line: told.append(line))
kinds = [kind for _, kind, _ in told]
print(kinds.count('opened'), count[0] > 3 and kinds.count('absent') == count[0], page.take_lines(print), page.head()[1])
page.write('read', 'opened', 'x' * TEXT)
page.write('read', 'opened', 'small')
print(page.take_lines(lambda *line: print(*line)), page.head()[1])
`;
const PROCESSES = `
import os, signal
from h_agent_process import has_unknown_child, is_running
read, write = os.pipe()
child = os.fork()
if child == 0:
    grandchild = os.fork()
    if grandchild == 0: signal.pause()
    os.write(write, b'%d\\n' % grandchild)
    signal.pause()
grandchild, births, me = int(os.read(read, 20)), {}, os.getpid()
print(is_running(child, {}), is_running(grandchild, births), has_unknown_child(me, set()), has_unknown_child(me, {child}), has_unknown_child(child, {child}))
os.kill(grandchild, 9)
while is_running(grandchild, births): pass  # a zombie, since nobody waits for it
os.kill(child, 9)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(is_running(child, {}), has_unknown_child(me, set()), is_running(me, {me: -1}))
print(os.waitpid(child, 0)[0] == child, is_running(child, {}))
`;

function run(python: string, code: string): string {
  const options = { encoding: 'utf8', timeout: 20_000 } as const;
  const { stdout, stderr } = spawnSync(
    python,
    ['-c', `import sys\nsys.path.insert(0, ${JSON.stringify(agents)})${code}`],
    options,
  );
  return stdout + stderr;
}

describe.each(ends)('on CPython $version', ({ executable }) => {
  it('a file that is loaded in the middle of the loading of another has statements of its own', () => {
    const places = "['inner.py:7', 'outer.py:1', 'outer.py:2', 'outer.py:3', 'last.py:5']";
    expect(run(executable, NESTED)).toBe(`5 ${places} 1 4\n`);
  });

  it('a page loses no line to threads and signal handlers, and says what it had no room for', () => {
    expect(run(executable, PAGE)).toBe('8000 True False False\nread opened small\nTrue True\n');
  });

  it('a process goes on until it has ended, waited for or not, and is no other one with its number', () => {
    expect(run(executable, PROCESSES)).toBe('True True True False True\nFalse False False\nTrue False\n');
  });
});
