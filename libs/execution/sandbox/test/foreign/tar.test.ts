import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packTar, unpackTar } from '../../src/foreign/tar.ts';
import type { ForeignFile } from '../../src/index.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const LONG = `${'deep/'.repeat(60)}file.txt`;
const FILES: ForeignFile[] = [
  { path: 'a.txt', mode: 0o100644, bytes: bytes('a\n') },
  { path: 'bin/run', mode: 0o100755, bytes: bytes('#!/bin/sh\n') },
  { path: 'empty', mode: 0o100644, bytes: bytes('') },
  { path: 'exact.bin', mode: 0o100644, bytes: Uint8Array.from({ length: 1024 }, (_, index) => index % 256) },
  { path: 'name with é and spaces', mode: 0o100644, bytes: bytes('é') },
  { path: `${'x'.repeat(99)}/y`, mode: 0o100644, bytes: bytes('101 characters') },
  { path: LONG, mode: 0o100644, bytes: bytes('long') },
  { path: 'link', mode: 0o120000, bytes: bytes('a.txt') },
  { path: 'long-link', mode: 0o120000, bytes: bytes(LONG) },
];
const regular = FILES.filter(({ mode }) => mode !== 0o120000);
const sorted = (files: readonly ForeignFile[]) =>
  files
    .map(({ path, mode, bytes: content }) => [path, mode, [...content]] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));

it.each(['--format=gnu', '--format=pax', '--format=ustar'])(
  'writes what tar reads, and reads what tar writes with %s',
  (format) => {
    const root = mkdtempSync(join(tmpdir(), 'h-test-tar-'));
    execFileSync('tar', ['-x', '-p', '--no-same-owner', '-f', '-', '-C', root], {
      input: packTar(FILES, { uid: 1000, gid: 1000 }),
    });
    for (const { path, mode = 0, bytes: content } of regular) {
      expect([...readFileSync(join(root, path))]).toEqual([...content]);
      expect(lstatSync(join(root, path)).mode).toBe(mode);
    }
    expect(readlinkSync(join(root, 'long-link'))).toBe(LONG);
    const names =
      format === '--format=ustar' ? ['a.txt', 'bin', 'empty', 'exact.bin', 'link', `${'x'.repeat(99)}`] : ['.'];
    const back = unpackTar(execFileSync('tar', ['-c', format, '-f', '-', '-C', root, ...names]));
    const expected =
      names[0] === '.'
        ? regular
        : regular.filter(({ path }) => names.some((name) => path === name || path.startsWith(`${name}/`)));
    expect(sorted(back)).toEqual(sorted(expected));
    rmSync(root, { recursive: true });
  },
);

it('reads what it writes', () => {
  expect(sorted(unpackTar(packTar(FILES, { uid: 0, gid: 0 })))).toEqual(sorted(regular));
});

it('refuses what is cut short or no archive', () => {
  const archive = packTar(regular, { uid: 0, gid: 0 });
  expect(() => unpackTar(archive.subarray(0, 700))).toThrow('cut short');
  expect(() => unpackTar(Buffer.alloc(1024, 'x'))).toThrow('or none');
});
