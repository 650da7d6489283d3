// Issue 6, clause 10: each merge labelled with its rung and a witness; default up to tokens, higher rungs by option.
import { createParser, type Parser } from '@h/syntax';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CompiledForms, deduplicate, type Rung } from '../src/index.ts';
import { candidate } from './candidates.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

const RUNGS = ['bytes', 'tokens', 'tree', 'names'] as const;
const fn = (body: string) => `function f(p, q) { ${body} }`;

/** What joins the pair, and nothing below it. */
const EQUAL: readonly (readonly [rung: Rung, path: string, a: string, b: string])[] = [
  ['bytes', 'f.py', 'x = 1\n', 'x = 1\n'],
  ['tokens', 'f.py', 'x = 1  # one\n', 'x = 1\n'],
  ['tree', 'f.py', 'x = (a) + b\n', 'x = a + b\n'],
  ['tree', 'f.py', 'return_ = ((a + b) + c)\n', 'return_ = a + b + c\n'],
  ['tree', 'f.py', "x = 'a'\n", 'x = "a"\n'],
  ['tree', 'f.py', "x = '\\x61\\n'\n", 'x = """a\n"""\n'],
  ['tree', 'f.py', "x = r'\\d'\n", "x = '\\\\d'\n"],
  ['tree', 'f.py', "x = b'\\x41'\n", 'x = b"A"\n'],
  ['tree', 'f.py', 'x = 1_000\n', 'x = 1000\n'],
  ['tree', 'f.py', 'x = 0x10\n', 'x = 16\n'],
  ['tree', 'f.py', 'x = 1e3\n', 'x = 1000.\n'],
  ['tree', 'f.py', 'if a: b(); c()\n', 'if a:\n    b()\n    c()\n'],
  ['tree', 'f.py', 'f(a, b,)\n', 'f(a, b)\n'],
  ['tree', 'f.py', 'x = [a,]\n', 'x = [a]\n'],
  ['tree', 'f.py', 'from a import (b, c,)\n', 'from a import b, c\n'],
  ['tree', 'f.py', "x = f'{(a)}'\n", "x = f'{a}'\n"],
  ['tree', 'f.js', 'x = (a) + b;', 'x = a + b;'],
  ['tree', 'f.js', 'f()\ng()\n', 'f();\ng();\n'],
  ['tree', 'f.js', "x = 'a'", 'x = "a"'],
  ['tree', 'f.js', 'x = 0x10', 'x = 16'],
  ['tree', 'f.js', 'f(a,)', 'f(a)'],
  ['tree', 'f.js', 'x = { a, b, }', 'x = { a, b }'],
  ['tree', 'f.js', 'if ((a)) b()', 'if (a) b()'],
  ['tree', 'f.js', 'x = (a?.b) + c', 'x = a?.b + c'],
  ['tree', 'f.ts', 'let x = (a as b)', 'let x = a as b'],
  ['names', 'f.py', 'def f(p):\n    a = p\n    return a\n', 'def f(p):\n    b = p\n    return b\n'],
  ['names', 'f.py', 'def f(p):\n    return [a for a in p]\n', 'def f(p):\n    return [b for b in p]\n'],
  [
    'names',
    'f.py',
    'def f(p):\n    for i, x in p:\n        g(x, i)\n',
    'def f(p):\n    for j, y in p:\n        g(y, j)\n',
  ],
  [
    'names',
    'f.py',
    'def f():\n    a = 1\n    def g():\n        return a\n    return g\n',
    'def f():\n    b = 1\n    def g():\n        return b\n    return g\n',
  ],
  ['names', 'f.py', "def f(p):\n    a = p\n    return f'{a}'\n", "def f(p):\n    b = p\n    return f'{b}'\n"],
  [
    'names',
    'f.py',
    'def f():\n    try: g()\n    except A as e: h(e)\n',
    'def f():\n    try: g()\n    except A as x: h(x)\n',
  ],
  [
    'names',
    'f.py',
    'def f():\n    with g() as a:\n        a.a(a=a)\n',
    'def f():\n    with g() as b:\n        b.a(a=b)\n',
  ],
  ['names', 'f.js', fn('let a = 1; return a + q'), fn('let b = 1; return b + q')],
  ['names', 'f.js', fn('for (const a of p) g(a)'), fn('for (const b of p) g(b)')],
  ['names', 'f.js', 'const f = (a, b) => a - b;', 'const f = (x, y) => x - y;'],
  ['names', 'f.js', fn('try { g() } catch (a) { h(a) }'), fn('try { g() } catch (b) { h(b) }')],
  ['names', 'f.js', fn('let { k: a } = p; return a'), fn('let { k: b } = p; return b')],
  ['names', 'f.ts', 'function f(a: number): number { return a; }', 'function f(b: number): number { return b; }'],
];

