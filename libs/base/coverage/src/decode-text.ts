/** Text of bytes or of text, without a byte order mark; bytes that are not UTF-8 become U+FFFD. */
export function decodeText(input: string | Uint8Array): string {
  if (typeof input !== 'string') return new TextDecoder().decode(input);
  return input.startsWith('\ufeff') ? input.slice(1) : input;
}
