// The reading rule: a reader drops unknown keys of the same major, a writer refuses them, an exact record refuses them both ways.
import { z } from 'zod';
import { describeIssues } from './describe-issues.ts';
import { invalidRecord } from './errors.ts';

/** Parses data from outside: unknown keys are dropped, except where the record is exact. Throws `invalid_record`. */
export function parseRecord<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = safelyParse(schema, readerOf(schema), value);
  if (result.success) return result.data as z.output<Schema>;
  throw invalidRecord(nameOf(schema), describeIssues(result.error.issues, value));
}

/** Checks data about to be written: an unknown key is an error too. Throws `invalid_record`. */
export function checkRecord<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = safelyParse(schema, schema, value);
  if (result.success) return result.data as z.output<Schema>;
  throw invalidRecord(nameOf(schema), describeIssues(result.error.issues, value));
}

/** JSON text nests deeper than a schema can follow; that too is a record nobody wrote. */
function safelyParse(named: z.ZodType, schema: z.core.$ZodType, value: unknown) {
  try {
    return z.safeParse(schema, value);
  } catch (error) {
    if (error instanceof RangeError) throw invalidRecord(nameOf(named), ['nested too deeply to be read'], error);
    throw error;
  }
}

/** The registered name of a record, such as "TestRunReport"; "record" where it has none. */
export function nameOf(schema: z.ZodType): string {
  return z.globalRegistry.get(schema)?.id ?? 'record';
}

const readers = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** The schema a reader uses: every check of the writer's, but objects drop unknown keys unless the record is exact. */
function readerOf(schema: z.core.$ZodType): z.core.$ZodType {
  const known = readers.get(schema);
  if (known !== undefined) return known;
  const reader = loosened(schema);
  readers.set(schema, reader);
  return reader;
}

function loosened(schema: z.core.$ZodType): z.core.$ZodType {
  if (z.globalRegistry.get(schema)?.exact === true) return schema;
  if (schema instanceof z.ZodObject) return looseObject(schema);
  if (schema instanceof z.ZodArray) return z.core.clone(schema, { ...schema.def, element: readerOf(schema.element) });
  if (schema instanceof z.ZodRecord) return looseRecord(schema);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional) {
    return z.core.clone(schema as z.ZodNullable, {
      ...(schema as z.ZodNullable).def,
      innerType: readerOf(schema.unwrap()),
    });
  }
  if (schema instanceof z.ZodUnion)
    return z.core.clone(schema, { ...schema.def, options: schema.options.map(readerOf) });
  if (schema instanceof z.ZodTuple)
    return z.core.clone(schema, { ...schema.def, items: schema.def.items.map(readerOf) });
  return schema;
}

function looseObject(schema: z.ZodObject): z.core.$ZodType {
  const { catchall: _strict, ...def } = schema.def;
  const shape = Object.fromEntries(Object.entries(schema.shape).map(([key, field]) => [key, readerOf(field)]));
  return z.core.clone(schema, { ...def, shape });
}

/** A record keyed by a closed set of names is an object whose keys may be absent: names of a later minor are dropped. */
function looseRecord(schema: z.ZodRecord): z.core.$ZodType {
  const value = readerOf(schema.valueType);
  const keys: z.core.$ZodType = schema.keyType;
  if (!(keys instanceof z.ZodEnum)) return z.core.clone(schema, { ...schema.def, valueType: value });
  const field = isPartial(schema, keys) ? z.exactOptional(value) : value;
  return z.object(Object.fromEntries(keys.options.map((key) => [key, field])));
}

/** Releases of zod 4 say it in two ways. */
function isPartial(schema: z.ZodRecord, keys: z.ZodEnum): boolean {
  return (schema.def as { partial?: boolean }).partial === true || keys._zod.values === undefined;
}
