import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonSchemaOf, type RecordName, recordRegistry } from '../src/index.ts';
import { arbitraryOf } from '../src/testing.ts';
import { mutated } from './mutate-json.ts';

const names = Object.keys(recordRegistry) as RecordName[];

function compile(name: RecordName) {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: false });
  addFormats.default(ajv);
  return ajv.compile(jsonSchemaOf(name));
}

describe.each(names)('%s', (name) => {
  const { schema } = recordRegistry[name];
  const arbitrary = arbitraryOf(schema) as fc.Arbitrary<unknown>;
  const byAjv = compile(name);

  test('zod and ajv accept the same values, and a JSON round trip changes none', () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
        expect(schema.parse(value)).toStrictEqual(value);
        expect(byAjv(value), JSON.stringify(byAjv.errors)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('zod and ajv refuse the same values', () => {
    let refused = 0;
    fc.assert(
      fc.property(
        arbitrary.chain((value) => mutated(value)),
        (value) => {
          const accepted = schema.safeParse(value).success;
          refused += accepted ? 0 : 1;
          expect(accepted, JSON.stringify(byAjv.errors)).toBe(byAjv(value));
        },
      ),
      { numRuns: 100 },
    );
    expect(refused).toBeGreaterThan(8);
  });
});
