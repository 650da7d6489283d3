import { expect, it } from 'vitest';
import { locateFailure } from '../src/index.ts';
import { buildRun, type RowText, type RunText } from './build-run.ts';

function check(text: RunText, expected: number[]): void {
  expect(locateFailure(buildRun(text))).toEqual(expected);
}
const returns = (frame: number, returned: number | string, at = 2): RowText[] => [
  { at: 1, role: 'entry', frame },
  { at, role: 'return', frame, returned },
];

it('takes the innermost observed place, the statement that was cut short', () => {
  const rows: RowText[] = [{ at: 1 }, { at: 2, raised: 'KeyError' }, { at: 2 }, { at: 3 }];
  check({ rows, failure: { location: 'lib.py:9', frames: ['lib.py:9', 'a.py:2', 'a.py:3'] } }, [1]);
});
it('takes the last time the place ran', () =>
  check({ rows: [{ at: 2 }, { at: 2 }, { at: 3 }], failure: { location: 'a.py:2' } }, [1]));
it('never takes the definition', () =>
  check(
    {
      rows: [
        { at: 1, role: 'entry' },
        { at: 2, role: 'return', returned: 1 },
      ],
      failure: { location: 'a.py:1' },
    },
    [1],
  ));
it('takes the statement in which the run ended', () => {
  check({ rows: [{ at: 1 }, { at: 2, raised: 'x' }] }, [1]);
  check({ rows: [{ at: 1 }, { at: 2 }], outcome: 'timeout' }, [1]);
});
it('takes the return that the assertion compared', () => {
  const rows = [...returns(0, 3), ...returns(1, 4), ...returns(2, 5)];
  check({ rows, failure: { actual: '4', expected: '7', frames: ['test_a.py:3'] } }, [3]);
  check({ rows, failure: { actual: '9', expected: '3' } }, [1]);
});
it('knows a text without its quotes', () =>
  check({ rows: [...returns(0, 'no'), ...returns(1, 'yes')], failure: { actual: 'no' } }, [1]));
it('takes the last write of the compared value where none returned it', () => {
  const rows: RowText[] = [
    { at: 1, defs: ['x'], values: { x: 4 } },
    { at: 2, uses: ['x'], values: { x: 4 } },
    { at: 3 },
  ];
  check({ rows, failure: { actual: '4' } }, [0]);
});
it('takes all that went back to the test where nothing is known', () => {
  const inner: RowText = { at: 9, role: 'entry', frame: 7, caller: 0 };
  check({ rows: [...returns(0, 1), inner, ...returns(1, 2), { at: 5, frame: 1 }] }, [4, 1]);
  check({ rows: [{ at: 1, role: 'entry' }, { at: 2 }] }, [1]);
});
it('finds nothing in nothing', () => check({ rows: [] }, []));
