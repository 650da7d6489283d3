// Whether a patched text is the original one: the same tokens, as @h/dedup reads them, whatever blanks and comments there are.
import { deduplicate } from '@h/dedup';
import type { Parser } from '@h/syntax';

export function isSameProgram(path: string, text: string, original: string, parser: Parser): boolean {
  if (text === original) return true;
  // Most texts differ in more than blanks.
  if (text.replace(/[\s;]+/g, '') !== original.replace(/[\s;]+/g, '')) return false;
  const encoder = new TextEncoder();
  const { kept } = deduplicate(
    [text, original].map((after, index) => ({
      candidate_id: String(index),
      files: [{ path, after: encoder.encode(after) }],
    })),
    { parser, rung: 'tokens' },
  );
  return kept.length === 1;
}
