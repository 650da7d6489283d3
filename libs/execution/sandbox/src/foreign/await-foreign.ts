import { setTimeout as sleep } from 'node:timers/promises';

/** What became of a call before its time was over. */
export type Answer<T> =
  | { readonly status: 'answered'; readonly value: T }
  | { readonly status: 'failed'; readonly cause: unknown }
  | { readonly status: 'late' | 'cancelled'; readonly value?: T };

export interface CallLimits {
  /** Milliseconds, or a deadline that may be moved. */
  readonly timeoutMs: number | Deadline;
  /** Absent: it cannot be cancelled. */
  readonly signal: AbortSignal | undefined;
}

/** A time limit that can begin anew until it is stopped. */
export interface Deadline {
  readonly passed: Promise<'late'>;
  restart(timeoutMs: number): void;
  stop(): void;
}

/** How long a call that was told to stop may take to say what it has. */
const PARTING_MS = 50;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function startDeadline(timeoutMs: number): Deadline {
  let pass = () => {};
  const passed = new Promise<'late'>((resolve) => {
    pass = () => resolve('late');
  });
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const restart = (ms: number) => {
    if (stopped) return;
    clearTimeout(timer);
    timer = setTimeout(pass, Math.min(ms, LONGEST_TIMER_MS));
  };
  restart(timeoutMs);
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  return { passed, restart, stop };
}

/**
 * Calls, and settles on the answer, the time limit or the signal, whatever the callee does. On the latter two the callee's own signal is
 * aborted; what it still answers within 50 ms comes along, and what it does later is of no consequence.
 */
export async function awaitForeign<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, signal }: CallLimits,
): Promise<Answer<T>> {
  if (signal?.aborted) return { status: 'cancelled' };
  const controller = new AbortController();
  const answer = ask(call, controller.signal);
  const stop = new AbortController();
  const deadline = typeof timeoutMs === 'number' ? startDeadline(timeoutMs) : timeoutMs;
  const cut = await Promise.race([answer.then(() => undefined), deadline.passed, aborted(signal, stop.signal)]);
  stop.abort();
  deadline.stop();
  if (cut === undefined) return answer;
  controller.abort();
  const parting = await Promise.race([answer, sleep(PARTING_MS)]);
  return parting?.status === 'answered' ? { status: cut, value: parting.value } : { status: cut };
}

async function ask<T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<Answer<T>> {
  try {
    return { status: 'answered', value: await call(signal) };
  } catch (cause) {
    return { status: 'failed', cause };
  }
}

function aborted(signal: AbortSignal | undefined, until: AbortSignal): Promise<'cancelled'> {
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve('cancelled'), { once: true, signal: until });
  });
}
