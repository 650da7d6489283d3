import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');

test('the example says what the comments promise', async () => {
  const fence = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(read('readme-example.ts')).toBe(fence.replace('@h/slice', '../src/index.ts'));
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await import('./readme-example.ts');
  expect(log.mock.calls).toEqual([
    [['a.py:5 root', 'a.py:4 data_dependency', 'a.py:3 data_dependency', 'a.py:1 data_dependency']],
  ]);
});

test('every error code has a heading', () => {
  const union = /export type SliceErrorCode =([\s\S]*?);/.exec(read('../src/errors.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
  const headings = [...readme.matchAll(/^### `([a-z_]+)`$/gm)].map(([, code]) => code);
  expect(codes).toHaveLength(3);
  expect(headings.sort()).toEqual(codes.sort());
});
