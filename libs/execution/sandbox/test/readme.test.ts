import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as errors from '../src/errors.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

it('has an example that runs as it stands', () => {
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const file = new URL('./readme-example.tmp.ts', import.meta.url).pathname;
  writeFileSync(file, example);
  try {
    const shown = spawnSync(process.execPath, ['--conditions=@h/source', '--import', 'tsx', file], {
      encoding: 'utf8',
    });
    expect(shown.stdout).toBe('exit 0 2 passed\nnothing to steal enforced\n');
  } finally {
    rmSync(file);
  }
});

it('explains every error code under a heading of its own', () => {
  const { SandboxError, ...factories } = errors;
  const source = readFileSync(new URL('../src/errors.ts', import.meta.url), 'utf8');
  const codes = [...source.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code]) => code);
  expect(codes.length).toBe(Object.keys(factories).length);
  for (const code of codes) expect(readme).toContain(`\n### ${code}\n`);
  expect(new SandboxError('closed', 'm', 'h')).toMatchObject({
    name: 'SandboxError',
    code: 'closed',
    hint: 'h',
    retryable: false,
  });
});
