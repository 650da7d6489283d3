import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { StreamCapture } from './capture-stream.ts';

export interface DrainLimits {
  /** How long the ends of streams are waited for at least. */
  readonly leastMs: number;
  /** And at most, however much still comes. */
  readonly mostMs: number;
}

/** Turns of the event loop that brought nothing: what was written before is then all read. */
const QUIET_TURNS = 3;

/**
 * Waits until the streams have ended. A process that outlives its run may hold them for ever: after `leastMs` it is enough that nothing more comes.
 * Time alone does not do: a busy machine may let it pass before this program has read what lies ready.
 */
export async function drainStreams(streams: readonly StreamCapture[], { leastMs, mostMs }: DrainLimits): Promise<void> {
  const ended = Promise.all(streams.map((stream) => stream.ended)).then(() => true);
  const begin = performance.now();
  const total = () => streams.reduce((sum, stream) => sum + stream.observed(), 0);
  for (let quiet = 0, last = total(); ; ) {
    if (await Promise.race([ended, sleep(1, false)])) return;
    // Input is read between a timer and an immediate.
    await nextTurn();
    const now = total();
    quiet = now === last ? quiet + 1 : 0;
    last = now;
    const passed = performance.now() - begin;
    if (passed >= mostMs || (passed >= leastMs && quiet >= QUIET_TURNS)) return;
  }
}
