import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { broke, kept, ranked } from './readme-example.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');

it('shows an example that is run', () => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
  expect(example).toBe(read('readme-example.ts').replaceAll('export const', 'const'));
  expect([kept, broke].map(({ ledger }) => ledger.regression_status)).toEqual(['UNPROVEN', 'DIVERGENT']);
  expect(ranked[0]?.patch_id).toBe(kept.ledger.patch_id);
});
