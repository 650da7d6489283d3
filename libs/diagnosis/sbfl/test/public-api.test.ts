import { expect, test } from 'vitest';
import * as sbfl from '../src/index.ts';

test('what @h/sbfl exports', () => {
  expect(Object.keys(sbfl)).toMatchInlineSnapshot(`
    [
      "buildSpectrum",
      "countMatrix",
      "SbflError",
      "PROBE_POINT_CAP",
      "projectProbePoints",
      "rankEachTest",
      "rankStatements",
      "readSpectrum",
      "measureExtents",
      "refineRanking",
      "scoreBranches",
      "spectrumFromCoverage",
      "spectrumFromReport",
      "ample",
      "barinel",
      "dstar",
      "formulas",
      "jaccard",
      "kulczynski2",
      "ochiai",
      "ochiai2",
      "op2",
      "phi",
      "tarantula",
      "wong3",
      "zoltar",
      "writeSarif",
      "writeText",
    ]
  `);
});
