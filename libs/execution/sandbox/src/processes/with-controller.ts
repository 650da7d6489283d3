/** One controller a run: on a signal that lives as long as the sandbox, what every run hangs there would gather. */
export async function withController<T>(
  running: Set<AbortController>,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  running.add(controller);
  try {
    return await work(controller.signal);
  } finally {
    running.delete(controller);
    signal?.removeEventListener('abort', abort);
  }
}
