import { getTree, memoryArtifacts, putTree, REGULAR_FILE, SYMBOLIC_LINK } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { type CoverageMap, instrumentTree } from '../src/instrument-tree.ts';
import { treeOf } from './process-executor.ts';

async function instrument(files: Record<string, string>, cwd = '') {
  const artifacts = memoryArtifacts();
  const { changes, notes } = await instrumentTree(await treeOf(files, artifacts), cwd, artifacts);
  const texts = Object.fromEntries(
    changes.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes ?? undefined)]),
  );
  return {
    texts,
    notes,
    map: JSON.parse(texts[`${cwd === '' ? '' : `${cwd}/`}.h-agent/coverage-map.json`] ?? '{}') as CoverageMap,
  };
}

describe('instrumentTree', () => {
  it('numbers statements across files', async () => {
    const { texts, map } = await instrument(
      { 'a.js': 'a()\nfunction f() { b() }\n', 'b.ts': 'type A = 1\n', 'c.tsx': 'c()\n' },
      'web',
    );
    expect(texts['c.tsx']).toBe('void (globalThis as any).__h?.(2);c()\n');
    expect(map).toEqual({
      total: 3,
      files: [
        { file: 'a.js', first: 0, lines: [1, 2], top: [0] },
        { file: 'c.tsx', first: 2, lines: [1], top: [0] },
      ],
    });
    expect(Object.keys(texts)).toEqual(['a.js', 'c.tsx', 'web/.h-agent/coverage-map.json']);
  });

  it.each([
    'a.test.ts',
    'src/a.spec.tsx',
    'a.d.ts',
    'a.d.mts',
    'vitest.config.ts',
    'eslint.config.js',
    '.eslintrc.cjs',
    'vitest.setup.ts',
    'node_modules/b/a.js',
    'p/node_modules/b/a.js',
    '.h-agent/a.mjs',
    '__tests__/a.ts',
    'src/__mocks__/a.ts',
    'a.json',
    'a.py',
    'Makefile',
    'a.stories.tsx',
  ])('leaves %s alone', async (path) => {
    expect((await instrument({ [path]: 'a()\n' })).map.total).toBe(0);
  });

  it.each(['a.mjs', 'a.cjs', 'a.jsx', 'a.mts', 'a.cts', 'src/testing/a.ts', 'test/a.ts', 'contest/a.ts'])(
    'takes %s',
    async (path) => {
      expect((await instrument({ [path]: 'a()\n', 'src/b.test.ts': '' })).map.total).toBe(1);
    },
  );

  it('leaves what helps tests in a folder of tests alone', async () => {
    const { map } = await instrument({
      'p/test/b.test.ts': '',
      'p/test/help/clock.ts': 'a()\n',
      'p/src/test/c.ts': 'a()\n',
      'p/a.ts': 'a()\n',
    });
    expect(map.files.map(({ file }) => file)).toEqual(['p/a.ts', 'p/src/test/c.ts']);
  });

  it('says what it could not take', async () => {
    const artifacts = memoryArtifacts();
    const entry = async (path: string, bytes: Uint8Array, mode = REGULAR_FILE) => ({
      path,
      mode,
      sha: await artifacts.put(bytes),
    });
    const text = (value: string) => new TextEncoder().encode(value);
    const entries = [
      await entry('bad.js', text('if (')),
      await entry('big.js', new Uint8Array(1_000_001).fill(10)),
      await entry('latin.js', Uint8Array.of(0x22, 0xe9, 0x22)),
      await entry('link.js', text('a.js'), SYMBOLIC_LINK),
    ];
    const { changes, notes } = await instrumentTree(await putTree(entries, artifacts), '', artifacts);
    expect(changes.map(({ path }) => path)).toEqual(['.h-agent/coverage-map.json']);
    expect(notes).toEqual([
      expect.stringMatching(/^No coverage of bad.js: it does not parse/),
      'No coverage of big.js: it has 1000001 bytes, more than 1000000',
      'No coverage of latin.js: it is not UTF-8',
    ]);
  });

  it('stops when it is cancelled, and changes no stored tree', async () => {
    const artifacts = memoryArtifacts();
    const tree = await treeOf({ 'a.js': 'a()\n' }, artifacts);
    await expect(instrumentTree(tree, '', artifacts, { signal: AbortSignal.abort() })).rejects.toThrow();
    await instrumentTree(tree, '', artifacts);
    expect(await getTree(tree, artifacts)).toHaveLength(1);
  });

  it('gives the same bytes for the same tree', async () => {
    const files = { 'a.js': 'a(() => b)\n', 'c.ts': 'for (;;) d()\n' };
    expect(JSON.stringify(await instrument(files))).toBe(JSON.stringify(await instrument(files)));
  });
});
