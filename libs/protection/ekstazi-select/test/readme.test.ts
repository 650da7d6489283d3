import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { GLOBAL_FILES } from '../src/index.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../README.md');

test('the example says what the comments promise', async () => {
  const fence = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(read('readme-example.ts')).toBe(fence.replace('@h/ekstazi-select', '../src/index.ts'));
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await import('./readme-example.ts');
  expect(log.mock.calls).toEqual([
    [[{ test: 'test_shop', why: 'shop.py was changed' }]],
    [[{ test: 'test_tax', reason: 'unrun-by-reachability', witness: ['b'.repeat(64), 'd'.repeat(64)] }]],
    [true],
  ]);
});

test('every error code has a heading', () => {
  const union = /export type SelectErrorCode =([\s\S]*?);/.exec(read('../src/errors.ts'))?.[1] ?? '';
  const codes = [...union.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code);
  const headings = [...readme.matchAll(/^### `([a-z_]+)`$/gm)].map(([, code]) => code);
  expect(codes).toHaveLength(5);
  expect(headings.sort()).toEqual(codes.sort());
});

test.each([
  'pyproject.toml setup.cfg setup.py tox.ini noxfile.py pytest.ini .pytest.ini pytest.toml conftest.py sitecustomize.py x.pth',
  'requirements.txt requirements-dev.in constraints.txt Pipfile Pipfile.lock poetry.lock uv.lock pdm.lock environment.yml',
  'package.json package-lock.json yarn.lock pnpm-lock.yaml bun.lockb .npmrc pnpm-workspace.yaml requirements/test.txt',
  'vitest.config.ts vitest.workspace.json vite.config.mts jest.config.js .mocharc.yml babel.config.js .babelrc .swcrc',
  'tsconfig.json tsconfig.base.json jsconfig.json .env .env.local x.so x.pyd x.node',
])('the table holds %s', (names) => {
  for (const name of names.split(' ')) {
    const held = GLOBAL_FILES.some(({ pattern }) => pattern.test(name));
    expect(held, name).toBe(true);
  }
});
