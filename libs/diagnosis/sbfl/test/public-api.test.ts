import { expect, test } from 'vitest';
import * as sbfl from '../src/index.ts';

test('what @h/sbfl exports', () => {
  expect(Object.keys(sbfl)).toMatchInlineSnapshot(`
    [
      "buildSpectrum",
      "SbflError",
      "PROBE_POINT_CAP",
      "projectProbePoints",
      "rankStatements",
      "spectrumFromReport",
      "jaccard",
      "ochiai",
      "tarantula",
    ]
  `);
});
