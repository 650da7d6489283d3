// Seed 12, rows 6 and 7 (§3.6, §3.7), clause by clause, with design/seeds.md where it settles what the seed leaves open.
import { DivergenceRecord, DynamicSlice, type ObservedRun } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { compareRuns, dynamicSlice, RECORD_EVENTS, traceDiff } from '../src/index.ts';
import { again, buildRun, type RowText, type RunText } from './build-run.ts';

/** def f(n): note = n; k = 1; if k: x = k + bad; y = x; return y. `bad` is the fault's effect: the operand only the failing run adds. */
function runOf(bad: number, more: Partial<RunText> = {}): ObservedRun {
  const rows: RowText[] = [
    { at: 1, role: 'entry', defs: ['n'], values: { n: 5 } },
    { at: 2, defs: ['note'], uses: ['n'], values: { n: 5, note: 5 } },
    { at: 3, defs: ['k'], values: { k: 1 }, probe: 'PP1' },
    { at: 4, role: 'branch', uses: ['k'], values: { k: 1 }, branch: 'true' },
    { at: 5, defs: ['x'], uses: ['k'], values: { k: 1, x: 1 + bad }, parent: 3, probe: 'PP2' },
    { at: 6, defs: ['y'], uses: ['x'], values: { x: 1 + bad, y: 1 + bad }, parent: 3 },
    { at: 7, role: 'return', uses: ['y'], values: { y: 1 + bad }, returned: 1 + bad },
  ];
  return buildRun({ rows, ...more });
}

const failing = runOf(1, { failure: { location: 'test_a.py:9', actual: '2', expected: '1' } });
const passing = runOf(0, { name: 'passing', outcome: 'passed' });
const record = compareRuns({ failing, failingAgain: again(failing), passing, passingAgain: again(passing) });
const slice = dynamicSlice(record, failing);

describe('§3.6 filtering and divergence analysis', () => {
  test('exact schema: first_divergence, centered_record, primary_suspects, and no field that the contract does not name', () => {
    expect(DivergenceRecord.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
    const { location, probe_id, passing_value, failing_value, sequence } = record.first_divergence ?? {};
    expect([location, probe_id, passing_value?.text, failing_value?.text, sequence]).toEqual([
      'a.py:5',
      'PP2',
      '1',
      '2',
      4,
    ]);
  });

  test('procedure 2: the runs are aligned by path, whatever one of them executes more', () => {
    const longer = runOf(0, { name: 'longer' });
    const noise = buildRun({
      name: 'longer',
      outcome: 'passed',
      rows: [
        ...[1, 2].map((line): RowText => ({ at: 20 + line, fn: 'g', frame: 7, role: 'statement' })),
        ...longer.rows.map(
          ({ defs, uses, role }, index): RowText => ({
            at: index + 1,
            role,
            defs: [...defs],
            uses: [...uses],
            ...(index > 3 && index < 6 ? { parent: 5 } : {}),
            ...(index === 3 ? { branch: 'true' } : {}),
            ...(index === 4 ? { values: { k: 1, x: 1 } } : {}),
          }),
        ),
      ],
    });
    expect(traceDiff(failing, noise).first).toMatchObject({ location: 'a.py:5', sequence: 4, otherSequence: 6 });
  });

  test('procedure 3: the earliest aligned point where a value differs; what differs after it is a consequence', () => {
    const { differences } = traceDiff(failing, passing);
    expect(differences.map(({ location }) => location)).toEqual(['a.py:5', 'a.py:6', 'a.py:6', 'a.py:7', 'a.py:7']);
    expect(record.first_divergence?.location).toBe(differences[0]?.location);
  });

  test('cap: only the first; its differing value is the primary suspect, those after it are none', () =>
    expect(record.primary_suspects).toEqual(['a.py:5 x']));

  test('cap: the record is bounded, and holds no event that is not of the failing run', () => {
    const rows = Array.from({ length: 4 * RECORD_EVENTS }, (_, at): RowText => ({ at: at + 1, defs: ['x'] }));
    const long = buildRun({ rows });
    const { centered_record } = compareRuns({ failing: long, failingAgain: again(long) });
    expect(centered_record).toHaveLength(RECORD_EVENTS);
    expect(new Set(centered_record.map(({ execution_id }) => execution_id))).toEqual(new Set([long.execution_id]));
  });

  test('no divergence is recorded explicitly and none invented; the operands of what failed are the suspects', () => {
    const same = runOf(1, { name: 'same', outcome: 'passed' });
    expect(
      compareRuns({ failing, failingAgain: again(failing), passing: same, passingAgain: again(same) }),
    ).toMatchObject({ first_divergence: null, reason: 'no_divergence', primary_suspects: ['2', '1'] });
  });

  test('§3.4: a run that is not reproduced never drives a divergence', () => {
    const other = again(runOf(1, { outcome: 'passed' }));
    for (const runs of [{ failingAgain: other }, { failingAgain: undefined }])
      expect(compareRuns({ failing, passing, passingAgain: again(passing), ...runs }).first_divergence).toBeNull();
  });
});

describe('§3.7 dynamic slicing', () => {
  test('exact schema: location, value, relation of each item, and discarded', () => {
    expect(DynamicSlice.parse(JSON.parse(JSON.stringify(slice)))).toEqual(slice);
    for (const item of slice.slice) expect(Object.keys(item).sort()).toEqual(['location', 'relation', 'value']);
  });

  test('each retained statement is the root or in a data or control dependency with the failing value', () =>
    expect(slice.slice.map(({ location, relation }) => `${location} ${relation}`)).toEqual([
      'a.py:7 root',
      'a.py:6 data_dependency',
      'a.py:5 data_dependency',
      'a.py:4 control_dependency',
      'a.py:3 data_dependency',
      'a.py:1 control_dependency',
    ]));

  test('every observed value that is not on such a path is discarded, and counted', () => {
    expect(slice.slice.map(({ location }) => location)).not.toContain('a.py:2');
    expect(slice.discarded).toBe(1);
  });

  test('cap: strictly smaller than the centered record; where nothing can be discarded it is said to be irreducible', () => {
    expect(slice.slice.length).toBeLessThan(record.centered_record.length);
    expect(slice.irreducible).toBeUndefined();
    const rows: RowText[] = [
      { at: 1, role: 'entry', defs: ['n'], values: { n: 1 } },
      { at: 2, role: 'return', uses: ['n'], values: { n: 1 }, returned: 1 },
    ];
    const whole = buildRun({ rows });
    expect(dynamicSlice(compareRuns({ failing: whole }), whole)).toMatchObject({ irreducible: true, discarded: 0 });
  });
});

test('§3 deterministic: same input, same bytes', () => {
  const text = () => {
    const compared = compareRuns({ failing, failingAgain: again(failing), passing, passingAgain: again(passing) });
    return JSON.stringify([compared, dynamicSlice(compared, failing)]);
  };
  expect(text()).toBe(text());
});
