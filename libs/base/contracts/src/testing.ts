// fast-check arbitraries derived from the schemas themselves, so that a new record has one from its first day.
import * as fc from 'fast-check';
import { z } from 'zod';
import { LineRange, LineSet, Loc, RepoPath, Sha, Span, TestId } from './define-record.ts';
import { formatLines } from './line-sets.ts';
import { type RecordName, type RecordOf, recordRegistry } from './record-registry.ts';

/**
 * Values that a schema of this package accepts, equal to themselves after a JSON round trip.
 *
 * Only what the schema says is kept: laws between fields (`hits` as long as `tests`, first ≤ last of a statement) are the caller's to add.
 * Text is any Unicode without lone surrogates; no key is `"__proto__"`; no number is -0.
 */
export function arbitraryOf<Schema extends z.core.$ZodType>(schema: Schema): fc.Arbitrary<z.output<Schema>> {
  return derive(schema) as fc.Arbitrary<z.output<Schema>>;
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const line = fc.integer({ min: 1, max: 400 });
const segment = fc.stringMatching(/^[a-z][a-z0-9_-]{0,6}$/);
const path = fc
  .tuple(fc.array(segment, { maxLength: 2 }), segment, fc.constantFrom('.py', '.ts', '.js', '.json'))
  .map(([folders, name, ending]) => [...folders, `${name}${ending}`].join('/'));
const json = fc.jsonValue({ maxDepth: 2, noUnicodeString: false }).map(withoutOddities);

/** Forms whose regular expression or tuple does not say all: the text of a line set ascends, a span does not run backwards. */
const special = new Map<z.core.$ZodType, fc.Arbitrary<unknown>>([
  [Sha, fc.stringMatching(/^[0-9a-f]{64}$/)],
  [RepoPath, path],
  [Loc, fc.tuple(path, line).map(([file, at]) => `${file}:${at}`)],
  [TestId, fc.tuple(path, text).map(([file, name]) => `${file}::${name}`)],
  [LineSet, fc.array(fc.nat(60), { maxLength: 20 }).map(formatLines)],
  [Span, ordered()],
  [LineRange, ordered()],
]);

/** One arbitrary per record: `arbitraries.TestRunReport`. */
export const arbitraries = Object.fromEntries(
  Object.entries(recordRegistry).map(([name, { schema }]) => [name, derive(schema)]),
) as { readonly [Name in RecordName]: fc.Arbitrary<RecordOf<Name>> };

function derive(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  for (let form: z.core.$ZodType | undefined = schema; form !== undefined; form = form._zod.parent) {
    const known = special.get(form);
    if (known !== undefined) return known;
  }
  if (schema instanceof z.ZodObject) return deriveObject(schema);
  if (schema instanceof z.ZodArray) return deriveArray(schema);
  if (schema instanceof z.ZodRecord) return deriveRecord(schema);
  if (schema instanceof z.ZodTuple) return fc.tuple(...schema.def.items.map(derive));
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map(derive));
  if (schema instanceof z.ZodNullable) return fc.option(derive(schema.unwrap()), { nil: null });
  return deriveScalar(schema);
}

function deriveScalar(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodString) return deriveString(schema);
  if (schema instanceof z.ZodNumber) return deriveNumber(schema);
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodNull) return fc.constant(null);
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  if (schema instanceof z.ZodLazy) return json;
  throw new TypeError(`No arbitrary for a schema of type ${schema._zod.def.type}.`);
}

function deriveObject(schema: z.ZodObject): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.shape).map(([key, field]) => {
    const absent = field instanceof z.ZodExactOptional;
    return { key, absent, values: derive(absent ? (field.unwrap() as z.core.$ZodType) : field) };
  });
  const model = Object.fromEntries(fields.map(({ key, values }) => [key, values]));
  return fc.record(model, {
    requiredKeys: fields.filter(({ absent }) => !absent).map(({ key }) => key),
    noNullPrototype: true,
  });
}

function deriveArray(schema: z.ZodArray): fc.Arbitrary<unknown> {
  const { min = 0, max = Number.POSITIVE_INFINITY } = limitsOf(schema);
  return fc.array(derive(schema.element), { minLength: min, maxLength: Math.min(max, min + 3) });
}

function deriveRecord(schema: z.ZodRecord): fc.Arbitrary<unknown> {
  const keys = derive(schema.keyType)
    .map(String)
    .filter((key) => key !== '__proto__');
  return fc.dictionary(keys, derive(schema.valueType), { maxKeys: 3, noNullPrototype: true });
}

function deriveString(schema: z.ZodString): fc.Arbitrary<unknown> {
  const { pattern, min = 0 } = limitsOf(schema);
  const longest = z.globalRegistry.get(schema)?.maxLength;
  if (typeof longest === 'number') return fc.oneof(text, full(longest));
  if (pattern !== undefined) return fc.stringMatching(pattern);
  return fc.string({ unit: 'grapheme', minLength: min, maxLength: min + 12 });
}

/** Text that fills a limit to its last character. */
function full(length: number): fc.Arbitrary<string> {
  const characters = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
  return characters.map((part) => [...part.repeat(length)].slice(0, length).join(''));
}

function deriveNumber(schema: z.ZodNumber): fc.Arbitrary<unknown> {
  const { min = -1e9, max = 1e9, whole } = limitsOf(schema);
  if (whole) return fc.integer({ min, max });
  return fc.double({ min, max, noNaN: true }).map((value) => value + 0);
}

interface Check {
  readonly check?: string;
  readonly value?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly pattern?: RegExp;
}

/** What the checks of a schema say of its size, value or text. */
function limitsOf(schema: z.ZodString | z.ZodNumber | z.ZodArray) {
  const checks = [schema._zod.def, ...(schema._zod.def.checks ?? []).map((check) => check._zod.def)] as Check[];
  const find = (...kinds: string[]) => checks.find(({ check }) => check !== undefined && kinds.includes(check));
  const least = find('greater_than', 'min_length');
  const most = find('less_than', 'max_length');
  return {
    min: least?.value ?? least?.minimum,
    max: most?.value ?? most?.maximum,
    pattern: find('string_format')?.pattern,
    whole: find('number_format')?.format?.includes('int') === true,
  };
}

function ordered(): fc.Arbitrary<[number, number]> {
  return fc.tuple(line, line).map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
}

/** JSON text knows no -0, and a key "__proto__" is never kept. */
function withoutOddities(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, item: unknown) => (key === '__proto__' ? undefined : item));
}
