import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getTree, memoryArtifacts } from '@h/contracts';
import { expect, it } from 'vitest';
import { compareTree } from '../../src/disk/compare-tree.ts';
import { knowTree } from '../../src/disk/diff-trees.ts';
import { createMaterialiser } from '../../src/workspace/prepare-workspace.ts';
import { treeOf } from '../open-sandbox.ts';

const LINKS = [
  {
    folders: ['pkg/node_modules'],
    links: [{ path: 'pkg/node_modules/left', target: '/somewhere' }],
    readOnlyPaths: [],
  },
];

it.each<[string, (folder: string) => void, string | undefined]>([
  ['nothing done', () => undefined, undefined],
  ['other bytes, as many', (folder) => writeFileSync(join(folder, 'a.txt'), 'b\n'), 'a.txt was changed'],
  ['more bytes', (folder) => writeFileSync(join(folder, 'a.txt'), 'a\na\n'), 'a.txt was changed'],
  ['other rights', (folder) => chmodSync(join(folder, 'src/run'), 0o644), 'src/run was changed'],
  ['a file gone', (folder) => unlinkSync(join(folder, 'src/run')), 'src/run was changed'],
  ['a file more', (folder) => writeFileSync(join(folder, 'src/more'), ''), 'src/more was added'],
  ['a folder more', (folder) => mkdirSync(join(folder, 'src/more')), 'src/more was added'],
  ['a package more', (folder) => writeFileSync(join(folder, 'pkg/node_modules/x'), ''), 'pkg/node_modules/x was added'],
  [
    'a link for a file',
    (folder) => {
      unlinkSync(join(folder, 'a.txt'));
      symlinkSync('src/run', join(folder, 'a.txt'));
    },
    'a.txt was changed',
  ],
  [
    'a link elsewhere',
    (folder) => {
      unlinkSync(join(folder, 'link'));
      symlinkSync('src/run', join(folder, 'link'));
    },
    'link was changed',
  ],
])('sees %s', async (_, tamper, expected) => {
  const artifacts = memoryArtifacts();
  const tree = await treeOf(artifacts, {
    'a.txt': 'a\n',
    'src/run': { text: 'x', mode: 0o100755 },
    link: { text: 'a.txt', mode: 0o120000 },
  });
  const folder = mkdtempSync(join(tmpdir(), 'h-test-compare-'));
  const materialiser = createMaterialiser(artifacts);
  await materialiser.materialise(tree, folder, { owner: undefined, links: LINKS });
  tamper(folder);
  const known = knowTree(await getTree(tree, artifacts));
  const options = { materialiser, links: LINKS, signal: new AbortController().signal };
  expect(await compareTree(folder, known, options)).toBe(expected);
  rmSync(folder, { recursive: true });
});
