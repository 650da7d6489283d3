// One readable value of a schema with every optional field present and one item in every list: what the frozen examples are made of.
import { z } from 'zod';
import { LineSet, Loc, RepoPath, Sha, TestId } from '../src/define-record.ts';

const special = new Map<z.core.$ZodType, unknown>([
  [Sha, 'a'.repeat(64)],
  [RepoPath, 'src/module.py'],
  [Loc, 'src/module.py:12'],
  [TestId, 'tests/test_module.py::Suite::test_case'],
  [LineSet, '1-4,7'],
]);

export function exampleOf(schema: z.core.$ZodType, name = 'text'): unknown {
  for (let form: z.core.$ZodType | undefined = schema; form !== undefined; form = form._zod.parent) {
    if (special.has(form)) return special.get(form);
  }
  if (schema instanceof z.ZodObject) {
    return Object.fromEntries(Object.entries(schema.shape).map(([key, field]) => [key, exampleOf(field, key)]));
  }
  if (schema instanceof z.ZodArray) return [exampleOf(schema.element, name)];
  if (schema instanceof z.ZodRecord)
    return { [String(exampleOf(schema.keyType, 'key'))]: exampleOf(schema.valueType, name) };
  if (schema instanceof z.ZodTuple) return schema.def.items.map((_, index) => 3 + 4 * index);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional) return exampleOf(schema.unwrap(), name);
  if (schema instanceof z.ZodString) return `an example of ${name.replaceAll('_', ' ')}`;
  if (schema instanceof z.ZodNumber) return isWhole(schema) ? 2 : 0.5;
  if (schema instanceof z.ZodBoolean) return true;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodLazy) return { any: ['json', 1, null] };
  throw new TypeError(`No example for ${schema._zod.def.type}.`);
}

function isWhole(schema: z.ZodNumber): boolean {
  const checks = [schema.def, ...(schema.def.checks ?? []).map((check) => check._zod.def)] as { format?: string }[];
  return checks.some(({ format }) => format === 'safeint');
}
