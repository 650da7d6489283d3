import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkRecord, parseRecord, type RecordName, recordRegistry, type StateObservation } from '../src/index.ts';
import { arbitraryOf } from '../src/testing.ts';
import { messageOf } from './check-error.ts';
import { mutated } from './mutate-json.ts';

const names = Object.keys(recordRegistry) as RecordName[];

describe.each(names)('%s', (name) => {
  const schema: z.ZodType = recordRegistry[name].schema;
  const arbitrary = arbitraryOf(schema);

  test('a reader gives back what a writer accepts', () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        expect(checkRecord(schema, value)).toStrictEqual(value);
        expect(parseRecord(schema, value)).toStrictEqual(value);
      }),
      { numRuns: 20 },
    );
  });

  test('a reader drops keys it does not know, a writer and an exact record refuse them', () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        const { extended, added, addedInExact } = extend(schema, value);
        expect(accepts(() => checkRecord(schema, extended))).toBe(added === 0);
        if (addedInExact > 0) messageOf('invalid_record', () => parseRecord(schema, extended));
        else expect(parseRecord(schema, extended)).toStrictEqual(value);
      }),
      { numRuns: 20 },
    );
  });

  test('a reader keeps every check: what it accepts, a writer accepts once unknown keys are gone', () => {
    fc.assert(
      fc.property(
        arbitrary.chain((value) => mutated(value)),
        (value) => {
          const read = attempt(() => parseRecord(schema, value));
          if (read.ok) expect(checkRecord(schema, read.value)).toStrictEqual(read.value);
          else expect(accepts(() => checkRecord(schema, value))).toBe(false);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('checks a looser copy could lose', () => {
  const inner = z.strictObject({ n: z.int().max(9) });
  test.each<[string, z.ZodType, unknown, unknown]>([
    ['most items', z.array(inner).max(1), [{ n: 1 }], [{ n: 1 }, { n: 2 }]],
    ['fewest items', z.array(inner).min(1), [{ n: 1 }], []],
    ['items of a pair', z.tuple([inner, inner]), [{ n: 1 }, { n: 2 }], [{ n: 1 }]],
    ['an item of a pair', z.tuple([inner, inner]), [{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 10 }]],
    ['a value by key', z.record(z.string(), inner), { k: { n: 1 } }, { k: { n: 10 } }],
    ['a form of key', z.record(z.string().regex(/^k$/), inner), { k: { n: 1 } }, { l: { n: 1 } }],
    ['a value by known key', z.partialRecord(z.enum(['a', 'b']), inner), { a: { n: 1 } }, { a: { n: 10 } }],
    ['every known key', z.record(z.enum(['a', 'b']), inner), { a: { n: 1 }, b: { n: 1 } }, { a: { n: 1 } }],
    ['null', z.nullable(inner), null, undefined],
    ['a member', z.union([inner, z.string()]), { n: 1 }, { n: 10 }],
    [
      'a rule of an object',
      inner.check(({ value, issues }) => {
        if (value.n === 5) issues.push({ code: 'custom', message: 'not five', input: value });
      }),
      { n: 4 },
      { n: 5 },
    ],
    ['presence', z.strictObject({ n: z.exactOptional(z.int()) }), {}, { n: undefined }],
  ])('%s', (_, schema, good, bad) => {
    expect(parseRecord(schema, good)).toStrictEqual(good);
    messageOf('invalid_record', () => parseRecord(schema, bad));
  });

  test('a name that a later minor adds to a closed set of keys is dropped', () => {
    const schema = z.partialRecord(z.enum(['a', 'b']), z.string());
    expect(parseRecord(schema, { a: 'x', later: 'y' })).toEqual({ a: 'x' });
    messageOf('invalid_record', () => checkRecord(schema, { a: 'x', later: 'y' }));
  });
});

test('an exact record inside another one stays exact', () => {
  const execution_id = 'a'.repeat(64);
  const observation: StateObservation = {
    execution_id,
    location: 'a.py:1',
    path_index: 0,
    variables: {},
    return_values: {},
    branch_taken: '',
  };
  const pack = {
    evidence_pack: [observation],
    primary_suspects: [],
    execution_ids: [execution_id],
    gated: true,
    later: 1,
  };
  const { schema } = recordRegistry.EvidencePack;
  expect(parseRecord(schema, pack)).not.toHaveProperty('later');
  const spoiled = { ...pack, evidence_pack: [{ ...observation, later: 1 }] };
  expect(messageOf('invalid_record', () => parseRecord(schema, spoiled))).toContain(
    'evidence_pack[0].later: expected no such key, got 1',
  );
});

test('a value nested deeper than any record is refused, not a crash', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  const { schema } = recordRegistry.ModelOutcome;
  const outcome = { kind: 'ok', value: deep, sent: {}, request_digest: 'a'.repeat(64) };
  for (const action of [parseRecord, checkRecord])
    expect(messageOf('invalid_record', () => action(schema, outcome))).toContain('nested too deeply');
});

/** The value with an unknown key in every object that the schema closes, deep inside too. */
function extend(schema: z.core.$ZodType, value: unknown) {
  let added = 0;
  let addedInExact = 0;
  const visit = (form: z.core.$ZodType, item: unknown, exact: boolean): unknown => {
    if (form instanceof z.ZodExactOptional || form instanceof z.ZodNullable)
      return item === null ? null : visit(form.unwrap() as z.core.$ZodType, item, exact);
    if (form instanceof z.ZodArray) return (item as unknown[]).map((each) => visit(form.element, each, exact));
    if (form instanceof z.ZodRecord)
      return Object.fromEntries(
        Object.entries(item as object).map(([key, each]) => [key, visit(form.valueType, each, exact)]),
      );
    if (!(form instanceof z.ZodObject)) return item;
    const strict = exact || z.globalRegistry.get(form)?.exact === true;
    added += 1;
    addedInExact += strict ? 1 : 0;
    const fields = Object.entries(item as object).map(([key, each]) => [
      key,
      visit(form.shape[key] as z.core.$ZodType, each, strict),
    ]);
    return { ...Object.fromEntries(fields), 'a later key': { any: 1 } };
  };
  const extended = visit(schema, value, false);
  return { extended, added, addedInExact };
}

function attempt<Value>(action: () => Value): { ok: true; value: Value } | { ok: false } {
  try {
    return { ok: true, value: action() };
  } catch {
    return { ok: false };
  }
}

function accepts(action: () => unknown): boolean {
  return attempt(action).ok;
}
