import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { coverage, report, unmatched } from './readme-example.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');

it('shows an example that is run', () => {
  const [, example] = /```ts\n([\s\S]*?)```/.exec(read('../README.md')) ?? [];
  expect(example).toBe(read('readme-example.ts').replaceAll('export const', 'const'));
  expect(coverage.tests).toEqual([
    { id: 'adds', files: [{ file: 'src/sum.js', lines: '1-2' }] },
    { id: 'subtracts', files: [{ file: 'src/sum.js', lines: '5' }] },
  ]);
  expect(coverage.total).toEqual([{ file: 'src/sum.js', lines: '1-2,5', executable: '1-2,5-6' }]);
  expect(report.tests[1]?.coverage).toEqual([{ file: 'src/sum.js', lines: '5' }]);
  expect(unmatched).toEqual([]);
});

it('explains every error code under a heading, and every warning in its table', () => {
  const codes = (file: string, union: string) => {
    const [, members = ''] = new RegExp(`${union} =([^;]*);`).exec(read(file)) ?? [];
    return [...members.matchAll(/'([a-z0-9_]+)'/g)].map(([, code = '']) => code);
  };
  const readme = read('../README.md');
  expect([...readme.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading)).toEqual(
    codes('../src/errors.ts', 'ErrorCode'),
  );
  const warnings = codes('../src/coverage-report.ts', 'WarningCode');
  expect(warnings.length).toBeGreaterThan(5);
  for (const code of warnings) expect(readme).toContain(`| \`${code}\` |`);
});
