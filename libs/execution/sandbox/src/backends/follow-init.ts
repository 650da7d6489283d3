import { setTimeout as sleep } from 'node:timers/promises';
import type { RunGroup } from '../controls/control.ts';
import { findChildren, isRunning, type ProcessStat, readStat } from '../host/read-proc.ts';
import type { Leader, Outcome, ProcessTree } from './backend.ts';
import { signalName, signalProcess } from './shape-process.ts';

/** How a backend reads what its leader writes to the first of `Launch.extra`. */
export interface StatusLanguage {
  /** Host pid of the first process in the run's pid namespace; undefined while it is not known. */
  firstProcess(status: string, leader: number): number | undefined;
  /** Exit code of the payload, as text, in the manner of shells; undefined when it was not told. `leaderCode` is how the leader exited. */
  exitCode(status: string, leaderCode: number | null): string | undefined;
  /** Whether the payload was begun, so that an end that was not told is not a failure to set it up. */
  began(status: string): boolean;
}

/** Follows a run in a pid namespace of its own, whose first process takes all others along when it ends. */
export function followInit(
  { pid, pipes, told }: Leader,
  group: RunGroup | undefined,
  { firstProcess, exitCode: toldExit, began }: StatusLanguage,
): ProcessTree {
  let init: ProcessStat | undefined;
  const look = () => {
    const first = init === undefined ? firstProcess(told(), pid) : undefined;
    if (first !== undefined) init = readStat(first);
  };
  look();
  pipes[0]?.on('data', look);
  const first = () => (init === undefined ? childrenWhenStopped(pid) : isRunning(init) ? [init.pid] : []);
  const left = () =>
    (init !== undefined && isRunning(init)) || (group?.accounts === true && group.processes().length > 0);
  return {
    kill() {
      for (const child of first()) signalProcess(child, 'SIGKILL');
      signalProcess(pid, 'SIGKILL');
    },
    async gone(timeoutMs) {
      const end = performance.now() + timeoutMs;
      while (left()) {
        if (performance.now() >= end) return false;
        await sleep(1);
      }
      return true;
    },
    outcome: (exitCode, signal) =>
      readOutcome({ told: toldExit(told(), exitCode), began: began(told()), exitCode, signal }),
  };
}

/** Children of a leader that has not told them yet; stopped first, so that it does not make another meanwhile. */
function childrenWhenStopped(pid: number): number[] {
  signalProcess(pid, 'SIGSTOP');
  for (let turn = 0; turn < 200 && !['T', 'Z', undefined].includes(readStat(pid)?.state); turn += 1);
  return findChildren(pid);
}

interface End {
  readonly told: string | undefined;
  readonly began: boolean;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A payload that died by signal n is told as 128 + n, as shells do, and a failure of the set-up as no code at all. */
function readOutcome({ told, began, exitCode, signal }: End): Outcome {
  if (told === undefined) {
    if (signal !== null) return { signal };
    return began ? { signal: 'SIGKILL' } : { exitCode: exitCode ?? 1, setupFailure: true };
  }
  const code = Number(told);
  const name = code > 128 ? signalName(code - 128) : undefined;
  return name === undefined ? { exitCode: code } : { exitCode: code, signal: name };
}
