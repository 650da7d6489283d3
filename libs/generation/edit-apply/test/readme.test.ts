import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApplyResult } from '../src/index.ts';
import { good, name, tabs, twice } from './readme-example.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const readme = read('../README.md');

test('shows an example that is run', () => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(example).toBe(read('readme-example.ts').replaceAll('export const', 'const'));
  const said = (result: ApplyResult) => (result.status === 'applied' ? result.status : result.rejection);
  expect(said(good)).toBe('applied');
  expect(said(twice)).toMatchObject({
    reason: 'ambiguous_match',
    matches: [
      [2, 2],
      [6, 6],
    ],
  });
  expect(said(tabs)).toMatchObject({ reason: 'not_found', nearest: { span: [2, 2], cause: 'tabs' } });
  expect(said(name)).toMatchObject({ reason: 'undefined_name', diagnostics: [{ line: 2 }] });
});

test('has a heading for each error code', () => {
  const [, union] = /EditApplyErrorCode =([^;]*);/.exec(read('../src/errors.ts')) ?? [];
  const codes = [...(union ?? '').matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(0);
  for (const code of codes) expect(readme).toContain(`### ${code}\n`);
});

test('names every cause of a miss and every reason of a refusal', () => {
  const [, causes = ''] = /export type MissCause =([^;]*);/.exec(read('../src/locate/explain-miss.ts')) ?? [];
  const [, surface = ''] = /type SurfaceCause =([^;]*);/.exec(read('../src/locate/explain-miss.ts')) ?? [];
  const names = [...`${causes}${surface}`.matchAll(/'([a-z_]+)'/g)].map(([, cause]) => cause);
  expect(names.length).toBeGreaterThan(12);
  for (const cause of names) expect(readme).toContain(`\`${cause}\``);
});
