import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');

test('the example says what the comments promise', async () => {
  const fence = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(read('readme-example.ts')).toBe(fence.replace('@h/instrument', '../src/index.ts'));
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await import('./readme-example.ts');
  expect(log.mock.calls).toEqual([
    [
      {
        id: 'PP1',
        location: 'cart.py:4',
        block: 'function total, lines 4-4',
        variables: ['item', 'out'],
        source: 'failure_neighborhood',
      },
    ],
    [{ n: 3, line: 4, role: 'statement', before: ['item', 'out'], after: ['out'], start: 72 }],
    [['out'], ['item', 'item.price', 'out']],
  ]);
});

test('every error code has a heading', () => {
  const union = /export type InstrumentErrorCode =([\s\S]*?);/.exec(read('../src/errors.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
  const headings = [...readme.matchAll(/^### `([a-z_]+)`$/gm)].map(([, code]) => code);
  expect(codes).toHaveLength(8);
  expect(headings.sort()).toEqual(codes.sort());
});
