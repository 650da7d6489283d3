import { readFileSync } from 'node:fs';
import { ObservedRun } from '@h/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateFailure, sliceRows } from '../src/index.ts';
import { buildRun, listOf, objectOf, type RowText } from './build-run.ts';
import { codeOf } from './code-of.ts';
import { runTiny, tinyPrograms } from './tiny-program.ts';

/** Rows by relation, as "0d 3c": data, control, root. */
function check(rows: readonly RowText[], from: number, expected: string): void {
  const run = buildRun({ rows });
  const sliced = sliceRows(run.rows, [from], { events: run.events }).rows;
  const text = [...sliced].sort((a, b) => a.sequence - b.sequence).map((row) => `${row.sequence}${row.relation[0]}`);
  expect(text.join(' ')).toBe(expected);
}

/** What `h diagnose` recorded of `assert list(gen(3)) == [0, 1, 2]`. */
const generatorRun = ObservedRun.parse(
  JSON.parse(readFileSync(new URL('fixtures/generator-run.json', import.meta.url), 'utf8')),
);
const entry = { at: 1, role: 'entry' } as const;

describe('within a function', () => {
  it('follows the last definition only', () =>
    check(
      [
        entry,
        { at: 2, defs: ['x'] },
        { at: 3, defs: ['x'] },
        { at: 4, defs: ['y'] },
        { at: 5, role: 'return', uses: ['x'] },
      ],
      4,
      '0c 2d 4r',
    ));

  it('follows the branch that decided', () =>
    check(
      [
        { ...entry, defs: ['n'] },
        { at: 2, role: 'branch', uses: ['n'], branch: 'true' },
        { at: 3, defs: ['x'], parent: 1 },
        { at: 4, role: 'return', uses: ['x'], parent: 0 },
      ],
      3,
      '0d 1c 2d 3r',
    ));

  it('keeps slots of one object apart', () =>
    check(
      [
        { ...entry, defs: ['self'] },
        { at: 2, defs: ['self.a'], uses: ['self'], values: { self: objectOf(0, 'T{a: 1, b: 0}') } },
        { at: 3, defs: ['self.b'], uses: ['self'], values: { self: objectOf(0, 'T{a: 1, b: 2}') } },
        {
          at: 4,
          role: 'return',
          uses: ['self', 'self.a'],
          values: { self: objectOf(0, 'T{a: 1, b: 2}') },
          returned: 1,
        },
      ],
      3,
      '0d 1d 3r',
    ));

  it('follows an object through another name', () =>
    check(
      [
        entry,
        { at: 2, defs: ['p'], values: { p: listOf(0) } },
        { at: 3, defs: ['q'], uses: ['p'], values: { p: listOf(0), q: listOf(0) } },
        { at: 4, may: ['q'], uses: ['q'], before: { q: listOf(0) }, values: { q: listOf(0, 5) } },
        { at: 5, role: 'return', uses: ['p'], values: { p: listOf(0, 5) } },
      ],
      4,
      '0c 1d 2d 3d 4r',
    ));

  it('leaves out a call that is seen not to have changed its argument', () =>
    check(
      [
        entry,
        { at: 2, defs: ['p'], values: { p: listOf(0, 1) } },
        { at: 3, may: ['p'], uses: ['p'], values: { p: listOf(0, 1) } },
        { at: 4, role: 'return', uses: ['p'], values: { p: listOf(0, 1) } },
      ],
      3,
      '0c 1d 3r',
    ));

  it('keeps a call that may have changed what is not shown', () =>
    check(
      [
        entry,
        { at: 2, defs: ['p'], values: { p: objectOf(0, 'Reader{}') } },
        { at: 3, may: ['p'], uses: ['p'], values: { p: objectOf(0, 'Reader{}') } },
        { at: 4, role: 'return', uses: ['p'], values: { p: objectOf(0, 'Reader{}') } },
      ],
      3,
      '0c 1d 2d 3r',
    ));

  it('makes a handler depend on the statement that was cut short', () =>
    check(
      [
        { ...entry, defs: ['n'] },
        { at: 3, defs: ['x'], uses: ['n'], raised: 'ValueError' },
        { at: 5, defs: ['x'] },
        { at: 6, role: 'return', uses: ['x'] },
      ],
      3,
      '0d 1c 2d 3r',
    ));
});

