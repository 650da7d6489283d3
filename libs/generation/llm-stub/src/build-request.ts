import { canonicalJson, type ModelRequest } from '@h/contracts';
import { missingInput, unknownInput } from './errors.ts';
import { fitInput, type Omission } from './fit-input.ts';
import type { FiringCondition, ModelEntry } from './model-entry.ts';
import { valuesAt } from './values-at.ts';

/** Values by input name; each JSON. */
export type EntryValues = { readonly [input: string]: unknown };

export interface RequestOptions {
  /** Sent in place of the entry's. */
  readonly seed?: number;
}

export type BuiltRequest =
  | {
      readonly status: 'built';
      readonly request: ModelRequest;
      /** The values as they were sent, after bounding: what an answer is checked against. */
      readonly sent: EntryValues;
      readonly omissions: readonly Omission[];
    }
  | { readonly status: 'not_fired'; readonly missing: readonly string[] }
  | { readonly status: 'over_budget'; readonly reason: string };

const encoder = new TextEncoder();

/**
 * The request of an entry: its instructions, then one JSON object with the inputs in the entry's order, each bounded, keys inside sorted.
 *
 * Equal values give equal bytes, whatever the order of their keys. Throws `unknown_input` and `missing_input`.
 */
export function buildRequest(
  entry: ModelEntry,
  values: EntryValues,
  { seed = entry.seed }: RequestOptions = {},
): BuiltRequest {
  requireInputs(entry, values);
  const missing = entry.fires_on.filter((condition) => !holds(condition, values)).map(({ path }) => path);
  if (missing.length > 0) return { status: 'not_fired', missing };
  const fitted = entry.inputs.map((input) => fitInput(input, values[input.name]));
  const tooLarge = fitted.find(({ fits }) => !fits);
  if (tooLarge !== undefined) return { status: 'over_budget', reason: `input ${tooLarge.name} is too large to send` };
  const body = fitted.map(({ name, value }) => `${JSON.stringify(name)}: ${canonicalJson(value)}`).join(',\n');
  const messages: ModelRequest['messages'] = [
    { role: 'system', content: entry.instructions },
    { role: 'user', content: `{\n${body}\n}` },
  ];
  const payload_bytes = messages.reduce((sum, { content }) => sum + encoder.encode(content).length, 0);
  if (payload_bytes > entry.max_payload_bytes) {
    return { status: 'over_budget', reason: `payload of ${payload_bytes} bytes, at most ${entry.max_payload_bytes}` };
  }
  return {
    status: 'built',
    request: {
      entry: entry.name,
      messages,
      schema: entry.schema as ModelRequest['schema'],
      requested: { temperature: entry.temperature, max_tokens: entry.max_tokens, seed },
      payload_bytes,
    },
    sent: Object.fromEntries(fitted.map(({ name, value }) => [name, value])),
    omissions: fitted.flatMap(({ omission }) => omission ?? []),
  };
}

function requireInputs(entry: ModelEntry, values: EntryValues): void {
  const known = entry.inputs.map(({ name }) => name);
  for (const name of Object.keys(values)) if (!known.includes(name)) throw unknownInput(entry.name, name, known);
  for (const name of known) if (values[name] === undefined) throw missingInput(entry.name, name);
}

function holds({ path, must }: FiringCondition, values: EntryValues): boolean {
  const [found] = valuesAt(values, path);
  return must === 'be_a_span' ? isSpan(found?.value) : isNonempty(found?.value);
}

function isNonempty(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function isSpan(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [first, last] = value.map((line) => (Number.isSafeInteger(line) ? Number(line) : 0));
  return first !== undefined && last !== undefined && first >= 1 && first <= last;
}
