import { expect, test } from 'vitest';
import * as instrument from '../src/index.ts';

test('what @h/instrument exports', () => {
  expect(Object.keys(instrument)).toMatchInlineSnapshot(`
    [
      "buildProbeTable",
      "InstrumentError",
      "holdsProbes",
      "instrumentTree",
      "narrowPlans",
      "observe",
      "probe",
      "tracePath",
      "observeTest",
      "PROBE_CAP",
      "planProbes",
      "planTrace",
      "TRACE_BYTES",
    ]
  `);
});