describe('a statement that was cut short', () => {
  it('may not have bound its name', () =>
    check(
      [
        entry,
        { at: 2, defs: ['x'] },
        { at: 3, defs: ['x'], raised: 'ValueError' },
        { at: 5, role: 'return', uses: ['x'] },
      ],
      3,
      '0c 1d 2d 3r',
    ));

  it('may have changed an object, of which only the value before is known', () =>
    check(
      [
        entry,
        { at: 2, defs: ['p'], values: { p: listOf(0) } },
        { at: 3, may: ['p'], uses: ['p'], values: { p: listOf(0) }, raised: 'ValueError' },
        { at: 5, role: 'return', uses: ['p'], values: { p: listOf(0, 1) } },
      ],
      3,
      '0c 1d 2d 3r',
    ));
});

describe('across calls', () => {
  const inner = { fn: 'g', frame: 1 };

  it('follows parameters to the call and its result to the return', () =>
    check(
      [
        { ...entry, defs: ['n', 'm'] },
        { at: 2, defs: ['a'], uses: ['n'] },
        { at: 3, defs: ['b'], uses: ['m'] },
        { at: 4, defs: ['x'], uses: ['a', 'b'] },
        { at: 10, role: 'entry', defs: ['p'], caller: 3, ...inner },
        { at: 11, defs: ['unused'], ...inner },
        { at: 12, role: 'return', uses: ['p'], ...inner },
        { at: 5, role: 'return', uses: ['x'] },
      ],
      7,
      '0d 1d 2d 3d 4d 6d 7r',
    ));

  it('does not mix up the frames of a recursion', () =>
    check(
      [
        { ...entry, defs: ['n'], values: { n: 2 } },
        { at: 2, defs: ['k'], uses: ['n'], values: { n: 2, k: 2 } },
        { at: 3, defs: ['r'], uses: ['n'], values: { n: 2, r: 9 } },
        { ...entry, frame: 1, caller: 2, defs: ['n'], values: { n: 1 } },
        { at: 2, frame: 1, defs: ['k'], uses: ['n'], values: { n: 1, k: 1 } },
        { at: 4, frame: 1, role: 'return', returned: 9 },
        { at: 4, role: 'return', uses: ['k'], values: { k: 2 } },
      ],
      6,
      '0d 1d 6r',
    ));

  it('follows a slot that another frame wrote', () =>
    check(
      [
        { at: 1, fn: 'T.add', role: 'entry', defs: ['n', 'self'], values: { self: objectOf(3, 'T{total: 0}'), n: 4 } },
        { at: 2, fn: 'T.add', defs: ['self.total'], uses: ['n', 'self'], values: { self: objectOf(3, 'T{total: 4}') } },
        { at: 5, fn: 'T.get', frame: 1, role: 'entry', defs: ['self'], values: { self: objectOf(3, 'T{total: 4}') } },
        {
          ...{ at: 6, fn: 'T.get', frame: 1, role: 'return', returned: 4 },
          uses: ['self', 'self.total'],
          values: { self: objectOf(3, 'T{total: 4}') },
        },
      ],
      3,
      '0d 1d 2d 3r',
    ));

  it('reads an object after the call that changed it', () =>
    check(
      [
        { ...entry, defs: ['o'], values: { o: objectOf(1, 'T{x: 0}') } },
        { at: 2, role: 'return', uses: ['o', 'o.x'], values: { o: objectOf(1, 'T{x: 0}') } },
        { at: 8, role: 'entry', defs: ['p'], caller: 1, values: { p: objectOf(1, 'T{x: 0}') }, ...inner },
        { at: 9, defs: ['p.x'], uses: ['p'], values: { p: objectOf(1, 'T{x: 7}') }, ...inner },
        { at: 10, role: 'return', ...inner },
      ],
      1,
      '0d 1r 2d 3d 4d',
    ));

  it('follows a name that a function inside rebound', () =>
    check(
      [
        { at: 1, role: 'entry' },
        { at: 2, defs: ['x'], values: { x: 0 } },
        { at: 5 },
        { at: 3, fn: 'f.bump', frame: 1, role: 'entry', caller: 2 },
        { at: 4, fn: 'f.bump', frame: 1, defs: ['x'], uses: ['x'], before: { x: 0 }, values: { x: 1 } },
        { at: 6, role: 'return', uses: ['x'], values: { x: 1 } },
      ],
      5,
      '0c 1d 2c 3c 4d 5r',
    ));

  it('finds the binding of a name that is used in a function inside', () =>
    check(
      [
        { at: 1, role: 'entry' },
        { at: 2, defs: ['x'], values: { x: 3 } },
        { at: 9, defs: ['y'], values: { y: 3 } },
        { at: 3, fn: 'f.get', frame: 1, role: 'entry' },
        { at: 4, fn: 'f.get', frame: 1, role: 'return', uses: ['x'], values: { x: 3 }, returned: 3 },
      ],
      4,
      '0c 1d 2c 3c 4r',
    ));

  it('takes the exception of a call for its result', () =>
    check(
      [
        { ...entry },
        { at: 2, defs: ['x'], raised: 'KeyError' },
        { at: 8, role: 'entry', defs: ['p'], caller: 1, ...inner },
        { at: 9, uses: ['p'], raised: 'KeyError', ...inner },
        { at: 4, role: 'return' },
      ],
      4,
      '0c 1d 2d 3d 4r',
    ));

  it('takes the way to the end for the result of a call that returned nothing', () =>
    check(
      [
        { ...entry },
        { at: 2, defs: ['x'] },
        { at: 8, role: 'entry', defs: ['p'], caller: 1, ...inner },
        { at: 9, role: 'branch', uses: ['p'], branch: 'false', ...inner },
        { at: 4, role: 'return', uses: ['x'] },
      ],
      4,
      '0c 1d 2d 3c 4r',
    ));

  it('links what ran inside the statement in which the run ended, caller unknown', () =>
    check(
      [
        { ...entry, defs: ['o'] },
        { at: 2, uses: ['o'], raised: 'AssertionError' },
        { at: 8, role: 'entry', defs: ['p'], ...inner },
        { at: 9, role: 'branch', uses: ['p'], branch: 'false', ...inner },
        { at: 10, role: 'return', uses: ['p'], parent: 3, ...inner },
      ],
      1,
      '0d 1r 2d 3c 4d',
    ));

  it('does not take a function that the test called next for a part of the one before', () =>
    check(
      [
        { ...entry, defs: ['x'] },
        { at: 2, defs: ['y'], uses: ['x'] },
        { at: 8, role: 'entry', ...inner },
      ],
      1,
      '0d 1r',
    ));

  it('links a generator to the statement that resumed it', () =>
    check(
      [
        { ...entry },
        { at: 2, role: 'branch', defs: ['x'], branch: 'iteration' },
        { at: 8, role: 'entry', caller: 1, ...inner },
        { at: 9, defs: ['a'], ...inner },
        { at: 10, uses: ['a'], ...inner },
        { at: 3, uses: ['x'], parent: 1 },
        { at: 2, role: 'branch', defs: ['x'], branch: 'iteration', parent: 1 },
        { at: 11, defs: ['b'], ...inner },
        { at: 12, uses: ['b'], ...inner },
        { at: 4, role: 'return', uses: ['x'], parent: 0 },
      ],
      9,
      '0c 1c 2c 3d 4d 6d 7d 8d 9r',
    ));
});

