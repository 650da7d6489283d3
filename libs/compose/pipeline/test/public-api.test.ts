import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as api from '../src/index.ts';
import { VERSION } from '../src/version.ts';

it('exports this list and nothing else', () => {
  expect(Object.keys(api).sort()).toEqual(['DEFAULT_BUDGET', 'EXIT', 'PipelineError', 'renderSummary', 'runPipeline']);
});

it('has a README heading for each error code', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const union = /PipelineErrorCode =([^;]+);/.exec(read('../src/errors.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
  expect(codes.length).toBeGreaterThan(5);
  for (const code of codes) expect(read('../README.md')).toContain(`### ${code}\n`);
});

it('says the version of its package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(version);
});
