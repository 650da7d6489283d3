import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { result } from './readme-example.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const readme = read('../README.md');

test('shows an example that is run', () => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(example).toBe(read('readme-example.ts').replaceAll('export const', 'const'));
  expect(result.kept.map(({ candidate_id }) => candidate_id)).toEqual(['0', '2']);
  expect(result.votes).toEqual({ 0: 2, 2: 1 });
  expect(result.collapsed).toMatchObject([{ kept: '0', dropped: '1', rung: 'tokens' }]);
  expect(result.no_ops).toMatchObject([{ candidate_id: '3', rung: 'tokens' }]);
});

test('has a heading for each error code', () => {
  const [, union = ''] = /DedupErrorCode =([^;]*);/.exec(read('../src/errors.ts')) ?? [];
  const codes = [...union.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(0);
  for (const code of codes) expect(readme).toContain(`### ${code}\n`);
});
