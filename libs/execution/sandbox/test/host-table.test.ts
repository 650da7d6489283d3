// The table of the README, host by host, as this host can be each of them.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IsolationProperty } from '@h/contracts';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireTools } from './open-sandbox.ts';

const AS_USER = ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups'];
const WITHOUT_SPACES =
  'echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --inh-caps=-all --bounding-set=-all --no-new-privs "$@"';
/** Column of the table, and what turns this host into it. */
const HOSTS: [column: string, wrapper: string[]][] = [
  ['root', []],
  ['another user', AS_USER],
  [
    'no user namespaces',
    [
      ...AS_USER,
      'unshare',
      '-U',
      '--map-user=12345',
      '--map-group=12345',
      '--keep-caps',
      '/bin/sh',
      '-c',
      WITHOUT_SPACES,
      'sh',
    ],
  ],
];
/** What depends on the control groups that a host hands out, and on its tools. */
const OF_GROUPS = new Set(['cpu_cores_limit', 'cpu_time_limit', 'memory_limit', 'pids_limit']);

let root: string;
beforeAll(async () => {
  requireTools();
  root = mkdtempSync(join(tmpdir(), 'h-test-host-'));
  chmodSync(root, 0o755);
  await build({
    entryPoints: [new URL('./fixtures/host-row/run.ts', import.meta.url).pathname],
    outfile: join(root, 'run.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@h/source'],
    logLevel: 'silent',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function readColumn(column: string): Record<string, string> {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const table = /## Hosts[\s\S]*?(\| property[\s\S]*?)\n\n/.exec(readme)?.[1] ?? '';
  const [head = [], , ...rows] = table.split('\n').map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
  const at = head.indexOf(column);
  return Object.fromEntries(
    rows.flatMap((cells) => (cells[0] ?? '').split(', ').map((name) => [name, cells[at] ?? ''])),
  );
}

it('names every property once', () => {
  expect(Object.keys(readColumn('root')).sort()).toEqual([...IsolationProperty.options].sort());
});

describe.skipIf(process.getuid?.() !== 0)('this host', () => {
  it.each(HOSTS)('as %s is what the table says, and keeps runs apart all the same', (column, wrapper) => {
    const place = mkdtempSync(join(root, 'tmp-'));
    mkdirSync(join(place, 'tmp'));
    for (const folder of [place, join(place, 'tmp')]) chmodSync(folder, 0o777);
    const env = { PATH: '/usr/bin:/bin', HOME: place, TMPDIR: join(place, 'tmp') };
    const [file = '', ...args] = [...wrapper, process.execPath, join(root, 'run.mjs')];
    const shown = spawnSync(file, args, { encoding: 'utf8', env, cwd: '/' });
    expect(shown.stderr).toBe('');
    const { properties, texts } = JSON.parse(shown.stdout);
    const told = Object.entries(readColumn(column)).filter(([name]) => !OF_GROUPS.has(name));
    expect(Object.fromEntries(told.map(([name]) => [name, properties[name]]))).toEqual(Object.fromEntries(told));
    expect(texts).toEqual([
      'a.txt\nsrc/b.txt\nsrc/deep/c.txt\n',
      'changed\nnew\nsrc/deep/c.txt\n',
      'a.txt\nsrc/b.txt\nsrc/deep/c.txt\n',
    ]);
  });
});
