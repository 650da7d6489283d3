import { expect, it } from 'vitest';
import * as api from '../src/index.ts';

it('exports these and nothing else', () => {
  expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
    [
      "buildLedger",
      "compareTestRuns",
      "discharges",
      "isAccidental",
      "rankPatches",
      "regressionStatus",
    ]
  `);
});
