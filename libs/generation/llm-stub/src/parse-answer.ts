import { canonicalJson } from '@h/contracts';

export type ParsedAnswer =
  | { readonly status: 'parsed'; readonly value: unknown }
  | { readonly status: 'refused'; readonly reason: string };

/** Deeper answers are refused before anything recursive sees them. */
const maxDepth = 64;

/**
 * The value of an answer that is one JSON document and nothing else: no prose, no code fence, no second value. Refused too: a key given
 * twice in one object, half of a surrogate pair, a number too large to hold, nesting deeper than 64.
 */
export function parseAnswer(given: string, { unfence = false }: { readonly unfence?: boolean } = {}): ParsedAnswer {
  const text = unfence ? withoutFence(given) : given;
  if (text.trim() === '') return refused('the answer is empty');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused('not one JSON document');
  }
  const { depth, repeated } = scan(text);
  if (depth > maxDepth) return refused(`nested deeper than ${maxDepth}`);
  if (repeated !== undefined) return refused(`the key ${repeated.slice(0, 80)} is given twice in one object`);
  return checkJson(value);
}

/** What stands in the one fence that a text is; the text itself where it is anything else. */
function withoutFence(text: string): string {
  const [, , inner] = /^\s*(`{3,}|~{3,})(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n\1[ \t]*\s*$/i.exec(text) ?? [];
  return inner ?? text;
}

/** The same for a value that came parsed. */
export function checkJson(value: unknown): ParsedAnswer {
  try {
    canonicalJson(value);
  } catch (error) {
    return refused(error instanceof RangeError ? 'nested too deeply' : 'not a JSON value');
  }
  return { status: 'parsed', value };
}

function refused(reason: string): ParsedAnswer {
  return { status: 'refused', reason };
}

/** Depth and the first repeated key of text that is JSON. On other text the expression below would need quadratic time. */
function scan(text: string): { depth: number; repeated: string | undefined } {
  const open: (Set<string> | undefined)[] = [];
  let [depth, last] = [0, ''];
  let repeated: string | undefined;
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gs)) {
    if (token === '{' || token === '[') depth = Math.max(depth, open.push(token === '{' ? new Set() : undefined));
    else if (token === '}' || token === ']') open.pop();
    else if (token !== ':') last = token;
    else {
      const keys = open.at(-1);
      const key = spelledOut(last);
      if (keys?.has(key)) repeated ??= last;
      keys?.add(key);
    }
    if (depth > maxDepth) break;
  }
  return { depth, repeated };
}

/** `"a"` and `"\u0061"` are one key. */
function spelledOut(key: string): string {
  return key.includes('\\') ? JSON.stringify(JSON.parse(key)) : key;
}
