// Each recipe of docs/recipes: its TypeScript runs as it stands and prints what the page says it prints.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const recipes = join(root, 'docs', 'recipes');
/** Inside the workspace, so that `@h/…` resolves. */
const folder = join(root, 'e2e', '.recipes');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pages = readdirSync(recipes).filter((name) => name.endsWith('.md'));

const codeOf = (page: string) => /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(recipes, page), 'utf8'))?.[1] ?? '';

it('type-check, all of them', async () => {
  const files = pages.map((page) => write(page, codeOf(page)));
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = {
    composite: false,
    declaration: false,
    declarationMap: false,
    emitDeclarationOnly: false,
    noEmit: true,
  };
  writeFileSync(config, JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, files }));
  const { stdout } = await execa('npx', ['tsc', '-p', config], { cwd: root, reject: false });
  expect(stdout).toBe('');
});

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(recipes, page), 'utf8');
  const code = codeOf(page);
  const promised = /It prints `([^`]+)`/.exec(text)?.[1] ?? '';

  it('runs, and prints what it says', async () => {
    const flags = ['--conditions=@h/source', '--import', 'tsx'];
    const { stdout } = await execa(process.execPath, [...flags, write(page, code)], { cwd: join(root, 'e2e') });
    expect(promised).not.toBe('');
    expect(stdout).toContain(promised);
  });
});

function write(page: string, code: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, page.replace('.md', '.ts'));
  writeFileSync(path, code);
  return path;
}
