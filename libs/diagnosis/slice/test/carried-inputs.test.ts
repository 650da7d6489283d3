import { describe, expect, it } from 'vitest';
import { traceDiff } from '../src/index.ts';
import { buildRun, listOf, objectOf, type RowText } from './build-run.ts';

type Sides = readonly [readonly RowText[], readonly RowText[]];

/** Differences that count, as "sequence name", of runs that are called "failing" and "other". */
function check([mine, theirs]: Sides, expected: string, tests: readonly [string?, string?] = []): void {
  const run = buildRun({ rows: mine, ...(tests[0] === undefined ? {} : { test: tests[0] }) });
  const other = buildRun({ rows: theirs, name: 'other', ...(tests[1] === undefined ? {} : { test: tests[1] }) });
  const counted = traceDiff(run, other).differences.filter(({ isInput }) => !isInput);
  expect(counted.map(({ sequence, name }) => `${sequence} ${name}`).join(', ')).toBe(expected);
  const swapped = traceDiff(other, run).differences.filter(({ isInput }) => !isInput);
  expect(swapped.map(({ otherSequence, name }) => `${otherSequence} ${name}`).sort()).toEqual(
    expected === '' ? [] : expected.split(', ').sort(),
  );
}

const both = <Input>(rows: (input: Input) => RowText[], mine: Input, theirs: Input): Sides => [
  rows(mine),
  rows(theirs),
];
type Values = NonNullable<RowText['values']>;
/** Function f, which the test calls. */
const given = (values: Values): RowText => ({ at: 1, role: 'entry', defs: Object.keys(values), values });
/** Function g, which row `caller` calls. */
const called = (caller: number, values: Values, more: Partial<RowText> = {}): RowText => ({
  ...{ at: 8, fn: 'g', frame: 1, role: 'entry', caller, defs: Object.keys(values), values },
  ...more,
});

describe('a parameter of the next function is carried', () => {
  it('where the caller hands on its own', () =>
    check(
      both(
        (a) => [
          given({ a }),
          { at: 2, uses: ['a', 'half'], defs: ['low'], values: { a, low: Math.floor(a / 2) } },
          called(1, { n: a }),
          { at: 9, fn: 'g', frame: 1, role: 'return', uses: ['n'], values: { n: a }, returned: Math.floor(a / 2) },
        ],
        2,
        0,
      ),
      '3 return, 1 low',
    ));

  it('where the calling statement binds the same name anew', () =>
    check(
      both(
        (n) => [
          given({ n }),
          { at: 2, uses: ['n'], defs: ['n'], before: { n }, values: { n: n + 1 } },
          called(1, { m: n }),
        ],
        2,
        5,
      ),
      '1 n',
    ));

  it('where it is a slot of what the caller read, by path or by name', () =>
    check(
      both(
        (x) => [
          given({ o: objectOf(1, `Box{x: ${x}, y: ${x + 1}}`) }),
          { at: 2, uses: ['o', 'o.x'], values: { o: objectOf(1, `Box{x: ${x}, y: ${x + 1}}`) } },
          called(1, { n: x, y: x + 1, z: x + 7 }),
        ],
        2,
        5,
      ),
      '2 z',
    ));

  it('where it is an item for which a callback is called', () =>
    check(
      both(
        (x) => [
          given({ xs: listOf(1, x, x + 3) }),
          { at: 2, uses: ['xs'], values: { xs: listOf(1, x, x + 3) } },
          called(1, { v: x }, { fn: 'f.<lambda>' }),
          called(1, { v: x + 3 }, { fn: 'f.<lambda>', frame: 2 }),
          called(1, { v: x }, { fn: 'f.<lambda>', frame: 3 }),
        ],
        2,
        5,
      ),
      '4 v',
    ));

  it('not where the caller computes it', () =>
    check(
      both((a) => [given({ a }), { at: 2, uses: ['a'], values: { a } }, called(1, { n: a + 1 })], 2, 0),
      '2 n',
    ));

  it('not where it is an input that the caller did not read', () =>
    check(
      both((a) => [given({ a, b: 1 }), { at: 2, uses: ['b'], values: { b: 1 } }, called(1, { n: a })], 2, 0),
      '2 n',
    ));

  it('not where it equals the input in one run only', () =>
    check(
      [
        [given({ a: 1 }), { at: 2, uses: ['a'], values: { a: 1 } }, called(1, { n: 1 })],
        [given({ a: 4 }), { at: 2, uses: ['a'], values: { a: 4 } }, called(1, { n: 2 })],
      ],
      '2 n',
    ));

  it('not where another parameter of that name is what was read: a length that equals the expected one', () =>
    check(
      both((n) => [given({ n, xs: listOf(1, 9, n) }), { at: 2, uses: ['n', 'xs'] }, called(1, { length: n, n })], 2, 3),
      '2 length',
    ));

  it('not where two parameters may be it', () =>
    check(
      both((a) => [given({ a }), { at: 2, uses: ['a'] }, called(1, { n: a, m: a })], 2, 3),
      '2 m, 2 n',
    ));

  it('not for a number that some item of a list happens to be', () =>
    check(
      both((x) => [given({ xs: listOf(1, x, 7) }), { at: 2, uses: ['xs'] }, called(1, { n: x })], 2, 3),
      '2 n',
    ));
});

