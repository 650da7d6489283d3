import { expect, it } from 'vitest';
import * as api from '../src/index.ts';

it('exports these and nothing else', () => {
  expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
    [
      "CoverageError",
      "attachCoverage",
      "combineTests",
      "placeFile",
      "readCobertura",
      "readCoverage",
      "readCoveragePy",
      "readIstanbul",
      "readJacoco",
      "readLcov",
      "readLcovStream",
      "readV8",
      "writeCobertura",
      "writeCoveragePy",
      "writeIstanbul",
      "writeLcov",
    ]
  `);
});
