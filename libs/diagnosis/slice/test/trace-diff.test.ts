import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceDiff } from '../src/index.ts';
import { buildRun, type RowText } from './build-run.ts';
import { runTiny, tinyPrograms } from './tiny-program.ts';

/** Differences as "sequence/otherSequence name", inputs in brackets. */
function check(mine: readonly RowText[], theirs: readonly RowText[], expected: string): void {
  const { differences } = traceDiff(buildRun({ rows: mine }), buildRun({ rows: theirs, name: 'other' }));
  const text = differences.map(({ sequence, otherSequence, name, isInput }) =>
    isInput ? `[${sequence}/${otherSequence} ${name}]` : `${sequence}/${otherSequence} ${name}`,
  );
  expect(text.join(', ')).toBe(expected);
}

const entry: RowText = { at: 1, role: 'entry' };
const write = (at: number, x: number, parent = 0): RowText => ({ at, defs: ['x'], values: { x }, parent });
const header = (branch: string, parent = 0): RowText => ({ at: 2, role: 'branch', branch, parent });

describe('alignment', () => {
  it('skips what only one run executes', () =>
    check(
      [entry, header('true'), write(3, 1, 1), write(4, 1, 1), write(6, 7)],
      [entry, header('false'), write(5, 2, 1), write(6, 8)],
      '1/1 branch, 4/3 x',
    ));

  it('counts iterations, not positions', () =>
    check(
      [entry, header('iteration'), write(3, 1, 1), write(4, 0, 1), header('iteration'), write(3, 5, 4)],
      [entry, header('iteration'), write(3, 1, 1), header('iteration'), write(3, 6, 3)],
      '5/4 x',
    ));

  it('compares the same call of a function, whatever ran between', () => {
    const called = (caller: number, frame: number, x: number): RowText[] => [
      { at: 9, fn: 'g', role: 'entry', frame, caller },
      { at: 10, fn: 'g', frame, defs: ['x'], values: { x } },
    ];
    check(
      [entry, { at: 2 }, ...called(1, 1, 1), { at: 3 }, ...called(4, 2, 2)],
      [entry, { at: 3 }, ...called(1, 1, 3)],
      '6/3 x',
    );
  });

  it('looks through the two test functions', () => {
    const test = (fn: string, n: number): RowText[] => [
      { at: 'test_a.py:1', fn, role: 'entry' },
      { at: `test_a.py:${n}`, fn },
      { at: 1, frame: 1, role: 'entry', caller: 1, defs: ['n'], values: { n } },
      { at: 2, frame: 1, defs: ['x'], uses: ['n'], values: { x: n * 2, n } },
    ];
    check(test('test_a', 3), test('test_b', 4), '[2/2 n], [3/3 n], 3/3 x');
  });

  it('takes a changed parameter for no input any more', () => {
    const rows = (n: number): RowText[] => [
      { at: 1, role: 'entry', defs: ['n'], values: { n } },
      { at: 2, defs: ['n'], uses: ['n'], before: { n }, values: { n: n + 1 } },
      { at: 3, uses: ['n'], values: { n: n + 1 } },
    ];
    check(rows(1), rows(5), '[0/0 n], 1/1 n, 2/2 n');
  });
});

describe('comparison', () => {
  it('leaves serials and missing names out', () => {
    const value = (ref: number) => ({ type: 'list', text: '[]', truncated: false, ref });
    check([{ at: 1, values: { p: value(1), only: 3 } }], [{ at: 1, values: { p: value(4) } }], '');
  });

  it('tells a type from another', () =>
    check(
      [{ at: 1, values: { x: '1' } }],
      [{ at: 1, values: { x: { type: 'int', text: "'1'", truncated: false } } }],
      '0/0 x',
    ));

  it('compares what was raised and returned', () =>
    check(
      [
        { at: 1, role: 'return', returned: 1 },
        { at: 2, raised: 'KeyError' },
      ],
      [{ at: 1, role: 'return', returned: 2 }, { at: 2 }],
      '0/0 return, 1/1 raise',
    ));

  it('leaves masked values out and finds the first within', () => {
    const [mine, theirs] = [1, 2].map((n) => buildRun({ rows: [write(1, n), write(2, n), write(3, n)], name: `${n}` }));
    if (mine === undefined || theirs === undefined) throw new Error('no runs');
    const { first, differences } = traceDiff(mine, theirs, { masked: new Set(['a.py:2 x']), within: new Set([1, 2]) });
    expect([first?.sequence, differences.length]).toEqual([2, 2]);
    expect(traceDiff(mine, theirs, { within: new Set() })).not.toHaveProperty('first');
  });
});

it('lets what a call wrote come after what it ran', () =>
  check(
    [
      entry,
      { at: 2, defs: ['x'], values: { x: 1 } },
      { at: 8, fn: 'g', frame: 1, role: 'entry', caller: 1 },
      { ...write(9, 1, 2), fn: 'g', frame: 1 },
    ],
    [
      entry,
      { at: 2, defs: ['x'], values: { x: 2 } },
      { at: 8, fn: 'g', frame: 1, role: 'entry', caller: 1 },
      { ...write(9, 2, 2), fn: 'g', frame: 1 },
    ],
    '3/3 x, 1/1 x',
  ));

