import type { z } from 'zod';
import { unknownSchema, unsupportedVersion } from './errors.ts';
import { parseJson } from './parse-json.ts';
import { checkRecord, parseRecord } from './parse-record.ts';
import { type RecordName, type RecordOf, recordRegistry } from './record-registry.ts';

/** A record as it stands in a file or on stdout. */
export interface Envelope<Name extends RecordName = RecordName> {
  /** `h/<record in kebab case>/<major>`. */
  readonly schema: string;
  readonly data: RecordOf<Name>;
}

/** Wraps a record for a file or stdout, after a strict check. Throws `invalid_record`. */
export function envelope<Name extends RecordName>(name: Name, data: RecordOf<Name>): Envelope<Name> {
  const { schema } = recordRegistry[name];
  checkRecord(schema as z.ZodType, data);
  return { schema: schemaName(name), data };
}

/**
 * Reads a wrapped record into a new value; what is handed in stays as it is. Unknown keys of the same major are dropped (of an exact
 * record refused); another major is refused. Throws `unknown_schema`, `unsupported_version` or `invalid_record`.
 */
export function openEnvelope<Name extends RecordName>(name: Name, value: unknown): RecordOf<Name> {
  const { schema, version } = recordRegistry[name];
  const got = schemaOf(value);
  const [, record, major] = /^h\/([a-z0-9-]+)\/([1-9][0-9]*)$/.exec(got ?? '') ?? [];
  if (got === undefined || record !== kebab(name)) throw unknownSchema(got, schemaName(name));
  if (Number(major) !== version) throw unsupportedVersion(got, schemaName(name));
  return parseRecord(schema as z.ZodType, (value as { data?: unknown }).data) as RecordOf<Name>;
}

/** As `openEnvelope`, from JSON text. Throws `not_json` besides. */
export function readEnvelope<Name extends RecordName>(name: Name, text: string): RecordOf<Name> {
  return openEnvelope(name, parseJson(text));
}

/** `"TestRunReport"` → `"h/test-run-report/1"`. */
export function schemaName(name: RecordName): string {
  return `h/${kebab(name)}/${recordRegistry[name].version}`;
}

function schemaOf(value: unknown): string | undefined {
  const schema = (value as { schema?: unknown } | null | undefined)?.schema;
  return typeof schema === 'string' ? schema : undefined;
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter, index: number) => (index === 0 ? '' : '-') + letter.toLowerCase());
}
