import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('the example says what the comments promise', async () => {
  const fence = /```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1] ?? '';
  expect(read('readme-example.ts')).toBe(fence.replace('@h/syntax', '../src/index.ts'));
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await import('./readme-example.ts');
  expect(log.mock.calls).toEqual([
    ['mid', ['1 function_definition', '2 if_statement', '3 return_statement', '4 return_statement']],
    [['x', 'y', 'z', 'mid']],
    [
      [
        {
          line: 2,
          column: 0,
          message: '`return` statement outside of a function/method',
          code: 'return-outside-function',
        },
      ],
    ],
  ]);
  log.mockRestore();
});
