import { describe, expect, it } from 'vitest';
import { observe } from './observe-python.ts';
import { type Python, samplePythons } from './present-pythons.ts';

/** The lines of the events, in which a call of the module's own function is at the end. */
const only = (shown: readonly string[], from: number) => shown.slice(from);

const minor = ({ version }: Python) => Number(version.split('.')[1]);

describe.each(samplePythons())('probes on CPython $version', (python) => {
  const check = async (source: string, expected: string[]) => {
    const { shown, stderr, reading } = await observe(python, source);
    expect(stderr).toBe('');
    expect(reading.truncated).toBe(false);
    expect(shown).toEqual(expected);
  };

  it.concurrent('tell what a function read, bound and returned', () =>
    check('def f(a, b=2):\n    c = a + b\n    return c\n\nx = f(1)\n', [
      '0:1',
      '0:5 → x=3',
      '1:1 entry → a=1 b=2 from #1',
      '1:2 a=1 b=2 → c=3',
      '1:3 c=3 returns 3',
    ]));

  it.concurrent('tell branches', () =>
    check(
      'a = 3\nif a == 1:\n    b = 1\nelif a == 2:\n    b = 2\nelif a == 3:\n    b = 3\nif a:\n    pass\nif not a:\n    pass\n',
      [
        '0:1 → a=3',
        '0:2 a=3 false',
        '0:4 a=3 false',
        '0:6 a=3 true',
        '0:7 → b=3',
        '0:8 a=3 true',
        '0:9',
        '0:10 a=3 false',
      ],
    ));

  it.concurrent('tell each turn of a loop, and its end', () =>
    check(
      'n = 0\nfor i in [5, 6]:\n    if i == 5:\n        continue\n    n += i\nwhile n:\n    n -= 3\n    if n < 3:\n        break\nelse:\n    n = 9\n',
      [
        '0:1 → n=0',
        '0:2 → i=5 iteration',
        '0:3 i=5 true',
        '0:4',
        '0:2 → i=6 iteration',
        '0:3 i=6 false',
        '0:5 i=6 → n=6',
        '0:2 → i=6 done',
        '0:6 n=6 iteration',
        '0:7 → n=3',
        '0:8 n=3 false',
        '0:6 n=3 iteration',
        '0:7 → n=0',
        '0:8 n=0 true',
        '0:9',
      ],
    ));

  it.concurrent('begin a loop header anew also where a jump runs something in between', () =>
    check('for i in [1, 2]:\n    try:\n        continue\n    finally:\n        x = i\n', [
      '0:1 → i=1 iteration',
      '0:2',
      '0:3',
      '0:5 i=1 → x=1',
      '0:1 → i=2 iteration',
      '0:2',
      '0:3',
      '0:5 i=2 → x=2',
      '0:1 → i=2 done',
    ]));

  it.concurrent('leave unbound names out', () =>
    check(
      'def f(flag):\n    if flag:\n        a = 1\n    try:\n        b = a\n    except NameError:\n        del flag\n    return 0\n\nf(0)\n',
      [
        '0:1',
        '0:10',
        '1:1 entry → flag=0 from #1',
        '1:2 flag=0 false',
        '1:4',
        '1:5 raises UnboundLocalError("UNBOUND") incomplete',
        '1:7',
        '1:8 returns 0',
      ].map((line) =>
        line.replace(
          '"UNBOUND"',
          minor(python) < 11
            ? '"local variable \'a\' referenced before assignment"'
            : '"cannot access local variable \'a\' where it is not associated with a value"',
        ),
      ),
    ));

  it.concurrent('tell what a statement raised, where it is caught and where it leaves', () =>
    check(
      'def f(x):\n    return 1 // x\n\ntry:\n    f(0)\nexcept ZeroDivisionError as e:\n    y = 1\nfinally:\n    z = 2\n',
      [
        '0:1',
        '0:4',
        "0:5 raises ZeroDivisionError('MESSAGE') incomplete",
        '1:1 entry → x=0 from #2',
        "1:2 x=0 raises ZeroDivisionError('MESSAGE') incomplete",
        '0:7 → y=1',
        '0:9 → z=2',
      ].map((line) => line.replace('MESSAGE', minor(python) < 14 ? 'integer division or modulo by zero' : '')),
    ));

  it.concurrent('do not guess what a context manager swallowed', () =>
    check('import contextlib\ndef g():\n    pass\nwith contextlib.suppress(KeyError):\n    {}[1]\ng()\n', [
      '0:1',
      '0:2',
      '0:4',
      '0:5 incomplete',
      '0:6',
      '1:2 entry from #4',
      '1:3',
    ]));

  it.concurrent('tell activations of a recursion apart', () =>
    check('def f(n):\n    if n:\n        return n + f(n - 1)\n    return 0\n\nf(2)\n', [
      '0:1',
      '0:6',
      '1:1 entry → n=2 from #1',
      '1:2 n=2 true',
      '1:3 n=2 returns 3',
      '2:1 entry → n=1 from #4',
      '2:2 n=1 true',
      '2:3 n=1 returns 1',
      '3:1 entry → n=0 from #7',
      '3:2 n=0 false',
      '3:4 returns 0',
    ]));

  it.concurrent('keep the activation of a generator', () =>
    check(
      'def g(k):\n    while k:\n        yield k\n        k -= 1\n\na, b = g(2), g(1)\nc = [next(a), next(b), next(a)]\n',
      [
        '0:1',
        '0:6 → a=<generator> b=<generator>',
        '0:7 a=<generator> b=<generator> → c=[2, 1, 1]',
        '1:1 entry → k=2 from #2',
        '1:2 k=2 iteration',
        '1:3 k=2',
        '2:1 entry → k=1 from #2',
        '2:2 k=1 iteration',
        '2:3 k=1 incomplete',
        '1:4 → k=1',
        '1:2 k=1 iteration',
        '1:3 k=1 incomplete',
      ],
    ));

  it.concurrent('keep the activations of coroutines', () =>
    check(
      'import asyncio\nasync def work(n):\n    for i in [1, 2]:\n        await asyncio.sleep(0)\n    return n\n\nasync def main():\n    return await asyncio.gather(work(7), work(8))\n\nr = asyncio.run(main())\n',
      [
        '0:1',
        '0:2',
        '0:7',
        '0:10 → r=[7, 8]',
        '1:7 entry from #3',
        '1:8 returns [7, 8]',
        '2:2 entry → n=7 from #3',
        '2:3 → i=1 iteration',
        '2:4',
        '3:2 entry → n=8 from #3',
        '3:3 → i=1 iteration',
        '3:4',
        '2:3 → i=2 iteration',
        '2:4',
        '3:3 → i=2 iteration',
        '3:4',
        '2:3 → i=2 done',
        '2:5 n=7 returns 7',
        '3:3 → i=2 done',
        '3:5 n=8 returns 8',
      ],
    ));

  it.concurrent('read closures and globals, and make no variable a closure', () =>
    check(
      'T = 1\ndef outer():\n    x = 1\n    y = 2\n    def inner():\n        global T\n        nonlocal x\n        x = x + T\n        T = x\n        return [x for y in [1]]\n    inner()\n    print(inner.__code__.co_freevars, outer.__code__.co_cellvars)\n    return x\n\nouter()\n',
      [
        '0:1 → T=1',
        '0:2',
        '0:15',
        '1:2 entry from #2',
        '1:3 → x=1',
        '1:4 → y=2',
        '1:5',
        '1:11',
        '2:5 entry from #7',
        '2:6',
        '2:7',
        '2:8 T=1 x=1 → x=2',
        '2:9 x=2 → T=2',
        '2:10 x=2 returns [2]',
        '1:12',
        '1:13 x=2 returns 2',
      ],
    ));

  it.concurrent('call no function from a thread that did not call it', async () => {
    const { shown } = await observe(
      python,
      'import threading\ndef f(n):\n    return n\n\nt = threading.Thread(target=f, args=(1,))\nt.start()\nt.join()\n',
    );
    const entry = shown.find((line) => line.includes('entry'));
    expect(entry).toBe('1:2 entry → n=1');
  });

  it.concurrent('tell threads apart', async () => {
    const { shown, reading, stdout } = await observe(
      python,
      'import threading\nLOCK = threading.Lock()\ndef f(n):\n    total = 0\n    for i in range(200):\n        total += n\n    return total\n\nts = [threading.Thread(target=f, args=(k,)) for k in range(4)]\n[t.start() for t in ts]\n[t.join() for t in ts]\nprint("done")\n',
    );
    expect(stdout).toBe('done\n');
    expect(reading.notes).toEqual([]);
    for (const frame of [1, 2, 3, 4]) {
      const own = shown.filter((line) => line.startsWith(`${frame}:`));
      const n = Number(/n=(\d)/.exec(own[0] ?? '')?.[1]);
      expect(own).toHaveLength(1 + 1 + 2 * 200 + 1 + 1);
      expect(own.at(-1)).toBe(`${frame}:7 total=${n * 200} returns ${n * 200}`);
    }
  });

  it.concurrent('leave what was written when the process ends at once', async () => {
    const { shown, status } = await observe(python, 'import os\na = 1\nos._exit(a)\n');
    expect(status).toBe(1);
    expect(shown).toEqual(['0:1', '0:2 → a=1', '0:3 a=1 incomplete']);
  });

  it.concurrent('leave what was written when the process is killed', async () => {
    const { shown, status } = await observe(python, 'import os, signal\na = 1\nos.kill(os.getpid(), signal.SIGKILL)\n');
    expect(status).toBe('SIGKILL');
    expect(shown).toEqual(['0:1', '0:2 → a=1', '0:3 incomplete']);
  });

  it.concurrent('do not speak for a forked child', async () => {
    const { shown, stdout } = await observe(
      python,
      'import os\npid = os.fork()\nx = 1\nif pid == 0:\n    x = 2\n    os._exit(0)\nos.waitpid(pid, 0)\nprint(x)\n',
    );
    expect(stdout).toBe('1\n');
    expect(shown.filter((line) => line.includes('x=2'))).toEqual([]);
    expect(shown.at(-1)).toBe('0:8 x=1');
  });

  it.concurrent('tell an end and the begin beside it, also where a name of one of them is unbound', () =>
    check(
      'g = [1]\nh = g\ndel h\ntry:\n    i = h\n    j = i\nexcept NameError:\n    k = 2\nif k:\n    password = 7\n    k = password\nglobals().pop("g")\ng = k\n',
      [
        '0:1 → g=[1]',
        '0:2 g=[1] → h=[1]',
        '0:3',
        '0:4',
        `0:5 raises NameError("name 'h' is not defined") incomplete`,
        '0:8 → k=2',
        '0:9 k=2 true',
        '0:10 → password=‹masked: name "password"›',
        '0:11 password=‹masked: name "password"› → k=7',
        '0:12',
        '0:13 k=7 → g=7',
      ],
    ));

  it.concurrent('lose no end of a statement where the one after it meets the limit of the stack', async () => {
    const source =
      'def deep(n):\n    a = n\n    b = a + 1\n    c = deep(b)\n    return c\n\ntry:\n    deep(0)\nexcept RecursionError:\n    pass\n';
    const { shown, stderr } = await observe(python, source);
    expect(stderr).toBe('');
    expect(shown.filter((line) => /^[0-9]+:[23] .*raises/.test(line))).toEqual([]);
  });

  it.concurrent('stop at the limit of events, and the program goes on', async () => {
    const { shown, reading, stdout, status } = await observe(
      python,
      'def f(n):\n    return n\n\ntotal = 0\nfor i in range(1000):\n    total += f(i)\nprint(total)\n',
      { max_events: 50 },
    );
    expect([status, stdout]).toEqual([0, '499500\n']);
    expect(reading.truncated).toBe(true);
    expect(shown).toHaveLength(50);
  });

  it.concurrent.each([4096, 10_000, 70_000, 200_000])('stop at the limit of %i bytes', async (max_bytes) => {
    const { reading, stdout, bytes } = await observe(
      python,
      'text = "x" * 150\nfor i in range(4000):\n    text = text[1:] + "y"\nprint(len(text))\n',
      { max_bytes },
    );
    expect(stdout).toBe('150\n');
    expect(reading.truncated).toBe(true);
    expect(reading.notes).toEqual([]);
    expect(bytes).toBeLessThanOrEqual(max_bytes);
    expect(bytes).toBeGreaterThan(max_bytes / 2 - 4096);
    expect(reading.events.length).toBeGreaterThan(max_bytes / 1000);
  });

  it.concurrent('keep the first and the last hits of each probe beyond the limit, and say what is missing', async () => {
    const { shown, reading, stdout } = await observe(
      python,
      'total = 0\nfor i in range(5000):\n    total += i\n    if i == 4990:\n        late = i\nprint(total)\n',
      { max_events: 50, keep: { first: 3, last: 10 } },
    );
    expect(stdout).toBe('12497500\n');
    expect(reading).toMatchObject({ truncated: true, notes: [] });
    const of = (line: number) => shown.filter((text) => text.startsWith(`0:${line} `));
    // the head, then three more as they come, then the last ten at least
    expect(of(3).slice(-4)).toEqual([4996, 4997, 4998, 4999].map((i) => expect.stringContaining(`i=${i} `)));
    expect(of(3).length).toBeGreaterThanOrEqual(16 + 3 + 10);
    expect(of(3).length).toBeLessThanOrEqual(17 + 3 + 20);
    expect(of(5)).toEqual(['0:5 i=4990 → late=4990']);
    const hits = reading.thinned?.map(
      ({ n, missing }) => missing + reading.events.filter((event) => event.n === n).length,
    );
    expect(hits?.sort()).toEqual([5000, 5000, 5001]);
    expect(reading.events.filter(({ gap }) => gap)).toHaveLength(1);
    expect(reading.events.every(({ completed }) => completed)).toBe(true);
  });

  it.concurrent('thin what fills the file, and stay within it', async () => {
    const max_bytes = 200_000;
    const { reading, stdout, bytes } = await observe(
      python,
      'text = "x" * 150\nfor i in range(9000):\n    text = text[1:] + "y"\nprint(len(text))\n',
      { max_bytes, keep: { first: 5, last: 20 } },
    );
    expect(stdout).toBe('150\n');
    expect(reading).toMatchObject({ truncated: true, notes: [] });
    expect(bytes).toBeLessThanOrEqual(max_bytes);
    expect(reading.events.findLast(({ after }) => after?.i !== undefined)?.after?.i?.text).toBe('8999');
  });

  it.concurrent.each([[100_000], [101_000]])(
    'lose no end of a statement where %d bytes are full',
    async (max_bytes) => {
      const { reading } = await observe(
        python,
        'text = "x" * 150\ntotal = 0\nfor i in range(3000):\n    text = text[1:] + "y"\n    total += i\n',
        { max_bytes, keep: { first: 5, last: 20 } },
      );
      expect(reading.events.filter(({ completed }) => !completed)).toEqual([]);
      const hits = reading.thinned?.map(
        ({ n, missing }) => missing + reading.events.filter((event) => event.n === n).length,
      );
      expect(hits?.sort()).toEqual([3000, 3000, 3001]);
    },
  );

  it.concurrent('keep the last hits also where the first ones have no room', async () => {
    const { reading, shown } = await observe(
      python,
      'text = "x" * 150\nfor i in range(3000):\n    text = text[1:] + "y"\nfor k in range(3):\n    text = "z"\n',
      { max_bytes: 200_000, keep: { first: 1000, last: 5 } },
    );
    expect([reading.notes, reading.events.filter(({ completed }) => !completed)]).toEqual([[], []]);
    expect(shown.findLast((text) => text.startsWith('0:2 '))).toBe('0:2 → i=2999 done');
    expect(shown.filter((text) => text.startsWith('0:5 '))).toHaveLength(3);
    const hits = reading.thinned?.map(
      ({ n, missing }) => missing + reading.events.filter((event) => event.n === n).length,
    );
    expect(hits?.sort()).toEqual([3000, 3001]);
  });

  it.concurrent('say that the last hits are missing where the process was killed', async () => {
    const { reading } = await observe(python, 'import os\nfor i in range(500):\n    n = i\nos.kill(os.getpid(), 9)\n', {
      max_events: 50,
      keep: { first: 3, last: 10 },
    });
    expect(reading.truncated).toBe(true);
    expect(reading.notes).toEqual(['the run ended before the last hits were written']);
  });

  it.concurrent('write more than one block', async () => {
    const { reading, shown } = await observe(python, 'n = 0\nfor i in range(20000):\n    n += i\n');
    expect(reading).toMatchObject({ truncated: false, notes: [] });
    expect(shown).toHaveLength(1 + 20001 + 20000);
    expect(shown.at(-2)).toBe('0:3 i=19999 → n=199990000');
  });

  it.concurrent('say which statement of several on a line', () =>
    check('a = 1; b = a + 1; c = b\n', ['0:1 → a=1', '0:1 a=1 → b=2', '0:1 b=2 → c=2']));

  it.concurrent('say what they could not be put on', async () => {
    const { reading } = await observe(python, 'class A:\n    x = 1\n\n    def m(self):\n        return 1\n\nA().m()\n');
    expect(reading.notes).toEqual([
      expect.stringMatching(/^probe \d+: line 2 is in the body of a class$/),
      expect.stringMatching(/^probe \d+: line 4 is/),
    ]);
  });

  it.concurrent('give the same bytes for the same run', async () => {
    const source = 'class A: pass\nitems = [A(), {1, 2}, {"k": A}]\nfor item in items:\n    kept = item\n';
    const [one, two] = await Promise.all([observe(python, source), observe(python, source)]);
    expect(one.reading).toEqual(two.reading);
    expect(one.reading.events.length).toBeGreaterThan(5);
  });

  it.concurrent('name an object by one serial, and no later one at its place by the same', async () => {
    const { reading } = await observe(
      python,
      'class A: pass\na = A()\nb = a\na = b = None\na = A()\nm = [1]\nn = m\nm = n = None\nm = [1]\n',
    );
    const refs = reading.events.flatMap(({ after }) => Object.values(after ?? {}).map(({ ref }) => ref));
    const [, first, same, , , second, list, sameList, , , third] = [undefined, ...refs.slice(0)];
    expect(refs.length).toBeGreaterThan(6);
    expect(new Set([first, second, list, third]).size).toBe(4);
    expect([same, sameList]).toEqual([first, list]);
  });

  it.concurrent('let finalizers run while the interpreter ends', async () => {
    const source =
      'class A:\n    def size(self):\n        return 5\n\n    def __del__(self):\n        n = self.size()\n        print("gone", n)\n\ndef g():\n    try:\n        yield 1\n    finally:\n        print("closed")\n\na = A()\nb = g()\nc = next(b)\n';
    const { stdout, stderr } = await observe(python, source);
    expect(stderr).toBe('');
    expect(stdout.split('\n').sort()).toEqual(['', 'closed', 'gone 5']);
  });

  it.concurrent('need no builtin that the program has patched', async () => {
    const source = `import builtins, os, json, weakref
def bad(*args, **more):
    raise SystemExit('ran')
NAMES = 'len id repr sorted min max type issubclass isinstance sum str ascii zip list'.split()
class A: pass
def f(n):
    x = {3, 1}
    y = [x, 'a' * 300, 10 ** 700, A(), (n, {'k': x})]
    return y
held = [(builtins, name, getattr(builtins, name)) for name in NAMES]
held += [(os, 'open', os.open), (os, 'write', os.write), (json, 'dumps', json.dumps), (weakref, 'ref', weakref.ref)]
for scope, name, _ in held: setattr(scope, name, bad)
for i in range(400): f(i)
for scope, name, kept in held: setattr(scope, name, kept)
print(f(1)[2] % 7)
`;
    const { stdout, stderr, reading } = await observe(python, source);
    expect([stdout, stderr]).toEqual(['4\n', '']);
    expect(reading.notes.filter((note) => !note.includes('body of a class'))).toEqual([]);
    const last = reading.events.filter(({ returned }) => returned !== undefined).at(-1);
    expect(last?.returned?.text).toMatch(
      /^\[\{1, 3\}, 'a{200}'…, <int of 2326 bits>, A\{\}, \(1, \{'k': \{1, 3\}\}\)\]$/,
    );
  });

  it.concurrent('keep no object alive', async () => {
    const { stdout } = await observe(
      python,
      'class A:\n    def __del__(self):\n        print("gone", self.n)\n\ndef f(n):\n    a = A()\n    a.n = n\n    kept = [a]\n    held = {1: a}\n    return n\n\nf(1)\nprint("after")\nf(2)\nprint("end")\n',
    );
    expect(stdout).toBe('gone 1\nafter\ngone 2\nend\n');
  });
});

describe.each(samplePythons().filter((python) => minor(python) >= 10))('match on CPython $version', (python) => {
  it('tells the case that was taken', async () => {
    const { shown } = await observe(
      python,
      'def f(x):\n    match x:\n        case 1:\n            r = "one"\n        case [a, *_] if a:\n            r = a\n    match x:\n        case _:\n            pass\n\nf(1)\nf([5])\nf(None)\n',
    );
    const seen = only(shown, 1).filter((line) => /:(?:2|7) /.test(line));
    expect(seen).toEqual([
      '1:2 x=1 case 1',
      '1:7 x=1 case 1',
      '2:2 x=[5] case 2',
      '2:7 x=[5] case 1',
      '3:2 x=None none',
      '3:7 x=None case 1',
    ]);
  });
});
