import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { jsonSchemaOf, type RecordName, recordRegistry } from '../src/index.ts';

const names = Object.keys(recordRegistry) as RecordName[];
const folder = new URL('../schemas/', import.meta.url);

describe('schemas/*.json', () => {
  test('one file a record', () =>
    expect(readdirSync(folder).sort()).toEqual(names.map((name) => `${name}.json`).sort()));

  test.each(names)('%s.json is what the code says; else run: npm run schemas -w @h/contracts', (name) => {
    expect(readFileSync(new URL(`${name}.json`, folder), 'utf8')).toBe(
      `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`,
    );
  });

  test('may be loaded side by side', () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false });
    for (const name of names) ajv.addSchema(jsonSchemaOf(name));
    expect(ajv.getSchema('urn:h:TestRunReport:1')).toBeTypeOf('function');
  });
});

describe('jsonSchemaOf', () => {
  test('is an object at its root, closed, and says draft 2020-12', () => {
    expect(jsonSchemaOf('CandidateProbePoints')).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'urn:h:CandidateProbePoints:1',
      type: 'object',
      required: ['candidate_probe_points'],
      additionalProperties: false,
      properties: { candidate_probe_points: { type: 'array', maxItems: 50 } },
    });
  });

  test('text limits are maxLength, not a pattern', () => {
    const { properties } = jsonSchemaOf('IntentPackage') as { properties: Record<string, unknown> };
    expect(properties.requirement).toEqual({ type: 'string', maxLength: 1024, description: expect.any(String) });
  });

  test('holds no mark of the registry', () => {
    for (const name of names) expect(JSON.stringify(jsonSchemaOf(name))).not.toContain('"exact":true');
  });

  test('twice the same', () =>
    expect(JSON.stringify(jsonSchemaOf('LedgerEntry'))).toBe(JSON.stringify(jsonSchemaOf('LedgerEntry'))));
});
