import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryArtifacts } from '@h/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRepository } from '../src/read-repository.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'h-read-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array = '') {
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), content);
}

async function pathsOf() {
  return (await readRepository(dir, memoryArtifacts())).entries.map(({ path }) => path);
}

describe('readRepository', () => {
  it('takes all files but dependencies, virtual environments, caches and its own folder', async () => {
    for (const path of [
      'b.py',
      'a/c.py',
      '.env',
      'node_modules/x/index.js',
      'env/pyvenv.cfg',
      'env/lib/y.py',
      '.h/runs/z',
      'a/__pycache__/c.pyc',
    ])
      write(path);
    expect(await pathsOf()).toEqual(['.env', 'a/c.py', 'b.py']);
  });

  it('asks git in a folder with a .git of its own: tracked and new files, not ignored or deleted ones', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: dir });
    git('init', '-q');
    write('.gitignore', 'ignored.txt\n.h/\n');
    for (const path of ['kept.py', 'gone.py', 'ignored.txt']) write(path);
    git('add', '-A');
    git('commit', '-qm', 'first');
    rmSync(join(dir, 'gone.py'));
    write('né w.py');
    expect(await pathsOf()).toEqual(['.gitignore', 'kept.py', 'né w.py']);
  });

  it("runs no program that the repository's git configuration names", async () => {
    execFileSync('git', ['init', '-q'], { cwd: dir });
    const mark = join(dir, '..', `${dir.split('/').at(-1)}-mark`);
    write('hook.sh', `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(join(dir, 'hook.sh'), 0o755);
    execFileSync('git', ['config', 'core.fsmonitor', join(dir, 'hook.sh')], { cwd: dir });
    write('a.py');
    expect(await pathsOf()).toEqual(['a.py', 'hook.sh']);
    expect(existsSync(mark)).toBe(false);
  });

  it('keeps modes and links, and names equal trees alike', async () => {
    write('run.sh', '#!/bin/sh\n');
    chmodSync(join(dir, 'run.sh'), 0o755);
    symlinkSync('run.sh', join(dir, 'link'));
    const first = await readRepository(dir, memoryArtifacts());
    expect(first.entries.map(({ path, mode }) => [path, mode.toString(8)])).toEqual([
      ['link', '120000'],
      ['run.sh', '100755'],
    ]);
    expect((await readRepository(dir, memoryArtifacts())).tree).toBe(first.tree);
    write('run.sh', '#!/bin/sh \n');
    expect((await readRepository(dir, memoryArtifacts())).tree).not.toBe(first.tree);
  });

  it('reads and lists through its reader as the tree has them', async () => {
    write('src/a.py', 'x = 1\n');
    write('b.txt', new Uint8Array([0xff, 0x00]));
    const { reader } = await readRepository(dir, memoryArtifacts());
    const found: string[] = [];
    for await (const path of reader.list('**/*.py')) found.push(path);
    expect(found).toEqual(['src/a.py']);
    expect([...(await reader.read('b.txt'))]).toEqual([0xff, 0x00]);
    await expect(reader.read('c.txt')).rejects.toThrow('no file c.txt');
  });

  it('refuses what is no folder', async () => {
    write('file');
    await expect(readRepository(join(dir, 'file'), memoryArtifacts())).rejects.toMatchObject({
      code: 'repository_missing',
      exitCode: 64,
    });
    await expect(readRepository(join(dir, 'nowhere'), memoryArtifacts())).rejects.toMatchObject({
      code: 'repository_missing',
    });
  });

  it('stops when it is aborted', async () => {
    write('a.py');
    await expect(readRepository(dir, memoryArtifacts(), AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
