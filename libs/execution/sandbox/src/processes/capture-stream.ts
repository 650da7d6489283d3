import type { Stream } from '@h/contracts';

/** Keeps the beginning and the end of a stream within a cap, and counts the rest while draining it. */
export interface StreamCapture {
  /** Everything up to now; text is never cut inside a UTF-8 sequence. */
  read(): Stream;
  /** Bytes up to now. */
  observed(): number;
  /** Settles when the stream has ended or failed, at once if there is none. */
  readonly ended: Promise<void>;
}

export const EMPTY_STREAM: Stream = { text: '', observed_bytes: 0, retained_bytes: 0, dropped_bytes: 0 };

/** The same for chunks that come by calls. */
export interface ChunkCapture {
  add(chunk: Uint8Array): void;
  read(): Stream;
  observed(): number;
}

export function captureStream(source: NodeJS.ReadableStream | null | undefined, capBytes: number): StreamCapture {
  const capture = captureChunks(capBytes);
  source?.on('data', capture.add);
  const ended = new Promise<void>((resolve) => {
    if (source === null || source === undefined) return resolve();
    for (const event of ['end', 'close', 'error']) source.once(event, () => resolve());
  });
  return { ended, read: capture.read, observed: capture.observed };
}

/** Half of the cap for the beginning, half for the end: the first error is in the one, the last in the other. */
export function captureChunks(capBytes: number): ChunkCapture {
  const headBytes = Math.ceil(capBytes / 2);
  const head: Uint8Array[] = [];
  const tail = keepLast(capBytes - headBytes);
  let held = 0;
  let observed = 0;
  return {
    add(chunk) {
      observed += chunk.length;
      const room = headBytes - held;
      // A copy: a slice would keep the whole chunk alive.
      const kept = chunk.length <= room ? chunk : Buffer.from(chunk.subarray(0, Math.max(0, room)));
      if (kept.length > 0) head.push(kept);
      held += kept.length;
      if (kept.length < chunk.length) tail.add(chunk.subarray(kept.length));
    },
    read: () => toStream(Buffer.concat(head, held), tail.read(), observed),
    observed: () => observed,
  };
}

/** The last bytes of what is added, in one piece of memory that is written round. */
function keepLast(size: number) {
  let ring: Buffer | undefined;
  let total = 0;
  return {
    add(chunk: Uint8Array) {
      ring ??= Buffer.alloc(size);
      const some = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
      const at = size === 0 ? 0 : (total + chunk.length - some.length) % size;
      const fits = Math.min(some.length, size - at);
      ring.set(some.subarray(0, fits), at);
      ring.set(some.subarray(fits), 0);
      total += chunk.length;
    },
    read(): Buffer {
      if (ring === undefined) return Buffer.alloc(0);
      if (total <= size) return Buffer.from(ring.subarray(0, total));
      const at = total % size || 0;
      return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
    },
  };
}

function toStream(head: Buffer, tail: Buffer, observed: number): Stream {
  if (observed === head.length + tail.length) {
    return {
      text: decode(Buffer.concat([head, tail])),
      observed_bytes: observed,
      retained_bytes: observed,
      dropped_bytes: 0,
    };
  }
  const before = head.subarray(0, head.length - cutSequence(head));
  const after = tail.subarray(continuation(tail));
  const retained = before.length + after.length;
  const text = decode(before);
  return {
    text: text + decode(after),
    ...(after.length > 0 && { gap_at: text.length }),
    observed_bytes: observed,
    retained_bytes: retained,
    dropped_bytes: observed - retained,
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Bytes at the end that begin a UTF-8 sequence without finishing it. */
function cutSequence(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** Bytes at the beginning that go on with a UTF-8 sequence begun before. */
function continuation(bytes: Buffer): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}
