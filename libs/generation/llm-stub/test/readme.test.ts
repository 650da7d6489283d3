import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { good, prose } from './readme-example.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');

it('shows an example that is run', () => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
  expect(example).toBe(read('readme-example.ts').replaceAll('export const', 'const'));
  expect(good).toMatchObject({ status: 'answered', answer: { severity: 'high' }, outcome: { kind: 'ok' } });
  expect(prose).toMatchObject({ kind: 'json', reason: 'not one JSON document', fallback: { severity: 'low' } });
});

it('explains every error code under a heading', () => {
  const union = /ErrorCode =([^;]*);/.exec(read('../src/errors.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
  const headings = [...read('../README.md').matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(codes);
});
