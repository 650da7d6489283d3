import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkRecord, describeIssues, Pin, parseRecord, recordRegistry, type TestRunReport } from '../src/index.ts';
import { messageOf } from './check-error.ts';

const sha = 'a'.repeat(64);

function check(schema: z.ZodType, value: unknown, expected: string | string[]): void {
  const result = schema.safeParse(value);
  expect(result.success ? [] : describeIssues(result.error.issues, value)).toEqual([expected].flat());
}

describe('describeIssues', () => {
  test.each<[string, z.ZodType, unknown, string | string[]]>([
    ['a missing key', z.strictObject({ name: z.string() }), {}, 'name: expected a string, got nothing'],
    [
      'a missing key that every object inherits',
      z.strictObject({ constructor: z.string() }),
      {},
      'constructor: expected a string, got nothing',
    ],
    ['the value itself', z.strictObject({}), 5, '(root): expected an object, got 5'],
    ['null', z.array(z.string()), null, '(root): expected an array, got null'],
    ['an item', z.array(z.string()), ['a', 5], '[1]: expected a string, got 5'],
    [
      'a key that is not wanted',
      z.strictObject({}),
      { one: 1, two: [] },
      ['one: expected no such key, got 1', 'two: expected no such key, got an array of 0 items'],
    ],
    [
      'a key that is no name',
      z.record(z.string(), z.int()),
      { 'a b': 1.5 },
      '["a b"]: expected a whole number, got 1.5',
    ],
    ['choices', z.enum(['red', 'green']), 'blue', '(root): expected "red" or "green", got "blue"'],
    ['a constant', z.literal(true), false, '(root): expected true, got false'],
    ['too much text', z.string().max(3), 'abcd', '(root): expected at most 3 characters, got "abcd"'],
    ['no text', z.string().min(1), '', '(root): expected at least 1 character, got ""'],
    ['too many', z.array(z.int()).max(2), [1, 2, 3], '(root): expected at most 2 items, got an array of 3 items'],
    ['too great', z.number().max(1), 2, '(root): expected at most 1, got 2'],
    ['not more', z.number().gt(1), 1, '(root): expected more than 1, got 1'],
    ['not less', z.number().lt(1), 1, '(root): expected less than 1, got 1'],
    ['an unsafe integer', z.int(), 2 ** 53, '(root): expected at most 9007199254740991, got 9007199254740992'],
    ['a pattern without words', z.string().regex(/^a$/), 'b', '(root): expected text like /^a$/, got "b"'],
    ['a pattern with words', z.string().regex(/^a$/, 'the letter a'), 'b', '(root): expected the letter a, got "b"'],
    ['an unknown name', z.partialRecord(z.enum(['a']), z.string()), { b: 'x' }, 'b: expected no such key, got "x"'],
    [
      'a wrong form of key',
      z.record(z.string().regex(/^a$/, 'the letter a'), z.int()),
      { b: 1 },
      'b: expected the letter a, got 1',
    ],
    [
      'a rule',
      z.string().check(({ issues, value }) => {
        issues.push({ code: 'custom', message: 'a palindrome', input: value });
      }),
      'ab',
      '(root): expected a palindrome, got "ab"',
    ],
    ['an empty object', z.string(), {}, '(root): expected a string, got an empty object'],
    [
      'a large object',
      z.string(),
      { a: 1, b: 1, c: 1, d: 1, e: 1 },
      '(root): expected a string, got an object with "a", "b", "c", "d", …',
    ],
    ['a function', z.string(), () => 1, '(root): expected a string, got a function'],
    ['long text', z.int(), 'x'.repeat(200), `(root): expected a number, got "${'x'.repeat(76)}…`],
  ])('%s', (_, schema, value, expected) => check(schema, value, expected));
});

describe('unions', () => {
  const shape = z.union([
    z.strictObject({ kind: z.literal('circle'), radius: z.number() }),
    z.strictObject({ kind: z.literal('square'), side: z.number() }),
  ]);

  test('where no member fits: what each would be', () => {
    check(
      z.union([z.string(), z.number(), z.null()]),
      [],
      '(root): expected a string, a number or null, got an array of 0 items',
    );
  });

  test('the member that fits furthest down tells', () => {
    check(
      z.strictObject({ at: z.union([z.string(), z.array(z.strictObject({ n: z.int() }))]) }),
      { at: [{ n: 1 }, { n: 'x' }] },
      'at[1].n: expected a number, got "x"',
    );
  });

  test('a union inside a union', () => {
    check(
      z.array(z.union([z.null(), z.strictObject({ inner: z.union([z.string(), z.int()]) })])),
      [{ inner: true }],
      '[0].inner: expected a string or a number, got true',
    );
  });

  test('a member that is a union counts by its own deepest member', () => {
    const inner = z.union([z.null(), z.strictObject({ a: z.string() })]);
    check(z.union([z.int(), inner]), { a: 5 }, 'a: expected a string, got 5');
  });

  test('members with equally deep issues: the first of them', () => {
    check(shape, { kind: 'circle', radius: 'x' }, 'radius: expected a number, got "x"');
  });

  test('a value that JSON cannot say, deep inside a pin', () => {
    const pin = {
      id: 'p',
      behavior: 'b',
      target: 't',
      call: { args: [[{ x: undefined }]], kwargs: {} },
      outcome: { mutated_args: [], calls: [], stdout: '' },
      origin: 'carved',
    };
    check(
      Pin,
      pin,
      'call.args[0][0].x: expected a string, a number, a boolean, null, an array or an object, got nothing',
    );
  });
});

describe('of a record', () => {
  const report = (outcome: string): unknown => ({
    runner: 'pytest',
    environment: sha,
    execution_ids: [],
    tests: [{ test: 'a', file: 'a.py', outcome }],
    collection_errors: [],
  });
  const { schema } = recordRegistry.TestRunReport;

  test('the message names record, path, expected and got', () => {
    const message = messageOf('invalid_record', () => parseRecord(schema, report('green')));
    expect(message).toBe(
      'Not a TestRunReport: tests[0].outcome: expected "passed", "failed", "error", "skipped", "xfailed", "xpassed", "timeout" or "not_run", got "green".',
    );
  });

  test('many problems are counted, the first eight shown', () => {
    const spoiled = { ...(report('passed') as TestRunReport), execution_ids: Array.from({ length: 20 }, () => 'x') };
    const message = messageOf('invalid_record', () => checkRecord(schema, spoiled));
    expect(message).toContain(
      'execution_ids[7]: expected a lower-case hexadecimal SHA-256 (64 digits), got "x" (and 12 more).',
    );
    expect(message).not.toContain('execution_ids[8]');
  });
});
