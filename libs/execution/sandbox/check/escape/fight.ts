// The caller of the sandbox in the escape suite: started by host.py on a terminal, with secrets around it. Arguments: the shared folder,
// the backend, text that names must hold, whether only the slice is run.
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryArtifacts } from '@h/contracts';
import { type BackendName, createSandbox, defaultPolicy, discoverPython } from '../../src/index.ts';
import { ATTACKS } from '../attacks/all.ts';
import type { Attack } from './attack.ts';
import type { SharedBait } from './lay-bait.ts';
import { type Arena, type Tried, tryAttack } from './try-attack.ts';

const [shared = '', backend = 'auto', only = '', slice = 'false'] = process.argv.slice(2);
const AT_ONCE = 4;
let caught = 0;
process.on('SIGUSR2', () => {
  caught += 1;
});
const arena = await prepareArena();
const begin = performance.now();
const tried = await tryAll(chosen());
await arena.sandbox.close();
const remains = leftovers();
report();

function chosen(): { name: string; attack: Attack }[] {
  const all = Object.entries(ATTACKS).flatMap(([name, attacks]) => attacks.map((attack) => ({ name, attack })));
  return all
    .filter(({ attack }) => slice !== 'true' || attack.slice)
    .filter(({ name, attack }) => `${name}: ${attack.name}`.includes(only));
}

async function prepareArena(): Promise<Arena> {
  const found = await discoverPython(['/usr/bin/python3', 'python3']);
  if ('reason' in found) throw new Error(`the attacks are Python programs: ${found.reason}`);
  const artifacts = memoryArtifacts();
  const sandbox = await createSandbox(defaultPolicy(), {
    artifacts,
    concurrency: AT_ONCE,
    backend: backend as BackendName,
    readOnlyPaths: [found.prefix, found.base_prefix, process.execPath, join(shared, 'ro')].filter(
      (path) => path !== '/usr',
    ),
    links: [{ at: 'node_modules', target: join(shared, 'packages') }],
  });
  const host = JSON.parse(readFileSync(join(shared, 'bait.json'), 'utf8')) as SharedBait;
  const canary = readFileSync(join(shared, 'canary'), 'utf8');
  const interpreters = { python: found.executable, node: process.execPath };
  return { shared, canary, host, sandbox, artifacts, interpreters, signals: () => caught };
}

type Named = Tried & { readonly name: string; readonly attack: Attack };

/** Some at once, for they mostly wait; then one by one those that must be alone. */
async function tryAll(attacks: readonly { name: string; attack: Attack }[]): Promise<Named[]> {
  const done = new Map<Attack, Named>();
  const serve = async (queue: { name: string; attack: Attack }[]) => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { name, attack } = next;
      let tried = await tryAttack(arena, attack);
      // A control may fail because the machine is busy; an escape counts however seldom it is.
      if (tried.verdict === 'untested' && !tried.unmet) tried = await tryAttack(arena, attack);
      done.set(attack, { ...tried, name, attack });
      if (tried.verdict !== 'blocked') console.error(`${tried.verdict}: ${name}: ${attack.name}: ${tried.how}`);
    }
  };
  const together = attacks.filter(({ attack }) => !attack.alone);
  await Promise.all(Array.from({ length: AT_ONCE }, () => serve(together)));
  await serve(attacks.filter(({ attack }) => attack.alone));
  return attacks.map(({ attack }) => done.get(attack)).filter((each) => each !== undefined);
}

/** Folders and control groups of this process's sandboxes. */
function leftovers(): string[] {
  const groups = ['memory', 'pids', 'cpu'].flatMap((name) => entries(`/sys/fs/cgroup/${name}`));
  const mine = (name: string) => name.startsWith('h-sandbox-') && name.split('-')[3] === String(process.pid);
  return [...entries(tmpdir()), ...entries('/dev/shm'), ...groups].filter(mine);
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function count(verdict: Tried['verdict'], of: readonly Named[] = tried): number {
  return of.filter((each) => each.verdict === verdict).length;
}

function report(): void {
  const rows = [...new Set(tried.map(({ name }) => name))].map((name) => {
    const own = tried.filter((each) => each.name === name);
    return [name, own.length, count('blocked', own), count('untested', own), count('escaped', own)] as const;
  });
  const line = (cells: readonly (string | number)[]) =>
    console.log(
      cells.map((cell, index) => (index === 0 ? String(cell).padEnd(34) : String(cell).padStart(9))).join(' '),
    );
  line(['class', 'attacks', 'blocked', 'untested', 'escaped']);
  for (const row of rows) line(row);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  console.log(`backend ${arena.sandbox.backend}, uid ${process.getuid?.()}, Linux, ${seconds} s`);
  for (const { name, attack, verdict, how } of tried)
    if (verdict !== 'blocked') console.log(`${verdict}: ${name}: ${attack.name} (${how})`);
  const unmet = tried.filter((each) => each.unmet).length;
  if (unmet > 0) console.log(`${unmet} of the untested are for limits that are unmet here`);
  if (remains.length > 0) console.log(`left behind: ${remains.join(', ')}`);
  const [blocked, untested, escaped] = (['blocked', 'untested', 'escaped'] as const).map((verdict) => count(verdict));
  console.log(JSON.stringify({ attacks: tried.length, blocked, untested, escaped }));
  process.exitCode = (escaped ?? 0) > 0 || remains.length > 0 || tried.length === 0 ? 1 : 0;
}
