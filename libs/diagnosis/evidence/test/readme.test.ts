import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');

test('the example says what the comments promise', async () => {
  const fence = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(read('readme-example.ts')).toBe(fence.replace('@h/evidence', '../src/index.ts'));
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await import('./readme-example.ts');
  expect(log.mock.calls).toEqual([
    ['contradicted'],
    ['consistent'],
    [['unknown_execution', 'unknown_suspect']],
    ['[0] run 1 step 12 cart.py:7: total = 90, discount = 0; branch cart.py:5 true'],
  ]);
});

test('every violation code is explained', () => {
  const union = /readonly code:([\s\S]*?);/.exec(read('../src/gate-pack.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(5);
  for (const code of codes) expect(readme).toContain(`| \`${code}\` |`);
});