describe('what a generator gives', () => {
  const gen = { fn: 'gen', frame: 1 };
  const made = { at: 10, role: 'entry', ...gen } as const;

  it('goes to the statement in which a builtin consumes it, of which no more is seen', () =>
    check(
      [
        entry,
        { at: 2, defs: ['x'] },
        { ...made, defs: ['n'], caller: 1 },
        { at: 11, defs: ['i'], ...gen },
        { at: 12, uses: ['i'], ...gen },
        { at: 13, defs: ['j'], uses: ['n'], ...gen },
        { at: 14, uses: ['j'], ...gen },
        { at: 15, role: 'branch', branch: 'done', ...gen },
        { at: 3, role: 'return', uses: ['x'] },
      ],
      8,
      '0c 1d 2d 3d 4d 5d 6d 7c 8r',
    ));

  it('goes to a statement that only changes an object', () =>
    check(
      [
        entry,
        { at: 2, defs: ['out'], values: { out: listOf(0) } },
        { at: 3, may: ['out'], uses: ['out'], before: { out: listOf(0) }, values: { out: listOf(0, 5) } },
        { ...made, caller: 2 },
        { at: 11, defs: ['i'], values: { i: 5 }, ...gen },
        { at: 12, uses: ['i'], values: { i: 5 }, ...gen },
        { at: 4, role: 'return', uses: ['out'], values: { out: listOf(0, 5) } },
      ],
      6,
      '0c 1d 2d 3c 4d 5d 6r',
    ));

  it('goes to the statement that was cut short, with the way to the end', () =>
    check(
      [
        entry,
        { at: 2, raised: 'AssertionError' },
        { ...made, caller: 1 },
        { at: 11, role: 'branch', uses: ['n'], branch: 'true', ...gen },
        { at: 12, uses: ['n'], parent: 3, ...gen },
        { at: 11, role: 'branch', uses: ['n'], branch: 'done', ...gen },
      ],
      1,
      '0c 1r 2c 3c 4d 5c',
    ));

  it('is what it yielded for each statement that ran it', () => {
    const rows: RowText[] = [
      entry,
      { at: 2, defs: ['x'] },
      { ...made, caller: 1 },
      { at: 11, ...gen },
      { at: 3, defs: ['y'] },
      { at: 12, ...gen },
      { at: 13, ...gen },
      { at: 4, role: 'return', uses: ['x'] },
    ];
    check(rows, 7, '0c 1d 2c 3d 7r');
    check([...rows.slice(0, 7), { at: 4, role: 'return', uses: ['y'] }], 7, '0c 1c 2c 4d 5d 6d 7r');
  });

  it('holds a branch at which it waited, once it was resumed', () =>
    check(
      [
        entry,
        { at: 2, defs: ['x'] },
        { ...made, caller: 1 },
        { at: 11, role: 'branch', branch: 'true', ...gen },
        { at: 3 },
        { at: 12, defs: ['sent'], ...gen },
        { at: 4, role: 'return', uses: ['x'] },
      ],
      6,
      '0c 1d 2c 3d 6r',
    ));

  it('goes to the last row of a callback, and to the statement that called that', () => {
    const rows: RowText[] = [
      entry,
      { at: 2, defs: ['x'] },
      { ...made, caller: 1 },
      { at: 11, ...gen },
      { at: 20, fn: 'h', frame: 2, role: 'entry', caller: 1 },
      { at: 21, fn: 'h', frame: 2, defs: ['state'] },
      { at: 12, ...gen },
      { at: 20, fn: 'h', frame: 3, role: 'entry', caller: 1 },
      { at: 3, role: 'return', uses: ['x'] },
    ];
    check(rows, 8, '0c 1d 2c 3d 4c 5d 6d 8r');
    check(rows, 5, '0c 1c 2c 3d 4c 5r 6d');
    check(rows, 7, '0c 1d 2c 3d 4c 5d 6d 7r');
  });

  it('holds where it returns nothing, or a value after it was resumed', () => {
    const rows = (returned: RowText): RowText[] => [
      entry,
      { at: 2, defs: ['x'] },
      { ...made, caller: 1 },
      { at: 11, ...gen },
      { role: 'return', ...gen, ...returned },
      { at: 3, role: 'return', uses: ['x'] },
    ];
    const none = { type: 'NoneType', text: 'None', truncated: false };
    check(rows({ at: 12 }), 5, '0c 1d 2c 3d 4d 5r');
    check(rows({ at: 12, returned: none }), 5, '0c 1d 2c 3d 4d 5r');
    check(rows({ at: 12, returned: 7 }), 5, '0c 1d 2c 4d 5r');
  });

  it('is a row that keeps what nobody sent', () => {
    const none = { type: 'NoneType', text: 'None', truncated: false };
    const rows = (got: typeof none | number): RowText[] => [
      entry,
      { at: 2, defs: ['x'] },
      { ...made, caller: 1 },
      { at: 11, defs: ['got'], values: { got }, ...gen },
      { at: 12, role: 'branch', branch: 'done', ...gen },
      { at: 3, role: 'return', uses: ['x'] },
    ];
    check(rows(none), 5, '0c 1d 2c 3d 4c 5r');
    check(rows(7), 5, '0c 1d 2c 4c 5r');
  });

  it('costs no more than the rows', () => {
    const steps = (size: number) => {
      const turns = Array.from({ length: size }, (): RowText => ({ at: 11, uses: ['n'], ...gen }));
      const rows = [entry, { at: 2, defs: ['x'] }, { ...made, caller: 1 }, ...turns];
      const run = buildRun({ rows: [...rows, { at: 3, role: 'return', uses: ['x'] }] });
      return sliceRows(run.rows, [run.rows.length - 1], { events: run.events }).steps;
    };
    expect(steps(20_000)).toBeLessThan(steps(2000) * 10.5);
  });

  it('follows the record of a real run: list() of a generator, in the test', () => {
    const { rows, events } = generatorRun;
    const sliced = sliceRows(rows, locateFailure(generatorRun), { events }).rows.map(({ sequence }) => sequence);
    expect([...sliced].sort((a, b) => a - b)).toEqual(rows.map(({ sequence }) => sequence));
  });
});

