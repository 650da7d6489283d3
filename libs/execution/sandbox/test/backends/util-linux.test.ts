import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultPolicy } from '../../src/index.ts';
import { leftovers, nodeScript, type Opened, openSandbox, requireTools } from '../open-sandbox.ts';

const isRoot = process.getuid?.() === 0;
let host: string;
let confined: Opened;

beforeAll(async () => {
  requireTools();
  host = mkdtempSync(join(tmpdir(), "h test's-"));
  mkdirSync(join(host, 'folder'));
  writeFileSync(join(host, 'folder/inner'), 'inner\n');
  writeFileSync(join(host, 'file'), 'file\n');
  writeFileSync(join(host, 'other'), 'other\n');
  confined = await openSandbox({ backend: 'util-linux', readOnlyPaths: [join(host, 'folder'), join(host, 'file')] });
});
afterAll(async () => {
  await confined?.sandbox.close();
  if (host) rmSync(host, { recursive: true, force: true });
  expect(leftovers()).toEqual([]);
});

it('shows files and folders below a temporary folder, strange names and all, without their neighbours', async () => {
  const script = 'cd "$1"; cat folder/inner file; ls; touch folder/x || echo kept';
  const result = await confined.run(['/bin/sh', '-c', script, 'sh', host]);
  expect(result.stdout.text).toBe('inner\nfile\nfile\nfolder\nkept\n');
});

it('tells nothing of the host by its first process, its root or its mounts', async () => {
  const result = await confined.sh(
    'tr "\\0" " " < /proc/1/cmdline; ls -A /.host; cut -d" " -f5 /proc/self/mountinfo; readlink /proc/1/cwd; ls /proc/1/fd',
  );
  expect(result.stdout.text).toMatch(/^\/bin\/sh .\/prepare-\d+ /);
  expect(result.stdout.text).not.toMatch(/h-sandbox-/);
});

it('gives the terminal, devices and shared memory that runtimes expect', async () => {
  const result = await confined.sh(
    'head -c 2 /dev/zero | od -An -tx1; : > /dev/null; touch /dev/shm/x; ls -l /dev/ptmx',
  );
  expect(result.stderr.text).toBe('');
  expect(result.stdout.text).toMatch(/^ 00 00\n.*pts\/ptmx\n$/);
});

it('caps what is written to all places together', async () => {
  const policy = { disk_bytes: 3 * 1024 * 1024 };
  const result = await confined.sh(
    'for at in /tmp /dev/shm . ~; do head -c 5000000 /dev/zero > $at/x; stat -c %s $at/x; done',
    {
      policy,
    },
  );
  const sizes = result.stdout.text.trim().split('\n').map(Number);
  expect(sizes.length).toBe(4);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(2.5 * 1024 * 1024);
  expect(total).toBeLessThanOrEqual(3 * 1024 * 1024);
});

it('denies the network to a run that asks for none in a sandbox that was given one', async () => {
  const open = await openSandbox(
    { backend: 'util-linux', readOnlyPaths: [process.execPath] },
    defaultPolicy({ network: 'external' }),
  );
  const server = `const net = require('node:net');
    const server = net.createServer((socket) => socket.end('x'));
    await new Promise((up) => server.listen(0, '127.0.0.1', up));
    const text = await new Promise((done) => net.connect(server.address().port, '127.0.0.1').once('data', (data) => done(String(data))));
    server.close();
    const devices = require('node:fs').readFileSync('/proc/net/dev', 'latin1').split('\\n').slice(2, -1).map((line) => line.split(':')[0].trim());
    return [text, devices];`;
  const denied = await open.run(nodeScript(server), { policy: { network: 'deny' } });
  expect(denied.stderr.text).toBe('');
  expect(JSON.parse(denied.stdout.text)).toEqual(['x', ['lo']]);
  expect(denied.receipt?.properties).toMatchObject({ network_denied: 'enforced', network_loopback_only: 'enforced' });
  const shared = await open.run(nodeScript(`return require('node:fs').readlinkSync('/proc/self/ns/net')`), {
    policy: { network: 'external' },
  });
  const own = spawnSync('readlink', ['/proc/self/ns/net'], { encoding: 'utf8' }).stdout.trim();
  expect(JSON.parse(shared.stdout.text)).toBe(own);
  await open.sandbox.close();
});

it('reaps what its runs orphan', async () => {
  const result = await confined.sh(
    'for i in 1 2 3 4 5 6 7 8 9; do (setsid true &) ; done; sleep 0.2; grep -l "^State:.Z" /proc/[0-9]*/status | wc -l',
  );
  expect(result.stdout.text.trim()).toBe('0');
});

it('says by name when the host no longer allows what it allowed', async () => {
  const other = await openSandbox({ backend: 'util-linux', readOnlyPaths: [join(host, 'other')] });
  rmSync(join(host, 'other'));
  await expect(other.sh('true')).rejects.toMatchObject({ code: 'launch_failed' });
  await other.sandbox.close();
});

describe.runIf(isRoot)('a root without the right to mount', () => {
  it('makes a user namespace of its own, and says that the payload is root outside', () => {
    const script = new URL('../fixtures/other-user/run.ts', import.meta.url).pathname;
    const home = mkdtempSync(join(tmpdir(), 'h-test-weak-'));
    const shown = spawnSync(
      '/usr/bin/setpriv',
      [
        '--bounding-set=-sys_admin',
        '--',
        process.execPath,
        '--conditions=@h/source',
        '--import',
        'tsx',
        script,
        'util-linux',
      ],
      { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home } },
    );
    rmSync(home, { recursive: true, force: true });
    expect(shown.stderr).toBe('');
    const seen = JSON.parse(shown.stdout);
    expect(seen.stdout).toBe('1000\nfrom the host\n');
    expect(seen.receipt.properties).toMatchObject({
      network_denied: 'enforced',
      host_files_hidden: 'enforced',
      user_namespace: 'enforced',
      non_root: 'unmet',
    });
  });
});
