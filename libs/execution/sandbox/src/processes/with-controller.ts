/** Those that wait for each signal of a caller: one listener there for all of them, since Node warns of more than ten. */
const waiting = new WeakMap<AbortSignal, Waiting>();

interface Waiting {
  readonly controllers: Set<AbortController>;
  readonly abort: () => void;
}

/** One controller a run: on a signal that lives as long as the sandbox, what every run hangs there would gather. */
export async function withController<T>(
  running: Set<AbortController>,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  if (signal?.aborted) controller.abort(signal.reason);
  else if (signal !== undefined) join(signal, controller);
  running.add(controller);
  try {
    return await work(controller.signal);
  } finally {
    running.delete(controller);
    if (signal !== undefined) leave(signal, controller);
  }
}

function join(signal: AbortSignal, controller: AbortController): void {
  let there = waiting.get(signal);
  if (there === undefined) {
    const controllers = new Set<AbortController>();
    const abort = () => {
      for (const one of controllers) one.abort(signal.reason);
    };
    there = { controllers, abort };
    waiting.set(signal, there);
    signal.addEventListener('abort', abort, { once: true });
  }
  there.controllers.add(controller);
}

function leave(signal: AbortSignal, controller: AbortController): void {
  const there = waiting.get(signal);
  if (there === undefined || !there.controllers.delete(controller) || there.controllers.size > 0) return;
  waiting.delete(signal);
  signal.removeEventListener('abort', there.abort);
}
