// What the interpreter tells of statements is what probes in them tell, but for branches and callers.
import { describe, expect, it } from 'vitest';
import { observe } from './observe-python.ts';
import { samplePythons } from './present-pythons.ts';

const GENERATORS = `x = 'global'
def given():
    x = 0
    x = yield 1
    x = yield
    y = yield from [x] and given_once()
    return (yield 3)

def given_once():
    yield None

def deep():
    got = yield from given()
    return got

def drive(it):
    try:
        it.send(None)
        for n in range(9):
            it.send(n)
    except StopIteration as stop:
        end = stop.value
    return end

print(drive(deep()))
`;
const LOOPS = `class Three:
    def __init__(self):
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.n += 1
        if self.n > 3:
            raise StopIteration
        return self.n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.n == 3:
            raise StopAsyncIteration
        self.n += 1
        return self.n

def loops():
    total = 0
    for n in Three():
        total += n
    more = [n for n in Three()]
    return total

async def waits():
    total = 0
    async for n in Three():
        total += n
    some = [n async for n in Three()]
    return some

def ends():
    got = next(iter(()))

print(loops())
it = waits()
try:
    it.send(None)
except StopIteration as end:
    last = end.value
try:
    ends()
except StopIteration:
    last = None
`;
const NAMES = `x = 'global'
def bind(late):
    try:
        y = x
    except NameError:
        x = late
    return x

def make():
    x = 'around'
    class Inner:
        y = x
    return Inner.y

bind(3)
make()
`;

const BODIES = `import enum
x = 'global'
RED = 99
class Color(enum.Enum):
    RED = 1
    GREEN = RED + 1

def make():
    x = 'around'
    class Inner:
        y = x
    return Inner.y

class Odd(dict):
    def __getitem__(self, name):
        return 7 if name == 'RED' else dict.__getitem__(self, name)

class Meta(type):
    @classmethod
    def __prepare__(cls, *_):
        return Odd()

class Told(metaclass=Meta):
    seen = RED

class Own:
    x = x
    z = x

make()
it = iter([1, 2])
total = 0
try:
    while True:
        total += next(
            it)
except StopIteration:
    pass
`;

describe.each(samplePythons())('hooks on CPython $version', (python) => {
  const hook = async (source: string) => {
    const seen = await observe(python, source, { hooked: true });
    expect([seen.stderr, seen.reading.notes]).toEqual(['', []]);
    return seen;
  };

  it.concurrent('tell of generators, of loops that an exception ends, and of names what probes tell', async () => {
    const source = GENERATORS + LOOPS + NAMES;
    const [hooked, probed] = await Promise.all([hook(source), observe(python, source)]);
    expect(hooked.stdout).toBe(probed.stdout);
    expect(plainly(hooked.shown)).toEqual(plainly(probed.shown));
  });

  it.concurrent('tell of the body of a class what its names mean there, and of each turn of a loop of one long statement', async () => {
    const { shown } = await hook(BODIES);
    const of = (...lines: number[]) =>
      shown.filter((text) => lines.includes(lineOf(text))).map((text) => text.replace(/^\d+:/, ''));
    expect(of(5, 6)).toEqual(['5 → RED=1', '6 RED=1 → GREEN=2']);
    expect(of(11)).toEqual([expect.stringMatching(/^11 (?:x='around' )?→ y='around'$/)]);
    expect(of(24)).toEqual(['24']); // what a namespace of another kind says is not known
    expect(of(35)).toHaveLength(3);
    expect(of(27, 28)).toEqual(["27 x='global' → x='global'", "28 x='global' → z='global'"]);
  });
});

const lineOf = (shown: string) => Number(/^\d+:(\d+)/.exec(shown)?.[1]);

/** Without branches, callers and bodies of classes; activations numbered in the order they speak. */
function plainly(shown: readonly string[]): string[] {
  const frames = new Map([['0', 0]]);
  return shown.flatMap((line) => {
    const frame = line.slice(0, line.indexOf(':'));
    if (!frames.has(frame) && line.includes(' entry')) frames.set(frame, frames.size);
    if (!frames.has(frame)) return [];
    const rest = line.slice(frame.length).replace(/ from #\d+$/, '');
    return `${frames.get(frame)}${rest.replace(/ (?:true|false|iteration|done)(?= |$)/, '')}`;
  });
}