describe('a name in a function', () => {
  it('is computed once a statement binds it, though it be equal to the input', () =>
    check(
      both(
        (n) => [
          given({ n }),
          { at: 2, uses: ['n'], defs: ['n'], values: { n } },
          { at: 3, uses: ['n'], values: { n } },
        ],
        3,
        5,
      ),
      '1 n, 2 n',
    ));

  it('is computed where small values, booleans and empty strings happen to be equal to an input', () => {
    for (const [mine, theirs] of [
      [1, 0],
      ['', 'x'],
      [
        { type: 'bool', text: 'True', truncated: false },
        { type: 'bool', text: 'False', truncated: false },
      ],
    ] as const)
      check(
        both(
          (a: Values[string]) => [given({ a }), { at: 2, uses: ['a'], defs: ['k'], values: { a, k: a } }],
          mine,
          theirs,
        ),
        '1 k',
      );
  });

  it('is carried where a function inside reads it', () =>
    check(
      both(
        (n) => [
          given({ n }),
          { at: 2, uses: ['inner'] },
          { at: 4, fn: 'f.inner', frame: 1, role: 'entry', caller: 1 },
          { at: 5, fn: 'f.inner', frame: 1, uses: ['n'], defs: ['x'], values: { n, x: n * 2 } },
        ],
        2,
        5,
      ),
      '3 x',
    ));
});

describe('objects', () => {
  const box = (ref: number, x: number) => objectOf(ref, `Box{x: ${x}}`);

  it('are carried under any name while they do not change', () =>
    check(
      both(
        (x) => [
          given({ o: box(1, x) }),
          { at: 2, defs: ['p'], uses: ['o'], values: { o: box(1, x), p: box(1, x) } },
          { at: 3, role: 'return', uses: ['p'], values: { p: box(1, x) }, returned: box(1, x) },
        ],
        2,
        5,
      ),
      '',
    ));

  it('are not carried once they change', () =>
    check(
      both(
        (x) => [
          given({ o: box(1, x) }),
          { at: 2, defs: ['o.x'], uses: ['o'], before: { o: box(1, x) }, values: { o: box(1, x * 2) } },
          { at: 3, uses: ['o'], values: { o: box(1, x * 2) } },
        ],
        2,
        5,
      ),
      '1 o, 2 o',
    ));

  it('are not carried where the two runs chose different ones', () => {
    const rows = (chosen: number, x: number): RowText[] => [
      given({ o: box(1, x), p: box(2, x + 3) }),
      { at: 2, defs: ['best'], uses: ['o', 'p'], values: { best: box(chosen, chosen === 1 ? x : x + 3) } },
    ];
    check([rows(1, 2), rows(2, 5)], '1 best');
    check([rows(2, 2), rows(2, 5)], '');
  });

  it('are carried where they are first met as a slot or item of an input, not where they were made', () => {
    const rows = (x: number, ref: number): RowText[] => [
      given({ o: objectOf(1, `Order{box: Box{x: ${x}}}`) }),
      { at: 2, defs: ['made'], uses: [], values: { made: box(5, x) } },
      { at: 3, defs: ['b'], uses: ['o', 'o.box'], values: { b: box(ref, x) } },
    ];
    check([rows(2, 6), rows(4, 6)], '1 made');
    check([rows(2, 5), rows(4, 5)], '1 made, 2 b');
    check([rows(2, 5), rows(4, 6)], '1 made, 2 b');
  });
});

