import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALL_TEMPLATES } from '../src/index.ts';
import { edits } from './readme-example.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const readme = read('../README.md');

test('shows an example that is run', () => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(example).toBe(read('readme-example.ts').replaceAll('export const', 'const'));
  expect(edits[0]).toMatchObject({ span: [2, 2], blocks: [{ search: '>', replace: '>=' }] });
  expect(edits.length).toBeGreaterThan(10);
});

test('has a heading for each error code', () => {
  const [, union = ''] = /FixTemplatesErrorCode =([^;]*);/.exec(read('../src/errors.ts')) ?? [];
  const codes = [...union.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
  expect(codes).toHaveLength(2);
  for (const code of codes) expect(readme).toContain(`### ${code}\n`);
});

test('lists every template', () => {
  for (const { name } of ALL_TEMPLATES) expect(readme).toContain(`\`${name}\``);
});
