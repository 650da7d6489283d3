import { openEnvelope, parseRecord, Spectrum } from '@h/contracts';
import type { CountedSpectrum } from '../build-spectrum.ts';
import { contradictoryCounts, malformedSpectrum } from '../errors.ts';
import { type CountedRow, countRows, statementAt } from './count-rows.ts';

type JsonObject = { readonly [key: string]: unknown };

/**
 * A `Spectrum` as JSON, in its envelope or bare, or counts alone: `{ "total_failed", "total_passed", "statements": [{ "location": "a.py:3",
 * "failed", "passed", "kind"? }] }`. Throws `malformed_spectrum`, `contradictory_counts`, and for the record what `@h/contracts` throws.
 */
export function readSpectrumJson(text: string): Spectrum | CountedSpectrum {
  const value = parse(text);
  if ('schema' in value) return openEnvelope('Spectrum', value);
  return 'total_failed' in value || 'total_passed' in value ? readCounts(value) : parseRecord(Spectrum, value);
}

function parse(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw malformedSpectrum(`not JSON (${(error as Error).message})`, error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformedSpectrum('not an object');
  return value as JsonObject;
}

function readCounts({ total_failed: totalFailed, total_passed: totalPassed, statements }: JsonObject): CountedSpectrum {
  const totals = [totalFailed, totalPassed];
  if (!totals.every(isCount)) throw malformedSpectrum('total_failed and total_passed are whole numbers from 0');
  if (!Array.isArray(statements)) throw malformedSpectrum('statements is a list');
  const rows = statements.map((entry: unknown, index): CountedRow => {
    const at = `statements[${index}]`;
    const { location, failed, passed, kind = 'statement' } = (entry ?? {}) as JsonObject;
    if (typeof location !== 'string') throw malformedSpectrum(`${at}.location is a text such as "a.py:3"`);
    if (!isCount(failed) || !isCount(passed))
      throw malformedSpectrum(`${at}: failed and passed are whole numbers from 0`);
    if (kind !== 'statement' && kind !== 'import' && kind !== 'definition')
      throw malformedSpectrum(`${at}.kind is "statement", "import" or "definition"`);
    if (failed > (totalFailed as number) || passed > (totalPassed as number))
      throw contradictoryCounts(
        `${location} has ${failed} failing and ${passed} passing runs of ${totalFailed} and ${totalPassed}`,
      );
    return { statement: { ...statementAt(location, at), kind }, failed, passed };
  });
  return countRows(rows, totalFailed as number, totalPassed as number);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
