import type { Stream } from '@h/contracts';

/** Keeps the head of a stream up to a cap and counts the rest while draining it. */
export interface StreamCapture {
  /** Everything up to now; text is never cut inside a UTF-8 sequence. */
  read(): Stream;
  /** Settles when the stream has ended or failed, at once if there is none. */
  readonly ended: Promise<void>;
}

export const EMPTY_STREAM: Stream = { text: '', observed_bytes: 0, retained_bytes: 0, dropped_bytes: 0 };

/** The same for chunks that come by calls. */
export interface ChunkCapture {
  add(chunk: Uint8Array): void;
  read(): Stream;
}

export function captureStream(source: NodeJS.ReadableStream | null | undefined, capBytes: number): StreamCapture {
  const capture = captureChunks(capBytes);
  source?.on('data', capture.add);
  const ended = new Promise<void>((resolve) => {
    if (source === null || source === undefined) return resolve();
    for (const event of ['end', 'close', 'error']) source.once(event, () => resolve());
  });
  return { ended, read: capture.read };
}

export function captureChunks(capBytes: number): ChunkCapture {
  const head: Uint8Array[] = [];
  let retained = 0;
  let observed = 0;
  return {
    add(chunk) {
      observed += chunk.length;
      const room = capBytes - retained;
      if (room <= 0) return;
      // A copy: a slice would keep the whole chunk alive.
      const kept = chunk.length <= room ? chunk : Buffer.from(chunk.subarray(0, room));
      head.push(kept);
      retained += kept.length;
    },
    read: () => toStream(Buffer.concat(head, retained), observed),
  };
}

function toStream(head: Buffer, observed: number): Stream {
  const kept = observed > head.length ? head.subarray(0, head.length - cutSequence(head)) : head;
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(kept);
  return { text, observed_bytes: observed, retained_bytes: kept.length, dropped_bytes: observed - kept.length };
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
