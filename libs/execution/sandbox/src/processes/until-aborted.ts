/**
 * The value of the work, or the reason of the signal as soon as it is aborted. What the work still makes afterwards is undone in the
 * background; it should heed the signal itself, so as to leave nothing running for long.
 */
export async function untilAborted<T>(
  work: (signal: AbortSignal | undefined) => Promise<T>,
  signal: AbortSignal | undefined,
  undo: (value: T) => Promise<unknown>,
): Promise<T> {
  if (signal === undefined) return work(undefined);
  signal.throwIfAborted();
  const working = work(signal);
  let leave = () => {};
  const aborted = new Promise<'aborted'>((resolve) => {
    leave = () => resolve('aborted');
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    const first = await Promise.race([working.then((value) => ({ value })), aborted]);
    if (first !== 'aborted') return first.value;
    throw signal.reason;
  } catch (error) {
    if (!signal.aborted) throw error;
    working.then(undo).catch(() => undefined);
    throw signal.reason;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
