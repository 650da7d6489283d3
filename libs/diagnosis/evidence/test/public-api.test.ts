import { expect, test } from 'vitest';
import * as evidence from '../src/index.ts';

test('what @h/evidence exports', () => {
  expect(Object.keys(evidence)).toMatchInlineSnapshot(`
    [
      "assemblePack",
      "RETURNS_PER_OBSERVATION",
      "checkClaim",
      "checkClaims",
      "gateCitationRate",
      "gatePack",
      "judgeHypotheses",
      "parseExpectation",
      "readClaims",
      "renderEvidence",
      "PACK_BYTES",
      "selectSlice",
    ]
  `);
});
