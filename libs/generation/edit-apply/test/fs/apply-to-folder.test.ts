import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '@h/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applyToFolder, type FileSystemPort, nodeFileSystem, recover } from '../../src/fs.ts';
import type { EditPackage } from '../../src/index.ts';
import { callsOf, crashRun, FAULTS, picture, randomCase } from './crash-runs.ts';

let parent = '';
let root = '';
beforeEach(() => {
  parent = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'h-fs-'));
  root = join(parent, 'repo');
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'a.txt'), 'a = 1\r\nb = 2\r\n');
  writeFileSync(join(root, 'src/b.txt'), 'b\n');
  mkdirSync(join(parent, 'outside'));
  writeFileSync(join(parent, 'outside/secret.txt'), 'a = 1\n');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const edit = (path: string, search = 'a = 1', replace = 'a = 2') => ({ file: path, blocks: [{ search, replace }] });
const pack = (...files: EditPackage['files']): EditPackage => ({ files });

describe('a package', () => {
  test('is written: edits, creations in new folders, deletions, moves; and nothing is left behind', async () => {
    chmodSync(join(root, 'src/b.txt'), 0o751);
    const result = await applyToFolder(
      root,
      pack(
        { path: 'a.txt', op: 'edit', blocks: [{ search: 'b = 2', replace: 'b = 3\nc = 4' }] },
        { path: 'new/deep/c.txt', op: 'create', content: 'c' },
        { path: 'src/b.txt', op: 'move', to: 'lib/b.txt', blocks: [{ search: 'b', replace: 'B' }] },
      ),
    );
    expect(result).toMatchObject({ status: 'applied', journal: 'cleared' });
    expect(read('a.txt')).toBe('a = 1\r\nb = 3\r\nc = 4\r\n');
    expect(read('new/deep/c.txt')).toBe('c');
    expect(read('lib/b.txt')).toBe('B\n');
    expect(statSync(join(root, 'lib/b.txt')).mode & 0o777).toBe(0o751);
    expect(existsSync(join(root, 'src/b.txt'))).toBe(false);
    expect(existsSync(join(root, '.h'))).toBe(false);
  });

  test('that is refused in one file writes nothing', async () => {
    const before = picture(root);
    const result = await applyToFolder(
      root,
      pack({ path: 'a.txt', op: 'edit', content: 'x\n' }, { path: 'none.txt', op: 'delete' }),
    );
    expect(result).toMatchObject({ status: 'rejected', rejection: { reason: 'not_found', path: 'none.txt' } });
    expect(picture(root)).toBe(before);
  });

  test('can be tried without writing', async () => {
    const before = picture(root);
    expect(await applyToFolder(root, edit('a.txt'), { dryRun: true })).toMatchObject({
      status: 'applied',
      journal: 'none',
    });
    expect(picture(root)).toBe(before);
  });
});

