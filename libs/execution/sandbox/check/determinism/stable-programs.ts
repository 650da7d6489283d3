import { stable } from './program.ts';

const slice = { slice: true } as const;

/** Many of them look as if they were not. */
export const STABLE = [
  ...stable('python', [
    ['a seeded number', 'import random; random.seed(1); print(random.random(), random.randrange(10**9))', slice],
    ['a seeded shuffle', 'import random; x = list(range(50)); random.Random(7).shuffle(x); print(x)'],
    ['a sorted set', 'print(sorted({str(i) for i in range(50)}))', slice],
    ['a set of numbers', 'print({i * 37 % 101 for i in range(50)})'],
    ['a dict in the order of its making', 'print({f"k{i}": i for i in range(40)})'],
    ['a number of different words', 'print(len({str(i) for i in range(50)}))'],
    ['a digest', 'import hashlib; print(hashlib.sha256(b"text").hexdigest())'],
    ['a hash of numbers', 'print(hash(12345), hash((1, 2, 3)), hash(1.5))'],
    ['a name made from a name', 'import uuid; print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.org"))'],
    [
      'a time that is fixed',
      'import datetime as d; print(d.datetime.fromtimestamp(1700000000.123456, d.timezone.utc).isoformat())',
      slice,
    ],
    ['what looks like a clock', 'print("at", 1764518400.123456, "took 0.123s")'],
    ['what looks like an address', 'print("<object at 0x7f3a5c0d1e20>")'],
    ['what looks like a pid', 'print("pid 4711, thread 12")'],
    ['a version', 'import sys; print(sys.version)'],
    ['floating numbers', 'import math; print(math.pi, 1 / 3, math.sin(1e6), 1e-300, 0.1 + 0.2)'],
    ['text of other scripts', 'print("grüße, 世界, \\U0001f600")'],
    ['a long output', 'for i in range(5000): print(i, i * i)'],
    ['an output over the cap', 'for i in range(60000): print(i, i * i)'],
    ['bytes that are no text', 'import sys; sys.stdout.buffer.write(bytes(range(256)))'],
    ['files', 'import os; os.mkdir("out")\nfor i in range(20): open(f"out/{i}.txt", "w").write(str(i))', slice],
    ['a file of bytes', 'import os; os.mkdir("out"); open("out/b", "wb").write(bytes(range(256)) * 100)'],
    ['an exit code', 'import sys; print("failed"); sys.exit(3)', slice],
    ['an end by a signal', 'import os; print("now", flush=True); os.kill(os.getpid(), 11)'],
    ['an abort', 'import os; os.abort()'],
    ['a traceback', 'def f(n): return 1 / n\nf(0)'],
    [
      'too deep a recursion',
      'def f(n): return f(n + 1)\ntry: f(0)\nexcept RecursionError as e: print(type(e).__name__)',
    ],
    [
      'threads, one after another',
      'import threading\nfor i in range(8):\n  t = threading.Thread(target=print, args=(i,)); t.start(); t.join()',
    ],
    [
      'threads whose answers are sorted',
      'import threading\nout = []\nts = [threading.Thread(target=lambda i=i: out.append(i * i)) for i in range(16)]\n[t.start() for t in ts]; [t.join() for t in ts]; print(sorted(out))',
    ],
    [
      'threads by name',
      'from concurrent.futures import ThreadPoolExecutor as P\nwith P(4) as p: print(list(p.map(lambda x: x * x, range(30))))',
    ],
    ['a list of a folder, sorted', 'import os; print(sorted(os.listdir("many")))'],
    [
      'a folder with a random name, not shown',
      'import os, tempfile; d = tempfile.mkdtemp(); open(d + "/x", "w").write("x"); print(os.listdir(d))',
    ],
    ['that it has a pid', 'import os; print(os.getpid() > 0, os.getpid() == os.getpid())'],
    ['that one address is itself', 'x = object(); print(id(x) == id(x))'],
    ['a pause', 'import time; time.sleep(0.02); print("done")'],
    ['a time it does not tell', 'import time; print(time.time() > 0, time.monotonic() >= 0)'],
    ['its folder, host and user', 'import os; print(os.getcwd(), os.uname().nodename, os.path.expanduser("~"))'],
    ['its input', 'import sys; print(repr(sys.stdin.read()))'],
    [
      'data as JSON',
      'import json; print(json.dumps({"b": [1, 2.5, None], "a": {"x": True}}, sort_keys=True, indent=1))',
    ],
    ['nothing', ''],
  ]),
  ...stable('javascript', [
    [
      'a generator of numbers',
      'let s = 42; const r = () => (s = (s * 1103515245 + 12345) % 2147483648); console.log(r(), r(), r())',
      slice,
    ],
    ['a Map and a Set', 'console.log(new Map([["b", 1], ["a", 2]]), new Set(["z", "y", "x"]))'],
    ['a digest by Node', 'console.log(require("node:crypto").createHash("sha1").update("x").digest("base64"))'],
    [
      'an order of timers',
      'setTimeout(() => console.log(3), 1500); setImmediate(() => console.log(2)); Promise.resolve().then(() => console.log(1))',
    ],
    ['a fixed date', 'console.log(new Date(1700000000000).toISOString())'],
    ['an error that nobody catches', 'throw new Error("broken")'],
    [
      'names by Node, which sorts them itself',
      'console.log(require("node:fs").readdirSync("many").sort().join(), require("node:fs").readdirSync("many").join())',
    ],
    ['an exit code by Node', 'process.exitCode = 9; console.error("nine")'],
  ]),
  ...stable('sh', [
    ['numbers', 'seq 1 500', slice],
    ['names in order', 'for f in many/*; do echo "$f"; done'],
    ['a checksum', 'md5sum many/* | sort'],
    ['a seeded number by awk', "awk 'BEGIN { srand(5); print rand(), rand() }'"],
    ['a fixed date by shell', 'date -u -d @1700000000 +%Y-%m-%dT%H:%M:%S'],
    ['an end by a signal, by shell', 'echo now; kill -TERM $$'],
    ['an exit code by shell', 'grep -q nothing a.txt'],
    ['a list that ls has sorted', 'ls many'],
    ['jobs that are awaited', 'for n in 1 2 3 4 5; do (echo "$n") & wait; done'],
    ['files by shell', 'mkdir out; for n in 1 2 3; do echo "$n" > "out/$n"; done; ln -s 1 out/link'],
  ]),
];
