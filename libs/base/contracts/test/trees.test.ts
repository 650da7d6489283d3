import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type ArtifactStore,
  EXECUTABLE_FILE,
  editTree,
  getTree,
  memoryArtifacts,
  putTree,
  REGULAR_FILE,
  sha256Hex,
} from '../src/index.ts';
import { rejectionOf } from './check-error.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const entry = (path: string, text = path) => ({ path, mode: REGULAR_FILE, sha: sha256Hex(text) });

let artifacts: ArtifactStore;
beforeEach(() => {
  artifacts = memoryArtifacts();
});

describe('putTree and getTree', () => {
  test('one set of entries has one name, whatever its order; entries come back sorted by code units', async () => {
    const entries = ['b', 'a/b', 'a-b', 'Z', 'é', 'a/B'].map((path) => entry(path));
    const tree = await putTree(entries, artifacts);
    expect(await putTree([...entries].reverse(), artifacts)).toBe(tree);
    expect((await getTree(tree, artifacts)).map(({ path }) => path)).toEqual(['Z', 'a-b', 'a/B', 'a/b', 'b', 'é']);
  });

  test('the name is the hash of the canonical manifest', async () => {
    const tree = await putTree([entry('a')], artifacts);
    expect(tree).toBe(sha256Hex(`[{"mode":33188,"path":"a","sha":"${sha256Hex('a')}"}]`));
  });

  test('an empty tree is a tree', async () =>
    expect(await getTree(await putTree([], artifacts), artifacts)).toEqual([]));

  test.each([
    ['/a', 'absolute'],
    ['a//b', 'segment'],
    ['a/', 'segment'],
    ['', 'segment'],
    ['.', 'segment'],
    ['a/./b', 'segment'],
    ['../a', 'segment'],
    ['a/../b', 'segment'],
    ['a\\b', 'backslash'],
    ['a\0', 'NUL'],
  ])('refuses the path %j', async (path, why) => {
    const message = await rejectionOf('invalid_tree_path', putTree([entry('ok'), entry(path)], artifacts));
    expect(message).toContain(JSON.stringify(path));
    expect(message).toContain(why);
  });

  test('refuses a path given twice, and one that is both a file and a folder', async () => {
    expect(await rejectionOf('invalid_tree_path', putTree([entry('a'), entry('b'), entry('a')], artifacts))).toContain(
      'twice',
    );
    const both = [entry('a'), entry('a-b'), entry('a/b/c')];
    expect(await rejectionOf('invalid_tree_path', putTree(both, artifacts))).toContain('"a" is a file');
  });

  test('a manifest from elsewhere is checked when it is read', async () => {
    const put = (value: unknown) => artifacts.put(encode(JSON.stringify(value)));
    await rejectionOf('invalid_tree_path', getTree(await put([entry('../out')]), artifacts));
    await rejectionOf('invalid_tree_path', getTree(await put([entry('b'), entry('a')]), artifacts));
    await rejectionOf('invalid_record', getTree(await put([{ path: 'a' }]), artifacts));
    await rejectionOf('not_json', getTree(await artifacts.put(encode('{')), artifacts));
    await rejectionOf('artifact_missing', getTree(sha256Hex('nothing'), artifacts));
  });
});

describe('editTree', () => {
  test('writes, replaces and deletes; the tree it came from stays', async () => {
    const before = await putTree(
      [entry('a', 'one'), { ...entry('run', 'x'), mode: EXECUTABLE_FILE }, entry('gone')],
      artifacts,
    );
    const after = await editTree(
      before,
      [
        { path: 'a', bytes: encode('two') },
        { path: 'run', bytes: encode('y') },
        { path: 'gone', bytes: null },
        { path: 'absent', bytes: null },
        { path: 'new/b', bytes: encode('three'), mode: EXECUTABLE_FILE },
      ],
      artifacts,
    );
    expect(await getTree(after, artifacts)).toEqual([
      entry('a', 'two'),
      { path: 'new/b', mode: EXECUTABLE_FILE, sha: sha256Hex('three') },
      { path: 'run', mode: EXECUTABLE_FILE, sha: sha256Hex('y') },
    ]);
    expect(new TextDecoder().decode(await artifacts.get(sha256Hex('three')))).toBe('three');
    expect((await getTree(before, artifacts)).map(({ path }) => path)).toEqual(['a', 'gone', 'run']);
  });

  test('changes hold in their order: a folder may take the place of a file', async () => {
    const before = await putTree([entry('a')], artifacts);
    const after = await editTree(
      before,
      [
        { path: 'a', bytes: null },
        { path: 'a/b', bytes: encode('b') },
      ],
      artifacts,
    );
    expect(await getTree(after, artifacts)).toEqual([entry('a/b', 'b')]);
    await rejectionOf('invalid_tree_path', editTree(before, [{ path: 'a/b', bytes: encode('b') }], artifacts));
    await rejectionOf('invalid_tree_path', editTree(before, [{ path: '../b', bytes: encode('b') }], artifacts));
  });

  test('nothing to change gives the same name; an edit and its undoing too', async () => {
    const paths = fc.uniqueArray(fc.constantFrom('a', 'b', 'c/d', 'c/e', 'f/g/h'), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(paths, fc.string(), async (all, text) => {
        const tree = await putTree(
          all.map((path) => entry(path, 'old')),
          artifacts,
        );
        await artifacts.put(encode('old'));
        const edited = await editTree(
          tree,
          all.map((path) => ({ path, bytes: encode(`${text}!`) })),
          artifacts,
        );
        const back = await editTree(
          edited,
          all.map((path) => ({ path, bytes: encode('old') })),
          artifacts,
        );
        expect(edited).not.toBe(tree);
        expect(back).toBe(tree);
        expect(await editTree(tree, [], artifacts)).toBe(tree);
      }),
    );
  });

  test('an aborted signal stops it', async () => {
    const tree = await putTree([entry('a')], artifacts);
    const options = { signal: AbortSignal.abort(new Error('stop')) };
    await expect(editTree(tree, [], artifacts, options)).rejects.toThrow('stop');
  });
});
