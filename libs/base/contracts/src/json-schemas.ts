import { z } from 'zod';
import { type RecordName, recordRegistry } from './record-registry.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * JSON Schema (draft 2020-12) of the writer's form of a record: unknown keys are refused. Self-contained; named records stand under
 * `$defs`. The same as `schemas/<name>.json` of the package.
 */
export function jsonSchemaOf(name: RecordName): JsonSchema {
  const { schema, version } = recordRegistry[name];
  const emitted = z.toJSONSchema(schema, { target: 'draft-2020-12', override: withoutMarks });
  const { [name]: root, ...others } = (emitted.$defs ?? {}) as Record<string, JsonSchema>;
  const used = Object.keys(others).sort();
  return {
    $schema: emitted.$schema,
    $id: `urn:h:${name}:${version}`,
    ...root,
    ...(used.length === 0 ? {} : { $defs: Object.fromEntries(used.map((key) => [key, others[key]])) }),
  };
}

/** Leaves out the registry's own mark, and the pattern that counts code points where `maxLength` says the same. */
function withoutMarks({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  delete jsonSchema.exact;
  if ('maxLength' in jsonSchema) delete jsonSchema.pattern;
}
