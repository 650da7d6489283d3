// The escape suite: each attack outside, where it must succeed, then in the sandbox, where it must not.
//   npm run check:escape -- [--backend auto|bubblewrap|util-linux|plain] [--caller UID] [--slice] [--only TEXT] [--list]
// Last line: {"attacks":…,"blocked":…,"untested":…,"escaped":…}. Ends with 1 where one escaped.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execaSync } from 'execa';
import { ATTACKS } from './attacks/all.ts';
import { layFolders } from './escape/lay-bait.ts';

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'auto' },
    caller: { type: 'string', default: '-' },
    only: { type: 'string', default: '' },
    slice: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});

if (values.list) {
  for (const [name, attacks] of Object.entries(ATTACKS))
    for (const each of attacks) console.log(`${name}: ${each.name}`);
} else {
  process.exitCode = await runSuite();
}

async function runSuite(): Promise<number> {
  const shared = mkdtempSync(join(tmpdir(), 'h-escape-'));
  try {
    chmodSync(shared, 0o755);
    layFolders(shared, randomBytes(12).toString('hex'));
    const { backend, caller, only, slice } = values;
    if (caller !== '-') giveAway(shared, Number(caller));
    const script = new URL('./escape/fight.ts', import.meta.url).pathname;
    const fighter = [
      process.execPath,
      '--conditions=@h/source',
      '--import',
      import.meta.resolve('tsx'),
      script,
      shared,
      backend,
      only,
      String(slice),
    ];
    const host = [python(), new URL('./escape/host.py', import.meta.url).pathname, shared, caller, ...fighter];
    return await endOf(process.getuid?.() === 0 ? withBaitResolver(shared, host) : host);
  } finally {
    rmSync(shared, { recursive: true, force: true });
  }
}

/** The host's resolver and host name, as far as the caller of the sandbox sees, are bait too. */
function withBaitResolver(shared: string, command: readonly string[]): string[] {
  const script = 'for name in resolv.conf hosts; do mount --bind "$1/$name" "/etc/$name" || :; done; shift; exec "$@"';
  const apart = [
    'unshare',
    '--mount',
    '--uts',
    '--propagation',
    'private',
    '--',
    '/bin/sh',
    '-c',
    script,
    'sh',
    shared,
  ];
  return execaSync('unshare', ['--mount', '--uts', 'true'], { reject: false }).exitCode === 0
    ? [...apart, ...command]
    : [...command];
}

function giveAway(path: string, uid: number): void {
  chownSync(path, uid, uid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) giveAway(below, uid);
    else chownSync(below, uid, uid);
  }
}

/** One that every user can run, where there is one. */
function python(): string {
  const found = ['/usr/bin/python3', 'python3'].find(
    (name) => execaSync(name, ['-c', 'import ctypes'], { reject: false }).exitCode === 0,
  );
  if (found === undefined) throw new Error('the attacks are Python programs: install python3');
  return found;
}

function endOf([file = '', ...args]: readonly string[]): Promise<number> {
  const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