describe('laws', () => {
  it('finds nothing between a run and itself and aligns every row', () => {
    fc.assert(
      fc.property(tinyPrograms, (program) => {
        const { run } = runTiny(program);
        expect(traceDiff(run, run)).toEqual({ differences: [], aligned: run.rows.length });
      }),
      { numRuns: 200, seed: 1 },
    );
  });

  it('finds the same both ways, with the sides exchanged', () => {
    fc.assert(
      fc.property(tinyPrograms, fc.nat(60), (program, disturb) => {
        const [a, b] = [runTiny(program).run, runTiny(program, { disturb }).run];
        const swap = traceDiff(b, a).differences.map((d) => `${d.otherSequence}/${d.sequence} ${d.name}`);
        expect(
          traceDiff(a, b)
            .differences.map((d) => `${d.sequence}/${d.otherSequence} ${d.name}`)
            .sort(),
        ).toEqual(swap.sort());
      }),
      { numRuns: 200, seed: 2 },
    );
  });

  it('starts at the disturbed row', () => {
    fc.assert(
      fc.property(tinyPrograms, fc.nat(60), (program, disturb) => {
        const [a, b] = [runTiny(program, { disturb }).run, runTiny(program).run];
        const { differences } = traceDiff(a, b);
        for (const { sequence } of differences) expect(sequence).toBeGreaterThanOrEqual(Math.min(disturb, sequence));
        const earliest = Math.min(...differences.map(({ sequence }) => sequence));
        if (differences.length > 0) expect(earliest).toBeGreaterThanOrEqual(disturb - 20);
      }),
      { numRuns: 100, seed: 6 },
    );
  });
});

describe('cost', () => {
  const values = (n: number) => ({ o: { type: 'Box', text: `Box{x: ${n}}`, truncated: false, ref: 1 }, n });
  const nested = (depth: number, n: number): RowText[] => [
    { at: 1, fn: `C.m`, frame: depth, role: 'entry', caller: 2 * depth - 1, defs: ['n', 'o'], values: values(n) },
    { at: 2, fn: `C.m`, frame: depth, uses: ['n', 'o', 'o.x'], values: values(n) },
  ];
  const loop = (at: number, n: number): RowText[] => [
    {
      ...{ at: 2, role: 'branch', branch: 'iteration', parent: Math.max(0, 2 * at - 1), defs: ['x'], uses: ['xs'] },
      values: {
        x: n + (at % 20),
        xs: { type: 'list', text: `[${Array.from({ length: 20 }, (_, i) => n + i)}]`, truncated: true },
      },
    },
    { at: 3, parent: 2 * at + 1, uses: ['x'], defs: ['k'], values: { x: n + (at % 20), k: n } },
  ];

  /** Rows and events that a comparison looks at, per row. */
  function looks(size: number, rowsOf: (index: number, n: number) => RowText[]): number {
    let count = 0;
    const counted = <Item>(items: Item[]): Item[] =>
      new Proxy(items, {
        get(target, key, receiver) {
          count += 1;
          return Reflect.get(target, key, receiver) as unknown;
        },
      });
    const runOf = (name: string, n: number) => {
      const first: RowText = { at: 1, role: 'entry', defs: ['n'], values: { n } };
      const run = buildRun({ name, rows: [first, ...Array.from({ length: size }, (_, at) => rowsOf(at, n)).flat()] });
      return { ...run, rows: counted(run.rows), events: counted(run.events) };
    };
    traceDiff(runOf('failing', 2), runOf('other', 5));
    return count / size;
  }

  it.each([
    ['calls in calls', nested],
    ['turns of a loop over what was handed in', loop],
  ])('grows with the rows of %s, not faster', (_, of) => {
    const [small, large] = [looks(300, of), looks(3000, of)];
    expect(large).toBeLessThan(1.2 * small);
    expect(large).toBeLessThan(150);
  });
});

describe('masked secrets', () => {
  it('are no difference, whatever stands for them', () => {
    const run = (masked: boolean, text: string) => {
      const built = buildRun({ rows: [entry, write(2, 1)], name: text });
      const [, event] = built.events;
      const value = { type: 'str', text, truncated: masked, ...(masked ? { masked: true as const } : {}) };
      return {
        ...built,
        events: [built.events[0], { ...event, payload: { variables: { x: value } } }] as typeof built.events,
      };
    };
    const names = (...runs: Parameters<typeof traceDiff>) => traceDiff(...runs).differences.map(({ name }) => name);
    expect(names(run(false, "'a'"), run(false, "'b'"))).toEqual(['x']);
    expect(names(run(true, '‹masked: looks like JWT›'), run(false, "'b'"))).toEqual([]);
  });
});
