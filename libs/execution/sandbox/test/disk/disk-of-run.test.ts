// What a run may do to its disk, and what it cannot: under each backend that makes disks.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discoverPython } from '../../src/index.ts';
import { leftovers, NAMESPACES, type Opened, openSandbox, requireTools } from '../open-sandbox.ts';

beforeAll(requireTools);

const FILES = {
  'a.txt': 'a\n',
  'src/b.txt': 'b\n',
  'src/deep/c.txt': 'c\n',
  'run.sh': { text: 'echo ran\n', mode: 0o100755 },
  link: { text: 'a.txt', mode: 0o120000 },
};
const SHOW = 'find . -printf "%M %s %p %l\\n" | sort; cat a.txt src/b.txt src/deep/c.txt run.sh';

/** Each tries to change for good what the tree of the run brought. */
const TAMPER: Record<string, string> = {
  'writing in place': 'for f in a.txt src/b.txt run.sh; do echo evil > $f; echo more >> $f; done',
  'other rights and times': 'chmod 600 a.txt src/b.txt; chmod 777 src; touch -d 2001-01-01 a.txt',
  'hard links':
    'ln a.txt twin; echo evil > twin; ln src/b.txt ~/twin 2>/dev/null; ln src/b.txt /tmp/twin; echo evil > /tmp/twin',
  'removing and making anew':
    'rm -rf src a.txt link; mkdir -p src/deep; echo evil > src/deep/c.txt; ln -s run.sh a.txt',
  renaming: 'mv src elsewhere; mkdir src; mv run.sh a.txt; mv elsewhere/deep src/deep',
  truncating: ': > a.txt; truncate -s 0 src/b.txt; truncate -s 1000000 run.sh',
  'an overlay of its own':
    'for name in trusted user; do setfattr -n $name.overlay.opaque -v y src; setfattr -n $name.overlay.redirect -v /etc src; done 2>/dev/null; true',
};

const MAP = `
import mmap, os
for path in ('a.txt', 'src/b.txt'):
    for flags, share in ((os.O_RDWR, mmap.MAP_SHARED), (os.O_RDONLY, mmap.MAP_PRIVATE)):
        fd = os.open(path, flags)
        m = mmap.mmap(fd, 2, flags=share, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        m[0:1] = b'X'
        if share == mmap.MAP_SHARED: m.flush()
print(open('a.txt').read(), end='')
`;

describe.each(NAMESPACES)('%s', (backend) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openSandbox({ backend, concurrency: 1 });
  });
  afterAll(async () => {
    await opened.sandbox.close();
    expect(leftovers()).toEqual([]);
  });
  const sh = (script: string, policy: Parameters<Opened['sh']>[1] = {}) =>
    opened.sh(script, { files: FILES, ...policy });

  it.each(Object.entries(TAMPER))('shows nothing of %s to the next run', async (_, script) => {
    const before = (await sh(SHOW)).stdout.text;
    expect(before).toMatch(/a\nb\nc\necho ran\n$/);
    expect((await sh(script)).ended_by).toBe('exit');
    expect((await sh(SHOW)).stdout.text).toBe(before);
  });

  it('shows nothing of what was changed by mapping it', async () => {
    const python = await discoverPython(['python3']);
    if ('reason' in python) throw new Error(`Python 3 is needed for this test: ${python.reason}`);
    const mapping = await openSandbox({ backend, concurrency: 1, readOnlyPaths: [python.prefix, python.base_prefix] });
    const result = await mapping.run([python.executable, '-c', MAP], { files: FILES });
    expect(result).toMatchObject({ ended_by: 'exit', exit_code: 0, stdout: { text: 'X\n' } });
    expect((await mapping.sh('cat a.txt src/b.txt', { files: FILES })).stdout.text).toBe('a\nb\n');
    await mapping.sandbox.close();
  });

  it('makes trees of one another, with what is added, changed, gone or something else', async () => {
    const first = await sh(SHOW);
    const other = { 'a.txt/now a folder': 'x', src: 'now a file', 'run.sh': { text: 'echo ran\n', mode: 0o100644 } };
    const changed = await opened.sh('find . -printf "%M %u %p\\n" | sort -k3; cat src', { files: other });
    expect(changed.stdout.text).toBe(
      'drwxr-xr-x h .\ndrwxr-xr-x h ./a.txt\n-rw-r--r-- h ./a.txt/now a folder\n-rw-r--r-- h ./run.sh\n-rw-r--r-- h ./src\nnow a file',
    );
    expect((await sh(SHOW)).stdout.text).toBe(first.stdout.text);
  });

  it('lets everything be done to a tree that can be done to any', async () => {
    const done = await sh(
      'set -e; mv src renamed; cat renamed/deep/c.txt; rm -r renamed; mkdir src; ls src; ln a.txt b; echo x >> b; cat a.txt; chmod +x a.txt; rm link; cp -a run.sh copy; ./copy',
    );
    expect(done.stderr.text).toBe('');
    expect(done).toMatchObject({ exit_code: 0, stdout: { text: 'c\na\nx\nran\n' } });
  });

  it('brings back what was changed, made and left as it was', async () => {
    const { files } = await sh('echo new > src/new; echo changed > a.txt; rm src/b.txt; ln -s /etc/passwd src/out', {
      request: { collect: ['**'] },
    });
    const texts = await Promise.all(
      files.map(async ({ path, sha }) => [path, new TextDecoder().decode(await opened.artifacts.get(sha))]),
    );
    expect(texts).toEqual([
      ['a.txt', 'changed\n'],
      ['run.sh', 'echo ran\n'],
      ['src/deep/c.txt', 'c\n'],
      ['src/new', 'new\n'],
    ]);
  });

  it('leaves no mounts and no disk behind on the host', async () => {
    await sh('head -c 1000000 /dev/zero > big');
    const mounts = execFileSync('cat', ['/proc/self/mounts'], { encoding: 'utf8' });
    expect(mounts).not.toMatch(/h-sandbox-/);
  });

  it('runs side by side in disks of their own', async () => {
    const two = await openSandbox({ backend, concurrency: 2 });
    const texts = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const files = { ...FILES, 'a.txt': `${index}\n` };
        const { stdout } = await two.sh('cat a.txt; echo mine > a.txt; sleep 0.05; cat a.txt', { files });
        return stdout.text;
      }),
    );
    expect(texts).toEqual(Array.from({ length: 6 }, (_, index) => `${index}\nmine\n`));
    await two.sandbox.close();
  });
});
