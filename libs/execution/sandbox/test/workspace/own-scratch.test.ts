import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isStaleTag, ownerTag, ownScratch, scratchRoots } from '../../src/workspace/own-scratch.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'h-test-scratch-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('is private, and gone when closed whatever was done to it', async () => {
  const scratch = await ownScratch([root]);
  expect(statSync(scratch.paths[0] ?? '').mode & 0o777).toBe(0o700);
  const folders = scratch.open();
  mkdirSync(join(folders.workspace, 'locked/inner'), { recursive: true });
  symlinkSync(root, join(folders.workspace, 'link'));
  chmodSync(join(folders.workspace, 'locked'), 0);
  await scratch.remove(folders);
  expect(existsSync(folders.root)).toBe(false);
  expect(existsSync(root)).toBe(true);
  await scratch.close();
  expect(readdirSync(root)).toEqual([]);
});

it('is gone also where names are no text and paths too long', async () => {
  const scratch = await ownScratch([root]);
  const { workspace } = scratch.open();
  const deep = 'import os\nfor _ in range(1500):\n  os.mkdir("deep"); os.chdir("deep")\n';
  const made = spawnSync(
    'sh',
    ['-c', `cd "$1" && touch "$(printf 'a\\377b')" && python3 -c '${deep}'`, 'sh', workspace],
    { encoding: 'utf8' },
  );
  expect(made.stderr).toBe('');
  await scratch.close();
  expect(readdirSync(root)).toEqual([]);
});

it('removes at the start what a dead process left, and nothing else', async () => {
  const dead = spawnSync('true').pid;
  const [namespace] = ownerTag().split('-');
  const live = await ownScratch([root]);
  mkdirSync(join(root, `h-sandbox-${namespace}-${dead}-1-abcdef/run-1/workspace`), { recursive: true });
  mkdirSync(join(root, `h-sandbox-999-${dead}-1-abcdef`));
  mkdirSync(join(root, 'h-sandbox-not-mine'));
  writeFileSync(join(root, `h-sandbox-${namespace}-${dead}-1-file`), 'not a folder');
  symlinkSync(tmpdir(), join(root, `h-sandbox-${namespace}-${dead}-1-link`));
  const scratch = await ownScratch([root]);
  expect(existsSync(live.paths[0] ?? '')).toBe(true);
  expect(readdirSync(root).filter((name) => name.includes('abcdef'))).toEqual([`h-sandbox-999-${dead}-1-abcdef`]);
  expect(existsSync(join(root, `h-sandbox-${namespace}-${dead}-1-link`))).toBe(true);
  expect(existsSync(join(root, `h-sandbox-${namespace}-${dead}-1-file`))).toBe(true);
  await Promise.all([live.close(), scratch.close()]);
});

it('tells a reused pid from the process that had it', () => {
  const [namespace, pid, startTime] = ownerTag().split('-');
  expect(isStaleTag(`${namespace}-${pid}-${startTime}-x`)).toBe(false);
  expect(isStaleTag(`${namespace}-${pid}-1-x`)).toBe(true);
  expect(isStaleTag(`1-${pid}-1-x`)).toBe(false);
});

it('says when there is no place for it', async () => {
  writeFileSync(join(root, 'file'), '');
  await expect(ownScratch([join(root, 'file')])).rejects.toMatchObject({ code: 'scratch_unusable', retryable: false });
});

it('keeps copies in memory only where what a run writes is counted, and the disk as the second place', () => {
  expect(scratchRoots(false)).toEqual([tmpdir()]);
  expect([[tmpdir()], ['/dev/shm', tmpdir()]]).toContainEqual(scratchRoots(true));
});
