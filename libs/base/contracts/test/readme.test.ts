import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');

test('the example says what the comments promise', async () => {
  const fence = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(read('readme-example.ts')).toBe(fence.replace('@h/contracts', '../src/index.ts'));
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await import('./readme-example.ts');
  expect(log.mock.calls[1]?.[0]).toMatch(
    /^Not a TestRunReport: tests\[0\]\.outcome: expected "passed", "failed", .* or "not_run", got "green"\.$/,
  );
  expect(log.mock.calls[0]?.[0]).toMatch(/^\{"schema":"h\/test-run-report\/1","data":\{"runner":"pytest",/);
});

test('every error code has a heading', () => {
  const union = /export type ContractErrorCode =([\s\S]*?);/.exec(read('../src/errors.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
  const headings = [...readme.matchAll(/^### `([a-z_]+)`$/gm)].map(([, code]) => code);
  expect(codes).toHaveLength(8);
  expect(headings.sort()).toEqual(codes.sort());
});
