import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryArtifacts, putTree, type TreeEntry } from '@h/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffTrees, knowTree } from '../../src/disk/diff-trees.ts';
import { createMaterialiser } from '../../src/workspace/prepare-workspace.ts';

const artifacts = memoryArtifacts();
const materialiser = createMaterialiser(artifacts);
const plain = { owner: undefined, links: [] };

/** Everything in a folder, by path: what it is, its rights and what it holds. */
function describe(folder: string, inside = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, inside))) {
    const path = inside === '' ? name : `${inside}/${name}`;
    const stat = lstatSync(join(folder, path));
    if (stat.isDirectory()) Object.assign(found, { [path]: 'folder' }, describe(folder, path));
    else if (stat.isSymbolicLink()) found[path] = `link ${readlinkSync(join(folder, path))}`;
    else found[path] = `${(stat.mode & 0o777).toString(8)} ${readFileSync(join(folder, path), 'utf8')}`;
  }
  return found;
}

// Few names, so that files, folders and links of one tree stand where another has something else.
const name = fc.constantFrom('a', 'b', 'c');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const file = fc.record({ path, mode: fc.constantFrom(0o100644, 0o100755, 0o120000), text: fc.constantFrom('x', 'y') });
const files = fc.array(file, { maxLength: 6 });

async function treeOf(given: readonly { path: string; mode: number; text: string }[]): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (const { path: at, mode, text } of given) {
    if (
      entries.some((entry) => entry.path === at || entry.path.startsWith(`${at}/`) || at.startsWith(`${entry.path}/`))
    )
      continue;
    entries.push({ path: at, mode, sha: await artifacts.put(new TextEncoder().encode(text)) });
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

it('makes of one tree exactly what writing the other would have made', async () => {
  const root = mkdtempSync(join(tmpdir(), 'h-test-diff-'));
  await fc.assert(
    fc.asyncProperty(files, files, async (one, other) => {
      const [base, wanted] = [await treeOf(one), await treeOf(other)];
      const [changed, fresh] = [mkdtempSync(join(root, 'changed')), mkdtempSync(join(root, 'fresh'))];
      await materialiser.materialise(await putTree(base, artifacts), changed, plain);
      await materialiser.materialise(await putTree(wanted, artifacts), fresh, plain);
      const known = knowTree(base);
      const changes = diffTrees(known, wanted, 100);
      if (changes === undefined) throw new Error('they differ in fewer than 100 places');
      await materialiser.change(known, changes, changed, { owner: undefined });
      expect(describe(changed)).toEqual(describe(fresh));
    }),
    { numRuns: 60 },
  );
  rmSync(root, { recursive: true });
});

it('gives up where they differ in more places than it may, however', async () => {
  const many = Array.from({ length: 5 }, (_, index) => ({ path: `f${index}`, mode: 0o100644, text: 'x' }));
  const [tree, none] = [await treeOf(many), await treeOf([])];
  const edited = await treeOf(many.map((one) => ({ ...one, text: 'y' })));
  for (const [base, wanted] of [
    [tree, none],
    [none, tree],
    [tree, edited],
  ] as const) {
    expect(diffTrees(knowTree(base), wanted, 4)).toBeUndefined();
    expect(diffTrees(knowTree(base), wanted, 5)).toBeDefined();
  }
});