test.each(EQUAL)('%s joins, and nothing below it: %s %j %j', (rung, path, a, b) => {
  const pair = [candidate('a', path, 'zz', a), candidate('b', path, 'zz', b)];
  for (const at of RUNGS) {
    const { kept, collapsed } = deduplicate(pair, { parser, rung: at });
    const isJoined = RUNGS.indexOf(at) >= RUNGS.indexOf(rung as (typeof RUNGS)[number]);
    expect([at, kept.length], `${a} ${b}`).toEqual([at, isJoined ? 1 : 2]);
    if (isJoined) expect(collapsed).toMatchObject([{ rung, witness: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  }
});

test('the default goes up to tokens', () => {
  const [, path, a, b] = EQUAL.find(([rung]) => rung === 'tree') ?? [];
  const pair = [candidate('a', path ?? '', 'zz', a), candidate('b', path ?? '', 'zz', b)];
  expect(deduplicate(pair, { parser }).kept).toHaveLength(2);
});

test('the witness of a rung is what every member of the class shares there', () => {
  const texts = ['x = a\n', 'x = (a)\n', 'x = ((a))\n', 'x = (a)  # a\n'];
  const all = texts.map((text) => candidate(text, 'f.py', 'zz\n', text));
  const { collapsed, votes } = deduplicate(all, { parser, rung: 'tree' });
  expect(collapsed.map(({ rung }) => rung)).toEqual(['tree', 'tree', 'tree']);
  expect(new Set(collapsed.map(({ witness }) => witness)).size).toBe(1);
  expect(Object.values(votes)).toEqual([4]);
});

test('what equals the snapshot at any rung is a no-op', () => {
  const before = 'def f(p):\n    a = p\n    return a\n';
  const same = (name: string, after: string) => candidate(name, 'f.py', before, after);
  const all = [
    same('bytes', before),
    same('tokens', `# f\n${before}`),
    same('tree', before.replace('= p', '= (p)')),
    same('names', before.replaceAll('a', 'b')),
  ];
  const { kept, no_ops } = deduplicate(all, { parser, rung: 'names' });
  expect(kept).toEqual([]);
  expect(no_ops.map(({ rung }) => rung)).toEqual(['bytes', 'tokens', 'tree', 'names']);
  expect(deduplicate(all, { parser, rung: 'tokens' }).kept).toHaveLength(2);
});

describe('the rung of a compiler', () => {
  const texts = ['x = a if b else c\n', 'if b:\n    x = a\nelse:\n    x = c\n', 'x = d\n', 'x = (d)\n'];
  const all = texts.map((text) => candidate(text, 'f.py', 'zz\n', text));
  const shas = [...new Set(all)].map(({ candidate_id }) => candidate_id); // ids are the hashes of the texts
  const forms = (digests: readonly string[]): CompiledForms => ({
    python: '3.11.7',
    digests: new Map(digests.map((digest, index) => [shas[index] as string, digest.repeat(64)])),
    classes: [],
  });

  test('joins what has one digest, also where a lower rung joined others', () => {
    const { kept, collapsed } = deduplicate(all, { parser, rung: 'compiler', compiled: forms(['a', 'a', 'b', 'b']) });
    expect(kept).toEqual([all[0], all[2]]);
    expect(collapsed.map(({ rung }) => rung)).toEqual(['compiler', 'tree']);
  });

  test('keeps directives as tokens, since no compiler reads them', () => {
    const pair = ['x = a  # type: ignore\n', 'x = a\n'].map((text) => candidate(text, 'f.py', 'zz\n', text));
    const digests = new Map(pair.map(({ candidate_id }) => [candidate_id, 'a'.repeat(64)]));
    const compiled = { python: '3.11.7', digests, classes: [] };
    expect(deduplicate(pair, { parser, rung: 'compiler', compiled }).kept).toHaveLength(2);
  });

  test('goes by the names of locals where a text has no digest', () => {
    const { kept, collapsed } = deduplicate(all, { parser, rung: 'compiler', compiled: forms([]) });
    expect(kept).toHaveLength(3);
    expect(collapsed).toMatchObject([{ rung: 'tree' }]);
  });

  test('is refused without compiled forms', () => {
    expect(() => deduplicate(all, { parser, rung: 'compiler' })).toThrowError(
      expect.objectContaining({ code: 'nothing_compiled' }),
    );
  });
});

test('any order gives the same classes, on every rung', () => {
  const paths = [...new Set(EQUAL.map(([, path]) => path))];
  const all = EQUAL.flatMap(([, path, a, b], n) => [
    candidate(`${n}a`, path, 'zz', a),
    candidate(`${n}b`, path, 'zz', b),
  ]);
  expect(paths.length).toBeGreaterThan(2);
  const classesOf = (order: typeof all, rung: Rung) => {
    const { kept, dropped } = deduplicate(order, { parser, rung });
    return kept
      .map((one) =>
        [one, ...(dropped[one.candidate_id] ?? [])]
          .map(({ candidate_id }) => candidate_id)
          .sort()
          .join(),
      )
      .sort();
  };
  for (const rung of ['tokens', 'names'] as const) {
    const expected = classesOf(all, rung);
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (order) => {
        expect(classesOf(order, rung)).toEqual(expected);
      }),
      { numRuns: 4, seed: 6 },
    );
  }
});
