import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArtifactStore, canonicalJson, memoryArtifacts, type Sha, type TreeEntry } from '@h/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMaterialiser } from '../../src/workspace/prepare-workspace.ts';
import { treeOf } from '../open-sandbox.ts';

let root: string;
let artifacts: ArtifactStore;
let reads: number;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'h-test-workspace-')));
  const store = memoryArtifacts();
  reads = 0;
  artifacts = {
    put: store.put,
    get: (sha, options) => {
      reads += 1;
      return store.get(sha, options);
    },
  };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const plain = { owner: undefined, links: [] };

/** A manifest as another program might have written it: not sorted, not checked. */
function rawTree(entries: TreeEntry[]): Promise<Sha> {
  return artifacts.put(new TextEncoder().encode(canonicalJson(entries)));
}

describe('createMaterialiser', () => {
  it('writes files with their modes, and links as links', async () => {
    const tree = await treeOf(artifacts, {
      'a.txt': 'a',
      'bin/run': { text: '#!/bin/sh\n', mode: 0o100755 },
      'deep/er/empty': '',
      'deep/link': { text: '../a.txt', mode: 0o120000 },
      'out/of/it': { text: '/etc/hostname', mode: 0o120000 },
    });
    await createMaterialiser(artifacts).materialise(tree, root, plain);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a');
    expect(statSync(join(root, 'bin/run')).mode & 0o777).toBe(0o755);
    expect(statSync(join(root, 'deep/er/empty')).size).toBe(0);
    expect(readlinkSync(join(root, 'deep/link'))).toBe('../a.txt');
    expect(lstatSync(join(root, 'out/of/it')).isSymbolicLink()).toBe(true);
  });

  it('reads each content once for many trees, and shares nothing between copies', async () => {
    const materialiser = createMaterialiser(artifacts);
    const tree = await treeOf(artifacts, { 'a.txt': 'a', 'b.txt': 'b' });
    const folders = ['one', 'two', 'three'].map((name) => mkdtempSync(join(root, name)));
    for (const folder of folders) await materialiser.materialise(tree, folder, plain);
    expect(reads).toBe(3);
    const [one = '', two = ''] = folders;
    expect(statSync(join(one, 'a.txt')).ino).not.toBe(statSync(join(two, 'a.txt')).ino);
    expect(statSync(join(one, 'a.txt')).nlink).toBe(1);
    writeFileSync(join(one, 'a.txt'), 'changed');
    expect(readFileSync(join(two, 'a.txt'), 'utf8')).toBe('a');
    await materialiser.materialise(tree, mkdtempSync(join(root, 'four')), plain);
    expect(readFileSync(join(two, 'a.txt'), 'utf8')).toBe('a');
  });

  it('writes nothing through a link of the tree', async () => {
    const outside = mkdtempSync(join(root, 'outside'));
    const inside = mkdtempSync(join(root, 'inside'));
    const sha = await artifacts.put(new TextEncoder().encode('x'));
    const target = await artifacts.put(new TextEncoder().encode(outside));
    for (const path of ['a/b', 'a']) {
      const tree = await rawTree([
        { path: 'a', mode: 0o120000, sha: target },
        { path, mode: 0o100644, sha },
      ]);
      await expect(
        createMaterialiser(artifacts).materialise(tree, mkdtempSync(join(inside, 'x')), plain),
      ).rejects.toMatchObject({ code: 'invalid_tree_path' });
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  it.each(['../x', '/x', 'a/../../x', 'a//b', './a', 'a/', 'a\0b'])('refuses the path %j', async (path) => {
    const sha = await artifacts.put(new TextEncoder().encode('x'));
    const tree = await rawTree([{ path, mode: 0o100644, sha }]);
    await expect(createMaterialiser(artifacts).materialise(tree, root, plain)).rejects.toMatchObject({
      code: 'invalid_tree_path',
    });
    expect(readdirSync(root)).toEqual([]);
  });

  it('refuses a file that is also a folder', async () => {
    const sha = await artifacts.put(new TextEncoder().encode('x'));
    const tree = await rawTree([
      { path: 'a', mode: 0o100644, sha },
      { path: 'a/b', mode: 0o100644, sha },
    ]);
    await expect(createMaterialiser(artifacts).materialise(tree, root, plain)).rejects.toMatchObject({
      code: 'invalid_tree_path',
    });
  });

  it('refuses a file where packages are to be linked', async () => {
    const tree = await treeOf(artifacts, { node_modules: 'a file' });
    const links = [{ folders: ['node_modules'], links: [], readOnlyPaths: [] }];
    const running = createMaterialiser(artifacts).materialise(tree, root, { owner: undefined, links });
    await expect(running).rejects.toMatchObject({ code: 'bad_tree' });
  });

  it('places links, and lets the tree’s own package win', async () => {
    const tree = await treeOf(artifacts, { 'node_modules/mine/index.js': 'mine' });
    const links = [
      {
        folders: ['node_modules', 'node_modules/@s'],
        links: [
          { path: 'node_modules/mine', target: '/x' },
          { path: 'node_modules/@s/p', target: '/y' },
        ],
        readOnlyPaths: [],
      },
    ];
    await createMaterialiser(artifacts).materialise(tree, root, { owner: undefined, links });
    expect(lstatSync(join(root, 'node_modules/mine')).isDirectory()).toBe(true);
    expect(readlinkSync(join(root, 'node_modules/@s/p'))).toBe('/y');
    writeFileSync(join(root, 'node_modules/new'), 'a real folder');
  });

  it('stops when cancelled', async () => {
    const tree = await treeOf(
      artifacts,
      Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, `${index}`])),
    );
    const controller = new AbortController();
    const running = createMaterialiser(artifacts).materialise(tree, root, { ...plain, signal: controller.signal });
    controller.abort(new Error('stop'));
    await expect(running).rejects.toThrow('stop');
    expect(readdirSync(root).length).toBeLessThan(500);
  });
});
