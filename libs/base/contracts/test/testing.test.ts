import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseLines, type RecordName, recordRegistry, type TestRunReport } from '../src/index.ts';
import { arbitraries, arbitraryOf } from '../src/testing.ts';

const names = Object.keys(recordRegistry) as RecordName[];

describe('arbitraryOf', () => {
  test.each<[string, z.ZodType]>([
    ['bounded numbers', z.strictObject({ a: z.int().min(3).max(4), b: z.number().min(0).max(0.5), c: z.number() })],
    [
      'bounded lists',
      z.strictObject({
        none: z.array(z.int()).max(0),
        one: z.array(z.int()).min(1).max(1),
        many: z.array(z.int()).min(7),
      }),
    ],
    ['patterns', z.strictObject({ a: z.string().regex(/^x[0-9]{2}$/), b: z.string().min(5) })],
    ['choices', z.union([z.literal('a'), z.enum(['b', 'c']), z.null(), z.strictObject({ d: z.boolean() })])],
    [
      'tables',
      z.strictObject({ any: z.record(z.string(), z.int()), some: z.partialRecord(z.enum(['a', 'b']), z.int()) }),
    ],
    ['any JSON', z.strictObject({ json: z.json(), nothing: z.nullable(z.tuple([z.int(), z.string()])) })],
  ])('%s', (_, schema) => {
    fc.assert(
      fc.property(arbitraryOf(schema), (value) => {
        expect(schema.parse(value)).toStrictEqual(value);
        expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
      }),
    );
  });

  test('says which schema it knows nothing of', () => {
    expect(() => arbitraryOf(z.date())).toThrow('No arbitrary for a schema of type date.');
  });

  test('optional keys are there and not there', () => {
    const seen = new Set(
      fc.sample(arbitraryOf(z.strictObject({ a: z.exactOptional(z.int()) })), 50).map((value) => 'a' in value),
    );
    expect(seen).toEqual(new Set([true, false]));
  });

  test('no number is -0, which JSON text cannot say', () => {
    const numbers = fc.sample(arbitraryOf(z.number()), { seed: 1, numRuns: 3000 });
    expect(numbers).toContain(0);
    expect(numbers.filter((value) => Object.is(value, -0))).toEqual([]);
  });

  test('a text of the greatest length is among the values', () => {
    const texts = fc.sample(arbitraries.ValueText, 60).map(({ text }) => [...text].length);
    expect(Math.max(...texts)).toBe(4096);
  });
});

describe('arbitraries', () => {
  test('one of every record', () => expect(Object.keys(arbitraries)).toEqual(names));

  test('line sets, spans and places are such that a reader can use them', () => {
    fc.assert(
      fc.property(arbitraries.TestRunReport, (report: TestRunReport) => {
        for (const { coverage = [] } of report.tests) for (const { lines } of coverage) parseLines(lines);
      }),
    );
    fc.assert(fc.property(arbitraries.IntentPackage, ({ target: { span } }) => span[0] <= span[1]));
  });

  test('the same seed gives the same values', () => {
    const draw = () => JSON.stringify(fc.sample(arbitraries.LedgerEntry, { seed: 7, numRuns: 5 }));
    expect(draw()).toBe(draw());
  });
});
