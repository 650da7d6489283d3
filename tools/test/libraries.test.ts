// What every library has, so that the twentieth looks like the first: manifest, documentation, benchmark, tests, references.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Library, listLibraries, readJson, referencesOf } from '../workspace.ts';

const root = resolve(import.meta.dirname, '../..');
const libraries = listLibraries(root);
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');
const rootManifest: { devDependencies: Record<string, string> } = readJson(join(root, 'package.json'));

describe.each(libraries)('$name', (library) => {
  const { manifest, path } = library;
  const folder = path.split('/').at(-1) ?? '';

  it('has a complete manifest', () => {
    expect(manifest).toMatchObject({
      name: `@h/${folder}`,
      license: 'MIT',
      type: 'module',
      sideEffects: false,
      engines: { node: '>=20.19' },
      publishConfig: { access: 'public' },
      scripts: {
        build: expect.any(String),
        test: 'vitest run',
        bench: expect.stringContaining(`bench/${folder}.bench.ts`),
      },
    });
    expect(manifest.description ?? '').not.toBe('');
    expect(manifest.files).toContain('dist');
  });

  it('exports sources first, then types, then the build, each of an entry that is built', () => {
    const build = read(path, 'tsup.config.ts');
    expect(Object.keys(manifest.exports ?? {})).toContain('.');
    for (const [door, target] of Object.entries(manifest.exports ?? {})) {
      if (typeof target === 'string') continue;
      const source = target['@h/source'] ?? '';
      const entry = source.replace(/^\.\/src\/(.*)\.ts$/, '$1');
      expect(Object.keys(target), door).toEqual(['@h/source', 'types', 'default']);
      expect(existsSync(join(root, path, source)), source).toBe(true);
      expect(target).toMatchObject({ types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` });
      expect(build, door).toContain(`'${entry}'`);
    }
  });

  it('declares ranges for its users and exact versions for itself', () => {
    for (const range of Object.values({ ...manifest.dependencies, ...manifest.peerDependencies }))
      expect(range).toMatch(/^\^\d/);
    for (const [name, version] of Object.entries(manifest.devDependencies ?? {}))
      if (!name.startsWith('@h/')) expect(version, name).toMatch(/^\d/);
  });

  it('references every library it depends on', () => {
    const config: { references: unknown } = readJson(join(root, path, 'tsconfig.json'));
    expect(config.references, 'npm run references').toEqual(referencesOf(library, libraries));
  });

  it('has a README with promise, install, example, guarantees and cost', () => {
    const text = read(path, 'README.md');
    const headings = headingsOf(text).join('\n');
    expect(text.startsWith(`# @h/${folder}\n`)).toBe(true);
    expect(text).toContain(`npm install @h/${folder}`);
    expect(text).toMatch(/^```(?:ts|js|sh|console)$/m);
    expect(headings).toMatch(/guarantee/i);
    expect(headings).toMatch(/cost|measured/i);
  });

  it('explains every error code under a heading of its README', () => {
    const headings = headingsOf(read(path, 'README.md'));
    for (const code of errorCodesOf(library))
      expect(
        headings.some((heading) => heading.includes(code)),
        code,
      ).toBe(true);
  });

  it('has a benchmark and a test of its public list', () => {
    expect(existsSync(join(root, path, 'bench', `${folder}.bench.ts`))).toBe(true);
    expect(existsSync(join(root, path, 'test/public-api.test.ts'))).toBe(true);
  });
});

describe('workspace', () => {
  it('builds every library', () => {
    const config: { references: unknown } = readJson(join(root, 'tsconfig.json'));
    expect(config.references, 'npm run references').toEqual(libraries.map(({ path }) => ({ path })));
  });

  it('pins its tools exactly', () => {
    for (const [name, version] of Object.entries(rootManifest.devDependencies)) expect(version, name).toMatch(/^\d/);
  });

  it('announces every library that was never released', () => {
    const names = readdirSync(join(root, '.changeset')).filter((name) => /^(?!README).*\.md$/.test(name));
    const announced = names.map((name) => read('.changeset', name)).join('\n');
    for (const { name, path } of libraries)
      if (!existsSync(join(root, path, 'CHANGELOG.md'))) expect(announced).toContain(`'${name}'`);
  });
});

function headingsOf(markdown: string): string[] {
  return markdown.split('\n').filter((line) => /^#{1,6} /.test(line));
}

/** Members of the union `<Name>ErrorCode` in `src/errors.ts`. */
function errorCodesOf({ path }: Library): string[] {
  const file = join(root, path, 'src/errors.ts');
  if (!existsSync(file)) return [];
  const union = /ErrorCode =([^;]*);/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  return [...union.matchAll(/'([a-z_]+)'/g)].map(([, code = '']) => code);
}
