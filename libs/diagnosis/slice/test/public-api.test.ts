import { expect, test } from 'vitest';
import * as slice from '../src/index.ts';

test('what @h/slice exports', () => {
  expect(Object.keys(slice)).toMatchInlineSnapshot(`
    [
      "checkDeterminism",
      "chooseSibling",
      "compareRuns",
      "RECORD_EVENTS",
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
