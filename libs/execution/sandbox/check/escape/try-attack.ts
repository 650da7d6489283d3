import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProcesses } from '../find-processes.ts';
import type { Attack } from './attack.ts';
import { type Bait, describeHost, layRunBait, type SharedBait } from './lay-bait.ts';
import { type Output, succeeded, watchRun } from './observe-run.ts';
import { commandLine, type Interpreters } from './payloads.ts';
import { type Inside, runInside } from './run-inside.ts';
import { endCarriers, runOutside } from './run-outside.ts';

export type Verdict = 'blocked' | 'escaped' | 'untested';

export interface Tried {
  readonly verdict: Verdict;
  /** Why it is untested, or how it escaped or was stopped. */
  readonly how: string;
  /** Untested because the limit it is for is said not to be kept here. */
  readonly unmet?: true;
}

export interface Arena extends Inside {
  readonly shared: string;
  readonly canary: string;
  readonly host: SharedBait;
  readonly interpreters: Interpreters;
  /** Signals that the caller has got. */
  readonly signals: () => number;
}

const HARM = [
  'written',
  'damaged',
  'leaked',
  'contacted',
  'typed',
  'logged',
  'bystander',
  'caller',
  'renamed',
  'alive',
];
const GONE_MS = 400;

/** The attack outside, then inside, each with bait of its own. Only where it works outside does it say anything that it fails inside. */
export async function tryAttack(arena: Arena, attack: Attack): Promise<Tried> {
  const control = await withBait(arena, attack, (bait, argv) =>
    runOutside(attack, argv, bait, join(arena.shared, 'out', bait.token)),
  );
  if (!succeeded(attack.effect, control.seen))
    return { verdict: 'untested', how: `outside it does not succeed: ${lastWords(control.output.text)}` };
  const inside = await withBait(arena, attack, (_, argv) => runInside(arena, attack, argv));
  const { result, text } = inside.output;
  const more = HARM.filter((effect) => inside.seen.effects.has(effect));
  const name = typeof attack.effect === 'string' ? attack.effect : attack.effect.over;
  // A limit that is said not to be kept: whether it was passed or not, only other harm counts.
  if (attack.property !== undefined && result.receipt?.properties[attack.property] === 'unmet' && more.length === 0)
    return { verdict: 'untested', how: `${attack.property} is unmet here, as the receipt says`, unmet: true };
  if (succeeded(attack.effect, inside.seen))
    return { verdict: 'escaped', how: [...new Set([name, ...more])].join(', ') };
  // Whatever it was for: nothing of this may happen.
  if (more.length > 0) return { verdict: 'escaped', how: more.join(', ') };
  if (!/^TRIED h[0-9a-f]{12}$/m.test(text) || result.ended_by === 'policy_unmet')
    return { verdict: 'untested', how: `it was not tried inside (${result.ended_by}): ${lastWords(text)}` };
  return { verdict: 'blocked', how: /^NO .*/m.exec(text)?.[0].slice(3) ?? result.ended_by };
}

async function withBait<O extends Output>(
  { shared, canary, host, interpreters, signals }: Arena,
  attack: Attack,
  run: (bait: Bait, argv: string[]) => Promise<O>,
) {
  const token = `h${randomBytes(6).toString('hex')}`;
  const folders = layRunBait(shared, randomBytes(4).toString('hex'), canary);
  const bystander = startBystander(join(folders.hidden, 'secret'), canary);
  const bait: Bait = { ...host, ...describeHost(shared), ...folders, token, bystander: bystander.pid ?? 0 };
  const sampled = typeof attack.effect !== 'string' && attack.effect.over === 'processes';
  const watch = watchRun(bait, {
    shared,
    canary,
    signals,
    sampled,
    kernel: attack.effect === 'logged',
    looks: attack.effect === 'alive' ? 15 : 1,
  });
  try {
    const output = await run(bait, commandLine(attack, bait, interpreters));
    // By the clock: on a busy machine one look takes as long as what it looks for may live.
    const end = performance.now() + GONE_MS;
    do await sleep(60);
    while (performance.now() < end && findProcesses(token).length > 0);
    return { output, seen: watch.stop(output) };
  } finally {
    bystander.kill('SIGKILL');
    await endCarriers(token);
    for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true });
  }
}

/** Another process of the caller's: a secret in its environment and its memory, and open in a descriptor. */
function startBystander(secret: string, canary: string): ChildProcess {
  const fd = openSync(secret, 'r');
  const child = spawn('/bin/sleep', ['600'], {
    stdio: [fd, 'ignore', 'ignore'],
    env: { SECRET: canary },
    detached: true,
  });
  closeSync(fd);
  return child;
}

function lastWords(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('TRIED'));
  return (lines.find((line) => line.startsWith('NO ')) ?? lines.at(-1) ?? 'it says nothing').slice(0, 140);
}
