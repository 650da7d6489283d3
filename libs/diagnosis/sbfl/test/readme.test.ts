import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');

test('the example says what the comments promise', async () => {
  const fence = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(read('readme-example.ts')).toBe(fence.replace('@h/sbfl', '../src/index.ts'));
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await import('./readme-example.ts');
  expect(log.mock.calls).toEqual([
    [expect.objectContaining({ location: 'middle.py:6', score: 1, tier: 'discriminating', rank: 1, tie_size: 1 })],
    [['middle.py:6', 'middle.py:3', 'middle.py:2']],
  ]);
});

test('every error code has a heading', () => {
  const union = /export type SbflErrorCode =([\s\S]*?);/.exec(read('../src/errors.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
  const headings = [...readme.matchAll(/^### `([a-z_]+)`$/gm)].map(([, code]) => code);
  expect(codes).toHaveLength(11);
  expect(headings.sort()).toEqual(codes.sort());
});
