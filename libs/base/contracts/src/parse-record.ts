import { z } from 'zod';
import { invalidRecord } from './errors.ts';

/** Parses data from outside: unknown keys are dropped, except where the record is exact. Throws `invalid_record`. */
export function parseRecord<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = readerOf(schema).safeParse(value);
  if (result.success) return result.data as z.output<Schema>;
  throw invalidRecord(nameOf(schema), describeIssues(result.error.issues, value));
}

/** Checks data about to be written: an unknown key is an error too. Throws `invalid_record`. */
export function checkRecord<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRecord(nameOf(schema), describeIssues(result.error.issues, value));
}

/** The registered name of a record, such as "TestRunReport". */
export function nameOf(schema: z.ZodType): string {
  return z.globalRegistry.get(schema)?.id ?? 'record';
}

/** One sentence per issue: path, what was expected, what was got. `tests[3].outcome: expected one of …, got "green"`. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], value: unknown): string[] {
  return issues.flatMap((issue) => {
    const nested = nestedIssues(issue);
    if (nested !== undefined) return describeIssues(nested, value);
    return [`${formatPath(issue.path)}: expected ${expectedOf(issue)}, got ${formatValue(valueAt(value, issue))}`];
  });
}

function nestedIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] | undefined {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return undefined;
  const shortest = issue.errors.reduce((best, errors) => (errors.length < best.length ? errors : best));
  return shortest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function expectedOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'a whole number' : issue.expected;
    case 'invalid_value':
      return issue.values.length === 1
        ? formatValue(issue.values[0])
        : `one of ${issue.values.map(formatValue).join(', ')}`;
    case 'invalid_format':
      return issue.pattern === undefined ? issue.format : `text like ${issue.pattern}`;
    case 'too_big':
      return `at most ${issue.maximum} ${unitOf(issue.origin)}`.trim();
    case 'too_small':
      return `at least ${issue.minimum} ${unitOf(issue.origin)}`.trim();
    case 'unrecognized_keys':
      return `no key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    default:
      return issue.message;
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return 'characters';
  if (origin === 'array') return 'items';
  return '';
}

function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '(root)';
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

function valueAt(value: unknown, issue: z.core.$ZodIssue): unknown {
  let current = value;
  for (const key of issue.path) current = (current as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return current;
}

function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text =
    typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function'
      ? typeof value
      : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

const readers = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** The schema a reader uses: as the writer's, but objects drop unknown keys unless the record is exact. */
function readerOf(schema: z.ZodType): z.ZodType {
  return loosen(schema) as z.ZodType;
}

function loosen(schema: z.core.$ZodType): z.core.$ZodType {
  const known = readers.get(schema);
  if (known !== undefined) return known;
  const loose = loosenedCopy(schema as z.ZodType);
  readers.set(schema, loose);
  return loose;
}

function loosenedCopy(schema: z.ZodType): z.core.$ZodType {
  if (z.globalRegistry.get(schema)?.exact === true) return schema;
  if (schema instanceof z.ZodObject) {
    const shape = Object.fromEntries(
      Object.entries(schema.shape).map(([key, field]) => [key, loosen(field as z.core.$ZodType)]),
    );
    return z.object(shape);
  }
  if (schema instanceof z.ZodArray) return withChecks(z.array(loosen(schema.element)), schema);
  if (schema instanceof z.ZodRecord)
    return isPartial(schema)
      ? z.partialRecord(schema.keyType as never, loosen(schema.valueType))
      : z.record(schema.keyType as never, loosen(schema.valueType));
  if (schema instanceof z.ZodNullable) return z.nullable(loosen(schema.unwrap()));
  if (schema instanceof z.ZodExactOptional) return z.exactOptional(loosen(schema.unwrap()));
  if (schema instanceof z.ZodUnion)
    return z.union(schema.options.map((option) => loosen(option)) as [z.core.$ZodType, ...z.core.$ZodType[]]);
  return schema;
}

function isPartial(schema: z.ZodRecord): boolean {
  return (schema.keyType as z.core.$ZodType)._zod.values === undefined && schema.keyType instanceof z.ZodEnum;
}

function withChecks<Copy extends z.ZodType>(copy: Copy, original: z.ZodType): z.ZodType {
  const checks = original.def.checks ?? [];
  return checks.length === 0 ? copy : copy.check(...(checks as never[]));
}