describe('laws', () => {
  it('orders the root first, then backwards, each row once; a slice of a slice row is inside', () => {
    fc.assert(
      fc.property(tinyPrograms, fc.nat(), (program, pick) => {
        const { run, root } = runTiny(program);
        const whole = sliceRows(run.rows, [root], { events: run.events }).rows.map(({ sequence }) => sequence);
        expect(whole[0]).toBe(root);
        expect(whole.slice(1)).toEqual([...new Set(whole.slice(1))].sort((a, b) => b - a));
        const data = sliceRows(run.rows, [root], { events: run.events }).rows.filter(
          (row) => row.relation !== 'control_dependency',
        );
        const from = data[pick % data.length]?.sequence ?? root;
        const plain = sliceRows(run.rows, [from], { events: run.events }).rows;
        for (const { sequence } of plain) expect(whole).toContain(sequence);
      }),
      { numRuns: 200, seed: 3 },
    );
  });

  it('is never smaller without values', () => {
    fc.assert(
      fc.property(tinyPrograms, (program) => {
        const { run, root } = runTiny(program);
        const blind = new Set(sliceRows(run.rows, [root]).rows.map(({ sequence }) => sequence));
        for (const { sequence } of sliceRows(run.rows, [root], { events: run.events }).rows)
          expect(blind.has(sequence)).toBe(true);
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  it('gives the same bytes twice', () => {
    const { run, root } = runTiny(fc.sample(tinyPrograms, { numRuns: 1, seed: 8 })[0] as never);
    const slice = () => JSON.stringify(sliceRows(run.rows, [root], { events: run.events }));
    expect(slice()).toBe(slice());
  });
});

it('takes many calls of one statement for one', () => {
  const size = 4000;
  const calls = Array.from({ length: size }, (_, index): RowText[] => [
    { at: 8, fn: 'g', frame: index + 1, role: 'entry', caller: 1, defs: ['p'], values: { p: objectOf(index, 'T{}') } },
    { at: 9, fn: 'g', frame: index + 1, role: 'return', uses: ['p'], values: { p: objectOf(index, 'T{}') } },
  ]).flat();
  const run = buildRun({ rows: [entry, { at: 2, defs: ['x'] }, ...calls, { at: 3, role: 'return', uses: ['x'] }] });
  const { rows, steps } = sliceRows(run.rows, [run.rows.length - 1], { events: run.events });
  expect(rows).toHaveLength(2 * size + 3);
  expect(steps).toBeLessThan(30 * size);
});

describe('cost', () => {
  const steps = (size: number, of: (index: number) => RowText[]) => {
    const rows = [
      { ...entry, defs: ['x'] } as RowText,
      ...Array.from({ length: size }, (_, index) => of(index)).flat(),
    ];
    const run = buildRun({ rows });
    return sliceRows(run.rows, [run.rows.length - 1], { events: run.events }).steps;
  };

  it.each<[string, (index: number) => RowText[]]>([
    ['a chain', () => [{ at: 2, defs: ['x'], uses: ['x'] }]],
    ['a list that grows', () => [{ at: 2, may: ['x'], uses: ['x'] }]],
    ['a loop of branches', (index) => [{ at: 2, role: 'branch', uses: ['x'], parent: index }]],
    [
      'calls that never return',
      (index) => [{ at: 1, role: 'entry', frame: index + 1, caller: index, defs: ['x'], uses: [] }],
    ],
  ])('grows with the rows of %s, not faster', (_, of) => {
    const [small, large] = [steps(2000, of), steps(20_000, of)];
    expect(small).toBeGreaterThan(2000);
    expect(large).toBeLessThan(small * 10.5);
  });
});

it('refuses streams that do not belong together', () => {
  const { rows } = buildRun({ rows: [entry] });
  expect(codeOf(() => sliceRows(rows, [1]))).toBe('unknown_row');
  expect(
    codeOf(() =>
      sliceRows(
        rows.map((row) => ({ ...row, sequence: 5 })),
        [0],
      ),
    ),
  ).toBe('sequence_mismatch');
});
