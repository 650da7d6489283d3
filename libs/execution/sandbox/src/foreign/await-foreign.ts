import { setTimeout as sleep } from 'node:timers/promises';

/** What became of a call before its time was over. */
export type Answer<T> =
  | { readonly status: 'answered'; readonly value: T }
  | { readonly status: 'failed'; readonly cause: unknown }
  | { readonly status: 'late' | 'cancelled'; readonly value?: T };

export interface CallLimits {
  readonly timeoutMs: number;
  /** Absent: it cannot be cancelled. */
  readonly signal: AbortSignal | undefined;
}

/** How long a call that was told to stop may take to say what it has. */
const PARTING_MS = 50;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

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
  const cut = await Promise.race([
    answer.then(() => undefined),
    sleep(Math.min(timeoutMs, LONGEST_TIMER_MS), 'late' as const, { signal: stop.signal }).catch(() => undefined),
    aborted(signal, stop.signal),
  ]);
  stop.abort();
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
