import { describe, expect, it } from 'vitest';
import { traceDiff } from '../src/index.ts';
import { buildRun, listOf, type RowText, textOf } from './build-run.ts';

const truth = (text: string) => ({ ...textOf(0), type: 'bool', text });
const none = { ...textOf(0), type: 'NoneType', text: 'None' };
const entry: RowText = { at: 1, role: 'entry' };

/** First difference as "line name", of a run where a hand gives 1 and one where it gives 2. */
function check(rows: (hand: number) => RowText[], expected: string): void {
  const [run, other] = [1, 2].map((hand) => buildRun({ name: `h${hand}`, rows: rows(hand) }));
  if (run === undefined || other === undefined) throw new Error('two runs');
  for (const { first } of [traceDiff(run, other), traceDiff(other, run)])
    expect(first && `${first.location.split(':')[1]} ${first.name}${first.isDerived ? ' derived' : ''}`).toBe(expected);
}

/** A statement that computes something from what the two runs were handed. */
const computed = (hand: number): RowText => ({ at: 2, uses: ['n'], defs: ['k'], values: { n: hand, k: hand * 7 } });

describe('what counts before values computed from different inputs (issue 5, clause 11: first meaningful divergence)', () => {
  it('a branch that goes another way', () =>
    check(
      (hand) => [
        entry,
        computed(hand),
        { at: 3, role: 'branch', uses: ['k'], values: { k: hand * 7 }, branch: `${hand > 1}` },
      ],
      '3 branch',
    ));

  it('a truth value', () =>
    check(
      (hand) => [
        entry,
        computed(hand),
        { at: 3, uses: ['k'], defs: ['b'], values: { k: hand, b: truth(`${hand > 1}`) } },
      ],
      '3 b',
    ));

  it('nothing in place of something', () =>
    check(
      (hand) => [
        entry,
        computed(hand),
        { at: 3, uses: ['k'], defs: ['b'], values: { k: hand, b: hand > 1 ? none : 5 } },
      ],
      '3 b',
    ));

  it('an exception', () =>
    check(
      (hand) => [
        entry,
        computed(hand),
        { at: 3, uses: ['k'], values: { k: hand }, ...(hand > 1 ? { raised: 'KeyError' } : {}) },
      ],
      '3 raise',
    ));

  it('a value that differs though all that was read is equal', () =>
    check((hand) => [entry, computed(hand), { at: 3, uses: ['m'], defs: ['b'], values: { m: 3, b: hand } }], '3 b'));
});

describe('what does not', () => {
  it('turns of a loop over a collection that differs', () =>
    check(
      (hand) => [
        entry,
        { ...computed(hand), may: ['n'] },
        {
          at: 3,
          role: 'branch',
          uses: ['all'],
          ...(hand > 1 ? { defs: ['each'], branch: 'iteration' } : { branch: 'done' }),
          values: { all: listOf(0, ...Array<number>(hand - 1).fill(1)) },
        },
      ],
      '2 k derived',
    ));

  it('a truth value that was only read', () =>
    check(
      (hand) => [entry, computed(hand), { at: 3, uses: ['b'], values: { b: truth(`${hand > 1}`) } }],
      '2 k derived',
    ));

  it('a value behind the cut of a text', () => {
    const cut = { ...listOf(0, 1), truncated: true };
    check(
      (hand) => [entry, computed(hand), { at: 3, uses: ['m'], defs: ['b'], values: { m: cut, b: hand } }],
      '2 k derived',
    );
  });
});