describe('a file', () => {
  test('keeps its mode, its links and its other names', async () => {
    chmodSync(join(root, 'a.txt'), 0o4755);
    symlinkSync('a.txt', join(root, 'link.txt'));
    expect(await applyToFolder(root, edit('link.txt'))).toMatchObject({ status: 'applied' });
    expect(readlinkSync(join(root, 'link.txt'))).toBe('a.txt');
    expect(read('a.txt')).toContain('a = 2');
    expect(statSync(join(root, 'a.txt')).mode & 0o7777).toBe(0o4755);
    linkSync(join(root, 'a.txt'), join(root, 'second.txt'));
    expect(await applyToFolder(root, edit('a.txt', 'a = 2', 'a = 3'))).toMatchObject({ status: 'applied' });
    expect(read('second.txt')).toContain('a = 3');
    expect(statSync(join(root, 'a.txt')).nlink).toBe(2);
  });

  test('that has other bytes than the edit was made for is stale', async () => {
    const sha = sha256Hex(readFileSync(join(root, 'a.txt')));
    expect(await applyToFolder(root, edit('a.txt'), { expected: { 'a.txt': sha } })).toMatchObject({
      status: 'applied',
    });
    expect(await applyToFolder(root, edit('a.txt', 'a = 2', 'a = 3'), { expected: { 'a.txt': sha } })).toMatchObject({
      rejection: { reason: 'stale_file', path: 'a.txt' },
    });
    expect(await applyToFolder(root, pack({ path: 'a.txt', op: 'delete', expected_sha: sha }))).toMatchObject({
      rejection: { reason: 'stale_file' },
    });
  });

  test('that is changed between reading and writing is stale, and the others are taken back', async () => {
    const sneaky: FileSystemPort = {
      ...nodeFileSystem,
      async syncFolder(path) {
        writeFileSync(join(root, 'src/b.txt'), 'someone else\n');
        await nodeFileSystem.syncFolder(path);
      },
    };
    const both = pack({ path: 'a.txt', op: 'edit', content: 'x\n' }, { path: 'src/b.txt', op: 'edit', content: 'y\n' });
    const result = await applyToFolder(root, both, { fileSystem: sneaky });
    expect(result).toMatchObject({ status: 'rejected', rejection: { reason: 'stale_file', path: 'src/b.txt' } });
    expect(read('a.txt')).toBe('a = 1\r\nb = 2\r\n');
    expect(read('src/b.txt')).toBe('someone else\n');
    expect(existsSync(join(root, '.h'))).toBe(false);
  });

  test('whose folder is swapped for a link after it was read is stale, and nothing outside is touched', async () => {
    const sneaky: FileSystemPort = {
      ...nodeFileSystem,
      async syncFolder(path) {
        if (!lstatSync(join(root, 'src')).isSymbolicLink()) {
          renameSync(join(root, 'src'), join(root, 'was'));
          symlinkSync(join(parent, 'outside'), join(root, 'src'));
          writeFileSync(join(parent, 'outside/b.txt'), 'b\n');
        }
        await nodeFileSystem.syncFolder(path);
      },
    };
    const result = await applyToFolder(root, edit('src/b.txt', 'b', 'c'), { fileSystem: sneaky });
    expect(result).toMatchObject({ status: 'rejected', rejection: { reason: 'stale_file' } });
    expect(readFileSync(join(parent, 'outside/b.txt'), 'utf8')).toBe('b\n');
  });
});

describe('an attack', () => {
  const PATHS = [
    '../outside/secret.txt',
    '../../etc/passwd',
    'src/../../outside/secret.txt',
    './a.txt',
    'src/./b.txt',
    'src/../a.txt',
    '..',
    '.',
    '',
    '/etc/passwd',
    '/',
    '//etc/passwd',
    'src//b.txt',
    'src/',
    'C:/a.txt',
    'c:a.txt',
    'src\\b.txt',
    '..\\outside\\secret.txt',
    '\\\\host\\share\\x',
    'a.txt\0.png',
    'a\ud800.txt',
    '.git/config',
    '.GIT/config',
    '.git/hooks/pre-commit',
    'src/.git/config',
    '.git./config',
    '.git /config',
    'GIT~1/config',
    'git~2/config',
    '.g\u200cit/config',
    '.git:stream/config',
    '.\uff47it/config',
    '... /x',
    '. ./x',
    '.h/edit-apply/plan.json',
    '.H/Edit-Apply/plan.json',
    '.h/edit-apply',
    'outward/secret.txt',
    'outward-file',
    'upward/outside/secret.txt',
    'dangling',
    'round',
    'inward/secret.txt',
    'gitlink',
    'chain',
    'src/up/a.txt',
  ] as const;

  beforeEach(() => {
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git/config'), 'a = 1\n');
    symlinkSync(join(parent, 'outside'), join(root, 'outward'));
    symlinkSync(join(parent, 'outside/secret.txt'), join(root, 'outward-file'));
    symlinkSync('..', join(root, 'upward'));
    symlinkSync('nowhere', join(root, 'dangling'));
    symlinkSync('round', join(root, 'round'));
    symlinkSync('src', join(root, 'inward'));
    symlinkSync('.git/config', join(root, 'gitlink'));
    symlinkSync('outward-file', join(root, 'chain'));
    symlinkSync('..', join(root, 'src/up'));
  });

  test('there are more than forty', () => expect(new Set(PATHS).size).toBeGreaterThanOrEqual(40));

  test.each(PATHS)('on %j is refused: edited, created, deleted, moved from and moved to', async (path) => {
    const outside = readFileSync(join(parent, 'outside/secret.txt'), 'utf8');
    const kept = readFileSync(join(root, '.git/config'), 'utf8');
    for (const attack of [
      edit(path),
      pack({ path, op: 'create', content: 'x' }),
      pack({ path, op: 'delete' }),
      pack({ path, op: 'move', to: 'free.txt' }),
      pack({ path: 'a.txt', op: 'move', to: path }),
    ])
      expect(await applyToFolder(root, attack)).toMatchObject({ rejection: { reason: 'path_outside_repo' } });
    expect(readFileSync(join(parent, 'outside/secret.txt'), 'utf8')).toBe(outside);
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(kept);
    expect(existsSync(join(root, 'free.txt'))).toBe(false);
    expect(read('a.txt')).toContain('a = 1');
  });

  test('by what is no file is refused', async () => {
    spawnSync('mkfifo', [join(root, 'pipe')]);
    symlinkSync('/dev/null', join(root, 'device'));
    for (const path of ['src', 'pipe'])
      expect(await applyToFolder(root, edit(path))).toMatchObject({ rejection: { reason: 'not_text' } });
    expect(await applyToFolder(root, edit('device'))).toMatchObject({ rejection: { reason: 'path_outside_repo' } });
  });

  test('by two names for one file, by taking a link away, onto a file and below one is refused', async () => {
    symlinkSync('a.txt', join(root, 'alias.txt'));
    const both = pack({ path: 'a.txt', op: 'edit', content: 'x\n' }, { path: 'alias.txt', op: 'edit', content: 'y\n' });
    expect(await applyToFolder(root, both)).toMatchObject({ rejection: { reason: 'overlapping_edits' } });
    expect(await applyToFolder(root, pack({ path: 'alias.txt', op: 'delete' }))).toMatchObject({
      rejection: { reason: 'not_text' },
    });
    for (const path of ['a.txt', 'alias.txt', 'a.txt/x'])
      expect(await applyToFolder(root, pack({ path, op: 'create', content: '' }))).toMatchObject({
        rejection: { reason: 'exists' },
      });
    expect(await applyToFolder(root, edit('a.txt/x'))).toMatchObject({ rejection: { reason: 'not_found' } });
    expect(await applyToFolder(root, edit('a.txt'), { maxBytes: 5 })).toMatchObject({
      rejection: { reason: 'too_large' },
    });
  });

  test('by a journal that is a link is refused', async () => {
    symlinkSync(join(parent, 'outside'), join(root, '.h'));
    await expect(applyToFolder(root, edit('a.txt'))).rejects.toMatchObject({ code: 'write_failed' });
    expect(await recover(root)).toEqual({ state: 'clean', conflicts: [] });
    expect(existsSync(join(parent, 'outside/edit-apply'))).toBe(false);
  });
});

