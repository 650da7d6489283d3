import { canonicalJson } from '@h/contracts';
import type { EntryInput } from './model-entry.ts';

/** What was left out of one input, so that it can be shown beside the answer. */
export interface Omission {
  readonly input: string;
  /** Items dropped from the end of the list. */
  readonly items: number;
  /** Texts that were shortened. */
  readonly texts: number;
}

export interface FittedInput {
  readonly name: string;
  readonly value: unknown;
  /** False: too large, and nothing in it may be left out. */
  readonly fits: boolean;
  /** Absent: nothing was left out. */
  readonly omission?: Omission;
}

const encoder = new TextEncoder();

/** One input within its bounds: texts shortened, then items dropped from the end. Half of a surrogate pair becomes U+FFFD. */
export function fitInput(input: EntryInput, given: unknown): FittedInput {
  const shortened = { texts: 0 };
  const limit = input.verbatim === true ? undefined : input.max_text;
  const value = withShortTexts(given, limit, shortened);
  const kept = Array.isArray(value) && input.verbatim !== true ? keepItems(value, input) : value;
  const dropped = Array.isArray(value) && Array.isArray(kept) ? value.length - kept.length : 0;
  const { texts } = shortened;
  return {
    name: input.name,
    value: kept,
    fits: sizeOf(kept) <= input.max_bytes,
    ...(dropped + texts === 0 ? {} : { omission: { input: input.name, items: dropped, texts } }),
  };
}

function keepItems(items: readonly unknown[], { max_items = items.length, max_bytes }: EntryInput): unknown[] {
  const kept: unknown[] = [];
  let size = 2;
  for (const item of items.slice(0, max_items)) {
    size += sizeOf(item) + (kept.length === 0 ? 0 : 1);
    if (size > max_bytes) break;
    kept.push(item);
  }
  return kept;
}

function sizeOf(value: unknown): number {
  return encoder.encode(canonicalJson(value)).length;
}

function withShortTexts(value: unknown, limit: number | undefined, shortened: { texts: number }): unknown {
  if (typeof value === 'string') return shorten(value.replace(/\p{Surrogate}/gu, '\ufffd'), limit, shortened);
  if (Array.isArray(value)) return value.map((item: unknown) => withShortTexts(item, limit, shortened));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withShortTexts(item, limit, shortened)]));
}

/** Both ends are kept: a message often says at its end what was expected. */
function shorten(text: string, limit: number | undefined, shortened: { texts: number }): string {
  if (limit === undefined || text.length <= limit) return text;
  const characters = [...text];
  if (characters.length <= limit) return text;
  shortened.texts += 1;
  const tail = Math.floor(limit / 3);
  const left = characters.length - limit;
  return `${characters.slice(0, limit - tail).join('')} … [${left} characters left out] … ${characters.slice(characters.length - tail).join('')}`;
}
