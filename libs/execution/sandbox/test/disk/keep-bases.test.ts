import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editTree, memoryArtifacts, type Sha } from '@h/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Bases, keepBases } from '../../src/disk/keep-bases.ts';
import { createMaterialiser } from '../../src/workspace/prepare-workspace.ts';
import { treeOf } from '../open-sandbox.ts';

const text = (content: string) => new TextEncoder().encode(content);
const artifacts = memoryArtifacts();
let root: string;
let bases: Bases;
let tree: Sha;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'h-test-bases-'));
  bases = open();
  const files = Array.from({ length: 80 }, (_, index) => [`src/f${index}.txt`, `${index}\n`]);
  tree = await treeOf(artifacts, { ...Object.fromEntries(files), 'pkg/node_modules/own/index.js': 'mine' });
});
afterEach(async () => {
  await bases.close();
  rmSync(root, { recursive: true });
});

function open(links: Parameters<typeof keepBases>[0]['links'] = []): Bases {
  const folder = (name: string) => {
    mkdirSync(join(root, name));
    return join(root, name);
  };
  return keepBases({ materialiser: createMaterialiser(artifacts), links, folder });
}

async function use(kept: Bases, wanted: Sha): Promise<{ folder: string; changes: number }> {
  const { folder, changes, release } = await kept.prepare(wanted, undefined, undefined);
  try {
    return { folder: await folder, changes: changes.removed.length + changes.written.length };
  } finally {
    release();
  }
}

/** A tree like no other, in as many files as make a base of its own. */
const stranger = (name: string) =>
  treeOf(artifacts, Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`${name}/${index}`, name])));

it('writes what candidates share once, and makes each of it', async () => {
  const first = await use(bases, tree);
  expect(first.changes).toBe(0);
  expect(readFileSync(join(first.folder, 'src/f7.txt'), 'utf8')).toBe('7\n');
  for (let index = 0; index < 5; index += 1) {
    const candidate = await editTree(tree, [{ path: `src/f${index}.txt`, bytes: text('fixed') }], artifacts);
    expect(await use(bases, candidate)).toEqual({ folder: first.folder, changes: 2 });
  }
  expect(readdirSync(root).length).toBe(1);
});

it('writes one for every user, and one for what differs in much', async () => {
  const mine = await use(bases, tree);
  const uid = process.getuid?.() ?? 0;
  const { folder, release } = await bases.prepare(tree, { uid, gid: uid }, undefined);
  expect(await folder).not.toBe(mine.folder);
  release();
  expect((await use(bases, await stranger('other'))).changes).toBe(0);
  expect(readdirSync(root).length).toBe(3);
});

it('writes anew where a tree differs in a folder that packages are linked into', async () => {
  const links = [{ folders: ['pkg/node_modules'], links: [], readOnlyPaths: [] }];
  const linked = open(links);
  await use(linked, tree);
  const [inside, beside] = await Promise.all(
    ['pkg/node_modules/own/index.js', 'src/f1.txt'].map((path) =>
      editTree(tree, [{ path, bytes: text('new') }], artifacts),
    ),
  );
  expect((await use(linked, inside ?? '')).changes).toBe(0);
  expect((await use(linked, beside ?? '')).changes).toBe(2);
  await linked.close();
});

it('keeps few, and none away from a run that uses it', async () => {
  const held = await bases.prepare(tree, undefined, undefined);
  const folder = await held.folder;
  for (const name of ['p', 'q', 'r', 's', 't', 'u']) await use(bases, await stranger(name));
  expect(existsSync(join(folder, 'src/f7.txt'))).toBe(true);
  const again = bases.hold('base-1');
  held.release();
  await use(bases, await stranger('v'));
  expect(existsSync(join(folder, 'src/f7.txt'))).toBe(true);
  again?.();
  await use(bases, await stranger('w'));
  await bases.close();
  expect(existsSync(folder)).toBe(false);
  expect(bases.hold('base-1')).toBeUndefined();
  expect(readdirSync(root).length).toBeLessThanOrEqual(4);
});

it('compares with the tree now and then, says aloud what is not as it was written, and begins anew', async () => {
  const { folder } = await use(bases, tree);
  appendFileSync(join(folder, 'src/f3.txt'), 'tampered');
  const outcomes: string[] = [];
  for (let turn = 0; turn < 33; turn += 1) {
    const said = await use(bases, tree).then(
      (used) => (used.folder === folder ? 'same' : 'anew'),
      (error) => `${error.code}: ${error.message}`,
    );
    if (outcomes.at(-1) !== said) outcomes.push(said);
  }
  expect(outcomes).toEqual([
    'same',
    'base_changed: a prepared tree is not what was written: src/f3.txt was changed',
    'anew',
  ]);
});

it('tries again where a tree could not be written', async () => {
  const missing = await treeOf(memoryArtifacts(), { 'a.txt': 'nowhere' });
  await artifacts.put(text('unrelated'));
  await expect(use(bases, missing)).rejects.toThrow();
  expect((await use(bases, tree)).changes).toBe(0);
});