describe('loops', () => {
  const turn = (x: number, list: Values[string], parent = 0): RowText => ({
    ...{ at: 2, role: 'branch', branch: 'iteration', defs: ['x'], uses: ['xs'], parent },
    values: { x, xs: list },
  });

  it('carry the nth item in the nth turn', () =>
    check(
      both(
        (x) => [given({ xs: listOf(1, x, x + 3) }), turn(x, listOf(1, x, x + 3)), turn(x + 3, listOf(1, x, x + 3), 1)],
        2,
        4,
      ),
      '',
    ));

  it('compute what is not that item, though another one is equal', () =>
    check(
      both((x) => [given({ xs: listOf(1, x, x + 1) }), turn(x + 1, listOf(1, x, x + 1))], 2, 4),
      '1 x',
    ));

  it('count their turns anew the next time', () => {
    const rows = (x: number): RowText[] => {
      const done: RowText = { at: 2, role: 'branch', branch: 'done', uses: ['xs'], values: { xs: listOf(1, x) } };
      return [given({ xs: listOf(1, x) }), turn(x, listOf(1, x)), done, turn(x, listOf(1, x)), done];
    };
    check(both(rows, 2, 4), '');
  });

  it('count by their decisions', () => {
    const end: RowText = { at: 2, role: 'branch', branch: 'done', uses: ['xs'], values: { xs: listOf(1, 2) } };
    check(
      [
        [given({ xs: listOf(1, 2) }), end],
        [given({ xs: listOf(1, 4) }), turn(4, listOf(1, 4))],
      ],
      '1 branch',
    );
  });

  it('carry a structured item wherever it stands, the same in both', () => {
    const rows = (x: number, chosen: number): RowText[] => {
      const xs = objectOf(1, `[Box{x: ${x}}, Box{x: ${x + 1}}]`, 'list');
      const b = objectOf(chosen + 5, `Box{x: ${x + chosen}}`);
      return [
        given({ xs }),
        { at: 2, role: 'branch', branch: 'iteration', defs: ['b'], uses: ['xs'], values: { b, xs } },
      ];
    };
    check([rows(2, 1), rows(4, 1)], '');
    check([rows(2, 1), rows(4, 0)], '1 b');
  });
});

describe('code of the test', () => {
  const ids = ['test_a.py::ATest::test_x', 'test_a.py::ATest::test_y'] as const;
  const self = (x: number | string) => objectOf(0, `ATest{name: ${x}}`);

  it('is looked through: set-up, test object and parametrised tests', () =>
    check(
      both(
        (n) => [
          { at: 'test_a.py:2', fn: 'ATest.setUp', role: 'entry', defs: ['self'], values: { self: self(n) } },
          {
            at: 'test_a.py:3',
            fn: 'ATest.setUp',
            defs: ['self.x'],
            before: { self: self(n) },
            values: { self: self(n + 1) },
          },
          { at: 1, frame: 1, role: 'entry', caller: 1, defs: ['n'], values: { n } },
          { at: 2, frame: 1, uses: ['n'], defs: ['k'], values: { n, k: n * 2 } },
        ],
        2,
        5,
      ),
      '3 k',
      ids,
    ));

  it('is what the methods of its class and the functions inside it are', () =>
    check(
      both(
        (n) => [
          { at: 'sub/test_a.py:2', fn: 'ATest.test_x', role: 'entry' },
          { at: 'sub/test_a.py:3', fn: 'ATest.test_x' },
          { at: 'sub/test_a.py:8', fn: 'ATest.make', frame: 1, role: 'entry', caller: 1 },
          { at: 'sub/test_a.py:9', fn: 'ATest.make', frame: 1, defs: ['made'], values: { made: n } },
          {
            at: 'sub/test_a.py:4',
            fn: 'ATest.test_x.fake',
            frame: 2,
            role: 'entry',
            caller: 1,
            defs: ['n'],
            values: { n },
          },
          { at: 'sub/test_a.py:5', fn: 'ATest.test_x.fake', frame: 2, role: 'return', uses: ['n'], returned: n },
        ],
        2,
        5,
      ),
      '',
      ids,
    ));

  it('is not what else stands in its file: the program under test may', () =>
    check(
      both(
        (n) => [
          { at: 'test_a.py:2', fn: 'test_x', role: 'entry' },
          { at: 'test_a.py:3', fn: 'test_x' },
          { at: 'test_a.py:8', fn: 'double', frame: 1, role: 'entry', caller: 1, defs: ['n'], values: { n } },
          { at: 'test_a.py:9', fn: 'double', frame: 1, role: 'return', uses: ['n'], values: { n }, returned: n * 2 },
        ],
        2,
        5,
      ),
      '3 return',
    ));

  it('lines up what anonymous test functions at different lines call', () => {
    const rows = (line: number, n: number): RowText[] => [
      { at: `a.test.ts:${line}`, fn: '<anonymous>', role: 'entry' },
      { at: `a.test.ts:${line + 1}`, fn: '<anonymous>' },
      { at: 1, frame: 1, role: 'entry', caller: 1, defs: ['n'], values: { n } },
      { at: 2, frame: 1, role: 'return', uses: ['n'], values: { n }, returned: n * 2 },
    ];
    check([rows(3, 2), rows(9, 5)], '3 return', ['a.test.ts > x', 'a.test.ts > y']);
  });

  it('owns its object wherever it is handed to', () =>
    check(
      both(
        (n) => [
          { at: 1, role: 'entry' },
          { at: 2, defs: ['owner'], values: { owner: self(n) } },
        ],
        2,
        5,
      ),
      '',
      ids,
    ));
});
