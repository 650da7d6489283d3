/** Numbered places for runs in flight; those who find none free wait in order. */
export interface SlotQueue {
  /** The place that has been free longest, so that it had time to be prepared; undefined when the signal came first. */
  take(signal?: AbortSignal): Promise<number | undefined>;
  release(slot: number): void;
  /** Work that `idle` waits for. */
  track(work: Promise<unknown>): void;
  /** Settles when every place is free and all tracked work is done. */
  idle(): Promise<void>;
}

export function queueSlots(count: number): SlotQueue {
  const free = Array.from({ length: count }, (_, slot) => slot);
  const waiting: ((slot: number) => void)[] = [];
  const work = new Set<Promise<unknown>>();
  let whenIdle: (() => void)[] = [];

  const settle = () => {
    if (free.length < count || work.size > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  };
  return {
    take(signal) {
      if (signal?.aborted) return Promise.resolve(undefined);
      const slot = free.shift();
      if (slot !== undefined) return Promise.resolve(slot);
      return new Promise((resolve) => {
        const enter = (given: number) => {
          signal?.removeEventListener('abort', leave);
          resolve(given);
        };
        const leave = () => {
          waiting.splice(waiting.indexOf(enter), 1);
          resolve(undefined);
        };
        waiting.push(enter);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
    release(slot) {
      const next = waiting.shift();
      if (next !== undefined) return next(slot);
      free.push(slot);
      settle();
    },
    track(promise) {
      const done = promise.then(
        () => undefined,
        () => undefined,
      );
      work.add(done);
      void done.then(() => {
        work.delete(done);
        settle();
      });
    },
    idle() {
      return new Promise((resolve) => {
        whenIdle.push(resolve);
        settle();
      });
    },
  };
}
