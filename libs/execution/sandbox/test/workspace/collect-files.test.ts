import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { memoryArtifacts, sha256Hex } from '@h/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { collectFiles } from '../../src/workspace/collect-files.ts';

let root: string;
const limits = { skip: ['node_modules'], maxFileBytes: 1000, maxTotalBytes: 2000 };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'h-test-collect-'));
  const files = {
    'report.json': 'r',
    '.h-agent/out.ndjson': 'o',
    'src/a.txt': 'a',
    'src/deep/b.txt': 'b',
    'node_modules/x/c.txt': 'c',
    'name with [x].txt': 'n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function check(globs: string[], expected: string[]): Promise<void> {
  const files = await collectFiles(root, globs, memoryArtifacts(), limits);
  expect(files.map(({ path }) => path)).toEqual(expected);
}

it('finds what matches, sorted, hidden files too, and searches no dependency folder unless it is named', async () => {
  await check(['report.json'], ['report.json']);
  await check(['.h-agent/out.ndjson', 'missing'], ['.h-agent/out.ndjson']);
  await check(['src/**'], ['src/a.txt', 'src/deep/b.txt']);
  await check(['**/*.txt'], ['name with [x].txt', 'src/a.txt', 'src/deep/b.txt']);
  await check(['node_modules/x/*.txt'], ['node_modules/x/c.txt']);
  await check(['name with \\[x\\].txt'], ['name with [x].txt']);
  await check(['../*', '/etc/hostname', 'src/../report.json'], []);
  await check([], []);
});

it('stores the bytes under their hash', async () => {
  const artifacts = memoryArtifacts();
  const files = await collectFiles(root, ['src/a.txt'], artifacts, limits);
  expect(files).toEqual([{ path: 'src/a.txt', sha: sha256Hex('a'), bytes: 1 }]);
  expect(new TextDecoder().decode(await artifacts.get(sha256Hex('a')))).toBe('a');
});

it('follows no link, opens no pipe', async () => {
  symlinkSync('/etc/hostname', join(root, 'src/file-link.txt'));
  symlinkSync('/etc', join(root, 'src/folder-link'));
  symlinkSync('deep', join(root, 'src/inner-link'));
  execFileSync('mkfifo', [join(root, 'src/pipe.txt')]);
  await check(['src/**'], ['src/a.txt', 'src/deep/b.txt']);
  await check(['src/file-link.txt', 'src/folder-link/hostname', 'src/inner-link/b.txt', 'src/pipe.txt'], []);
});

it('collects nothing from a workspace that has become a link', async () => {
  const link = `${root}-link`;
  symlinkSync(join(root, 'src'), link);
  expect(await collectFiles(link, ['**'], memoryArtifacts(), limits)).toEqual([]);
  rmSync(link);
});

it('leaves out what is too large, and says so', async () => {
  writeFileSync(join(root, 'src/big.txt'), 'x'.repeat(1001));
  writeFileSync(join(root, 'src/c.txt'), 'x'.repeat(999));
  writeFileSync(join(root, 'src/d.txt'), 'x'.repeat(999));
  writeFileSync(join(root, 'src/e.txt'), 'x'.repeat(10));
  linkSync(join(root, 'src/big.txt'), join(root, 'src/big-too.txt'));
  const left: string[] = [];
  const files = await collectFiles(root, ['src/*'], memoryArtifacts(), {
    ...limits,
    onLeftOut: (path, why) => left.push(`${path}: ${why}`),
  });
  expect(files.length + left.length).toBe(6);
  expect(left.filter((line) => line.startsWith('src/big')).length).toBe(2);
  expect(files.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(2000);
  expect(left[0]).toMatch(/\d+ bytes, \d+ allowed/);
});

it('takes names that hold the end of a line, in files and in folders', async () => {
  const names = ['a\nb', 'a\rb', 'a\u2028b', 'a\u0001b', 'f\nx/deep', 'f\nx/n\n'].map((name) => `odd/${name}`);
  for (const name of names) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), '');
  }
  await check(['odd/**'], [...names].sort());
  await check(['odd/a?b'], names.slice(0, 4).sort());
  await check(['odd/f*/*'], names.slice(4));
  await check(['odd/a\nb'], names.slice(0, 1));
  await check(['**/*b'], names.slice(0, 4).sort());
});

it('says what it could not take: names that are no UTF-8, folders of such names, folders too deep', async () => {
  const at = Buffer.from(`${root}/bad`);
  writeFileSync(Buffer.concat([at, Buffer.from([0xff])]), '4');
  mkdirSync(Buffer.concat([at, Buffer.from([0xfe])]));
  writeFileSync(Buffer.concat([at, Buffer.from([0xfe]), Buffer.from('/x.txt')]), '4');
  writeFileSync(`${root}/bad\uFFFD`, 'a name that is text');
  mkdirSync(join(root, 'd/'.repeat(66)), { recursive: true });
  const told: string[] = [];
  const onLeftOut = (path: string, why: string) => told.push(`${path}: ${why}`);
  const files = await collectFiles(root, ['bad*', 'bad*/**', 'd/**'], memoryArtifacts(), { ...limits, onLeftOut });
  execFileSync('/bin/rm', ['-rf', '--', root]);
  expect(new Set(files.map(({ path }) => path))).toEqual(new Set(['bad\uFFFD']));
  expect(told.filter((line) => line.startsWith('bad')).sort()).toEqual([
    'bad\uFFFD: its name is not UTF-8',
    'bad\uFFFD: its name is not UTF-8',
  ]);
  expect(told.filter((line) => line.startsWith('d/'))).toEqual([`${'d/'.repeat(65)}: more than 64 folders deep`]);
});
