import type { Spectrum } from '@h/contracts';
import type { CountedSpectrum } from '../build-spectrum.ts';
import { readSpectrumCsv } from './read-spectrum-csv.ts';
import { readSpectrumJson } from './read-spectrum-json.ts';

/**
 * A spectrum from the text of a file: JSON or CSV, told by its first character. `rankStatements` takes either result; where only counts are
 * given there are no tests to name, no recency and no groups. Throws `malformed_spectrum`, `contradictory_counts` and what a spectrum itself
 * may be wrong in.
 */
export function readSpectrum(text: string): Spectrum | CountedSpectrum {
  return /^[\ufeff\s]*[{[]/.test(text) ? readSpectrumJson(text) : readSpectrumCsv(text);
}
