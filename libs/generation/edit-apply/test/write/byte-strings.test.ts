import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asText, decodeUtf8, fromByteString, toByteString } from '../../src/write/byte-strings.ts';

test('any bytes come back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
      expect(fromByteString(toByteString(bytes))).toEqual(bytes);
      const { encoding, data } = asText(toByteString(bytes));
      expect(new Uint8Array(Buffer.from(data, encoding as BufferEncoding))).toEqual(bytes);
    }),
    { numRuns: 100 },
  );
});

test('base64 stands only where the bytes are not UTF-8', () => {
  expect(asText('a')).toEqual({ encoding: 'utf8', data: 'a' });
  expect(asText('\u00c3\u00a9')).toEqual({ encoding: 'utf8', data: 'é' });
  expect(asText('\u00ef\u00bb\u00bfa')).toEqual({ encoding: 'utf8', data: '\ufeffa' });
  expect(asText('\u00e9')).toEqual({ encoding: 'base64', data: '6Q==' });
  expect(decodeUtf8(new Uint8Array([0xff]))).toBeUndefined();
});
