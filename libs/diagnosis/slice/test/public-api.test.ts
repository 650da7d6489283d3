import { expect, test } from 'vitest';
import * as slice from '../src/index.ts';

test('what @h/slice exports', () => {
  expect(Object.keys(slice)).toMatchInlineSnapshot(`
    [
      "RECORD_EVENTS",
      "checkDeterminism",
      "chooseFailing",
      "chooseSibling",
      "compareRuns",
      "dynamicSlice",
      "SliceError",
      "locateFailure",
      "logRows",
      "sliceLog",
      "sliceRows",
      "traceDiff",
    ]
  `);
});
