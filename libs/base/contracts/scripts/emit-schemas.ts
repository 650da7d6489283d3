// Writes schemas/<Record>.json for every record, and a first example of a record that has none under test/fixtures/v<major>/.
// Examples are frozen: one that exists is never written again. `npm run schemas -w @h/contracts`
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type RecordName, recordRegistry, schemaName } from '../src/index.ts';
import { jsonSchemaOf } from '../src/json-schemas.ts';
import { exampleOf } from '../test/example-of.ts';

const schemas = new URL('../schemas/', import.meta.url);
const names = Object.keys(recordRegistry) as RecordName[];
mkdirSync(schemas, { recursive: true });
for (const file of readdirSync(schemas)) {
  if (!names.some((name) => file === `${name}.json`)) rmSync(new URL(file, schemas));
}
for (const name of names) {
  writeFileSync(new URL(`${name}.json`, schemas), `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`);
  const { schema, version } = recordRegistry[name];
  const examples = new URL(`../test/fixtures/v${version}/`, import.meta.url);
  const example = new URL(`${name}.json`, examples);
  if (existsSync(example)) continue;
  mkdirSync(examples, { recursive: true });
  writeFileSync(example, `${JSON.stringify({ schema: schemaName(name), data: exampleOf(schema) }, null, 2)}\n`);
}
