import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { captureStream } from '../../src/processes/capture-stream.ts';

async function capture(chunks: readonly Uint8Array[], cap: number) {
  const source = new PassThrough();
  const captured = captureStream(source, cap);
  for (const chunk of chunks) source.write(chunk);
  source.end();
  await captured.ended;
  return captured.read();
}

const text = fc.string({ unit: 'binary', maxLength: 60 });

it('keeps a beginning and an end of whole characters and accounts for every byte, however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.nat(80), fc.array(fc.nat(60), { maxLength: 6 }), async (whole, cap, cuts) => {
      const bytes = Buffer.from(whole);
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
      const stream = await capture(chunks, cap);
      expect(stream.observed_bytes).toBe(bytes.length);
      expect(stream.retained_bytes + stream.dropped_bytes).toBe(stream.observed_bytes);
      expect(stream.retained_bytes).toBeLessThanOrEqual(cap);
      expect(Buffer.byteLength(stream.text)).toBe(stream.retained_bytes);
      const { gap_at = stream.text.length } = stream;
      expect(bytes.toString().startsWith(stream.text.slice(0, gap_at))).toBe(true);
      expect(bytes.toString().endsWith(stream.text.slice(gap_at))).toBe(true);
      if (bytes.length <= cap) expect(stream).toMatchObject({ text: whole, dropped_bytes: 0 });
      else expect(cap - stream.retained_bytes).toBeLessThan(7);
    }),
  );
});

it('shows bytes that are no text as U+FFFD and counts them as they are', async () => {
  expect(await capture([Buffer.from([0x61, 0xff, 0xfe, 0x62])], 100)).toEqual({
    text: 'a\ufffd\ufffdb',
    observed_bytes: 4,
    retained_bytes: 4,
    dropped_bytes: 0,
  });
  expect(await capture([Buffer.from([0xef, 0xbb, 0xbf, 0x61])], 100)).toMatchObject({ text: '\ufeffa' });
  expect(await capture([Buffer.alloc(10, 0x80)], 5)).toMatchObject({ observed_bytes: 10, retained_bytes: 3 });
});

it('is empty and ended where there is no stream', async () => {
  const nothing = captureStream(undefined, 10);
  await nothing.ended;
  expect(nothing.read()).toEqual({ text: '', observed_bytes: 0, retained_bytes: 0, dropped_bytes: 0 });
});
