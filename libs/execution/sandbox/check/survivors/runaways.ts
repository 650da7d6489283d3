import { setTimeout as sleep } from 'node:timers/promises';
import { findProcesses, isAlive } from '../find-processes.ts';

/**
 * A program that tries to outlive its run in the way named by its first argument. Its second is a mark: the arguments of every process
 * that it leaves hold it, and so does their name, which even the dead keep. It prints `ready` when all stand that are to be ended.
 */
const PROGRAM = `
import os, signal, sys, time
shape, mark = sys.argv[1:]
open('/proc/self/comm', 'w').write(mark)
def quiet():
    null = os.open('/dev/null', os.O_RDWR)
    for fd in range(3): os.dup2(null, fd)
def rest(): time.sleep(60); os._exit(0)
def child(body, *before):
    made = os.fork()
    if made == 0:
        for each in before: each()
        body()
        os._exit(0)
    return made
def orphan(body, *before): os.waitpid(child(lambda: child(body, *before)), 0)
def deaf():
    for number in set(range(1, 65)) - {signal.SIGCHLD}:
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
def graves():
    for _ in range(5): child(lambda: None)
    rest()
def relay():
    end = time.time() + 60
    while time.time() < end:
        if os.fork(): os._exit(0)
        os.setsid(); time.sleep(0.03)
def bare(): os.execve(sys.executable, ['python3', '-ISc', 'import time; time.sleep(60)', mark], {})
def chatter():
    while True: os.write(1, b'x'); time.sleep(0.05)
def done(): print('ready', flush=True); rest()
def leave(): print('ready', flush=True); os._exit(0)
if shape == 'child': child(rest, quiet); done()
elif shape == 'child with the pipes': child(rest); done()
elif shape == 'double fork': orphan(rest, quiet); done()
elif shape == 'session': orphan(rest, quiet, os.setsid); done()
elif shape == 'session in another folder': orphan(rest, quiet, os.setsid, lambda: os.chdir('/')); done()
elif shape == 'deaf': deaf(); orphan(rest, quiet, os.setsid); done()
elif shape == 'stopped child': os.kill(child(rest, quiet, os.setsid), signal.SIGSTOP); done()
elif shape == 'stopped leader': orphan(rest, quiet, os.setsid); print('ready', flush=True); os.kill(os.getpid(), signal.SIGSTOP); rest()
elif shape == 'other program, no environment': orphan(bare, quiet, os.setsid, lambda: os.chdir('/')); time.sleep(0.05); done()
elif shape == 'unburied dead': orphan(graves, quiet, os.setsid); time.sleep(0.05); done()
elif shape == 'swarm': [orphan(rest, quiet, os.setsid) for _ in range(8)]; done()
elif shape == 'relay': orphan(relay, quiet); time.sleep(0.05); done()
elif shape == 'pipes left to a session': orphan(chatter, os.setsid); leave()
elif shape == 'pipes left to a deaf one': deaf(); orphan(rest, os.setsid); leave()
`;

/** Which end by the deadline or by their supervisor's death. */
export const HANGING = [
  'child',
  'child with the pipes',
  'double fork',
  'session',
  'session in another folder',
  'deaf',
  'stopped child',
  'stopped leader',
  'other program, no environment',
  'unburied dead',
  'swarm',
  'relay',
] as const;

/** Which end by themselves, while what they leave holds the pipes: an end that waits for those would never come. */
export const LEAVING = ['pipes left to a session', 'pipes left to a deaf one'] as const;

export function runawayCommand(python: string, shape: string, mark: string): string[] {
  return [python, '-I', '-S', '-c', PROGRAM, shape, mark];
}

/** Living processes that carry the text, one line each. */
export function findRunning(text: string): string[] {
  return findProcesses(text)
    .filter(isAlive)
    .map(({ pid, state, name }) => `${pid} ${state} ${name}`);
}

const BURIAL_MS = 5000;

/** The dead that nobody buries: the first process of a host may take its time with those it is left. */
export async function findUnburied(text: string): Promise<string[]> {
  const end = performance.now() + BURIAL_MS;
  for (;;) {
    const dead = findProcesses(text).filter((seen) => !isAlive(seen));
    if (dead.length === 0 || performance.now() > end) return dead.map(({ pid }) => `${pid} is dead and not buried`);
    await sleep(50);
  }
}

export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The middle, the 99th of a hundred and the largest, rounded. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
