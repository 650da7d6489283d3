import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcesses, findProcesses, isAlive } from '../find-processes.ts';
import type { Attack } from './attack.ts';
import type { Bait } from './lay-bait.ts';
import type { Output } from './observe-run.ts';

const LONGEST_MS = 6000;
const COLLECTED_AT_MOST = 80 * 2 ** 20;
const READS = 60;

/** The positive control: the same words as an ordinary child of the caller, whose streams are kept whole and whose links are followed. */
export async function runOutside(attack: Attack, argv: readonly string[], bait: Bait, folder: string): Promise<Output> {
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(bait.packages, '..'), join(folder, 'node_modules/tool'));
  const begin = performance.now();
  const streams = await runPlainly(attack, argv, folder);
  if (attack.twice) streams.text += (await runPlainly(attack, argv, folder)).text;
  const collected = await collectCarelessly(attack, folder);
  if (attack.cleaned) cleanCarelessly(folder, bait.hidden);
  await sleep(60);
  const cpu_ms = Number(/^CPU (\d+)/m.exec(streams.text)?.[1] ?? 0);
  return {
    text: streams.text + collected.text,
    measures: { retained: streams.longest, collected: collected.bytes, settled_ms: performance.now() - begin, cpu_ms },
  };
}

async function runPlainly(attack: Attack, argv: readonly string[], cwd: string) {
  const root = process.getuid?.() === 0;
  const apart = ['unshare', ...(root ? ['--mount'] : ['-Urm']), '--propagation', 'private', '--'];
  const [file = '', ...args] = attack.mounts ? [...apart, ...argv] : argv;
  // The caller's own terminal, descriptors and environment: what a careless caller would pass on.
  const child = spawn(file, args, { cwd, stdio: ['inherit', 'pipe', 'pipe'] });
  const texts = [gather(child.stdout), gather(child.stderr)];
  await Promise.race([ended(child), sleep(LONGEST_MS)]);
  const [stdout = '', stderr = ''] = texts.map((read) => read());
  return { text: `${stdout}\n${stderr}`, longest: Math.max(stdout.length, stderr.length) };
}

function gather(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('latin1');
}

/** As a careless supervisor has it: when the pipes are closed too. */
function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
}

/** Reads what is asked for by path, whatever it is: often, so that a race has its chance. */
async function collectCarelessly({ collect = [] }: Attack, folder: string): Promise<{ text: string; bytes: number }> {
  const texts: string[] = [];
  let bytes = 0;
  for (const path of collect) {
    for (let turn = 0; turn < READS; turn += 1) {
      const content = await readWhole(join(folder, path));
      bytes = Math.max(bytes, content.length);
      texts.push(content.toString('latin1', 0, 10_000));
      if (content.length !== 1) break;
      await sleep(1);
    }
  }
  return { text: texts.join('\n'), bytes };
}

async function readWhole(path: string): Promise<Buffer> {
  if (statSync(path, { throwIfNoEntry: false })?.isFIFO()) {
    // Opening it would wait for a writer for ever.
    await sleep(LONGEST_MS);
    return Buffer.alloc(0);
  }
  const whole = Buffer.alloc(1024 * 1024);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    const fd = openSync(path, 'r');
    for (let got = -1; got !== 0 && size < COLLECTED_AT_MOST; size += got) {
      got = readSync(fd, whole);
      if (size < 10_000) parts.push(Buffer.from(whole.subarray(0, got)));
    }
  } catch {
    // The path is in the middle of being changed.
  }
  const kept = Buffer.concat(parts);
  return size <= kept.length ? kept : Buffer.concat([kept], size);
}

/** Makes everything writable and removes it, through links too. Goes nowhere but to the run's own folder and its bait. */
function cleanCarelessly(folder: string, hidden: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const target = statSync(path, { throwIfNoEntry: false });
    if (name === 'node_modules' || target === undefined) continue;
    const real = realpathSync(path);
    if (!real.startsWith(realpathSync(folder)) && !real.startsWith(hidden)) continue;
    chmodSync(path, 0o700);
    if (target.isDirectory()) cleanCarelessly(path, hidden);
    else rmSync(path, { force: true });
  }
}

/** Ends what a control left running, by the token that it carries. */
export async function endCarriers(token: string): Promise<void> {
  for (let turn = 0; turn < 100 && findProcesses(token).some(isAlive); turn += 1) {
    endProcesses(token);
    await sleep(10);
  }
}