describe('a crash or an error', () => {
  test.each(FAULTS)('at every call leaves all old or all new: %s', async (fault) => {
    const one = randomCase(3, 4);
    const calls = await callsOf(parent, one);
    const seen = new Set<string>();
    for (let at = 1; at < calls; at += 5) seen.add((await crashRun(parent, one, at, fault)).state);
    expect(seen.has('old')).toBe(true);
  });

  test('keeps a second writer out until it is recovered from', async () => {
    mkdirSync(join(root, '.h/edit-apply'), { recursive: true });
    await expect(applyToFolder(root, edit('a.txt'))).rejects.toMatchObject({
      code: 'unfinished_package',
      retryable: true,
    });
    expect(await recover(root)).toMatchObject({ conflicts: [] });
    expect(await applyToFolder(root, edit('a.txt'))).toMatchObject({ status: 'applied' });
  });

  test('is not recovered over what someone else wrote since', async () => {
    const one = pack({ path: 'a.txt', op: 'edit', content: 'x\n' }, { path: 'src/b.txt', op: 'edit', content: 'y\n' });
    const dying: FileSystemPort = {
      ...nodeFileSystem,
      rename: async (from, to) => {
        if (to.endsWith('b.txt')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        await nodeFileSystem.rename(from, to);
      },
      stat: async (path) => {
        if (path.endsWith('done.json')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        return nodeFileSystem.stat(path);
      },
    };
    await expect(applyToFolder(root, one, { fileSystem: dying })).rejects.toMatchObject({ code: 'undo_failed' });
    expect(read('a.txt')).toBe('x\r\n');
    writeFileSync(join(root, 'a.txt'), 'mine\n');
    expect(await recover(root)).toEqual({ state: 'old', conflicts: ['a.txt'] });
    expect(read('a.txt')).toBe('mine\n');
  });

  test('an aborted signal before the start, or before the files are touched, leaves all as it was', async () => {
    const before = picture(root);
    await expect(applyToFolder(root, edit('a.txt'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    const controller = new AbortController();
    const late: FileSystemPort = {
      ...nodeFileSystem,
      syncFolder: async (path) => {
        controller.abort();
        await nodeFileSystem.syncFolder(path);
      },
    };
    await expect(
      applyToFolder(root, edit('a.txt'), { signal: controller.signal, fileSystem: late }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect(picture(root)).toBe(before);
  });
});
