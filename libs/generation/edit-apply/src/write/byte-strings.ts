// Bytes as strings of one character (U+0000..U+00FF) a byte: any bytes can be split, compared and put back.
import type { Text } from '@h/contracts';

const CHUNK = 8192;

export function toByteString(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}

export function fromByteString(text: string): Uint8Array {
  return Uint8Array.from(text, (unit) => unit.charCodeAt(0));
}

/** The byte string as a record's text: UTF-8 where it is that, else base64. */
export function asText(byteString: string): Text {
  if (/^[\0-\x7f]*$/.test(byteString)) return { encoding: 'utf8', data: byteString };
  const data = decodeUtf8(fromByteString(byteString));
  return data === undefined ? { encoding: 'base64', data: btoa(byteString) } : { encoding: 'utf8', data };
}

/** The text of UTF-8 bytes, a byte order mark included; undefined when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // not UTF-8: the one thing that decoding can fail of
  }
}
