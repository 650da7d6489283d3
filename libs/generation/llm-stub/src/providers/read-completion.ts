import type { ModelOutcome, ModelUsage } from '@h/contracts';

export type Completion = Pick<ModelOutcome, 'kind' | 'value' | 'usage' | 'detail'>;

/** What the body of a chat completion says: the text of its one choice, only where that choice ended of its own accord. */
export function readCompletion(text: string): Completion {
  const body = asObject(tryParse(text));
  const choices: unknown = body?.choices;
  if (!Array.isArray(choices) || choices.length !== 1)
    return { kind: 'transport', detail: 'not a completion with one choice' };
  const choice = asObject(choices[0]);
  const message = asObject(choice?.message);
  if (message === undefined) return { kind: 'transport', detail: 'a choice without a message' };
  if (isFilled(body?.error)) return { kind: 'transport', detail: 'an error beside the choices' };
  return completionOf(choice?.finish_reason, message, body?.usage);
}

/** The same from its parts. */
export function completionOf(finish: unknown, message: Fields, given: unknown): Completion {
  const usage = usageOf(given);
  return { ...endOf(finish, message), ...(usage === undefined ? {} : { usage }) };
}

function endOf(finish: unknown, message: Fields): Completion {
  if (isFilled(message.tool_calls) || isFilled(message.function_call)) return { kind: 'tool_call' };
  if (finish === 'tool_calls' || finish === 'function_call') return { kind: 'tool_call' };
  if (isFilled(message.refusal) || finish === 'content_filter') return { kind: 'refusal' };
  if (finish === 'length') return { kind: 'truncated' };
  if (finish !== 'stop') return { kind: 'transport', detail: 'no finish_reason that is known' };
  return contentOf(message.content);
}

/** Text, nothing, or a list of text parts. */
function contentOf(content: unknown): Completion {
  if (typeof content === 'string') return { kind: 'ok', value: content };
  if (content === null || content === undefined) return { kind: 'ok', value: '' };
  if (!Array.isArray(content)) return { kind: 'transport' };
  const parts = content.map(asObject);
  if (parts.some((part) => part?.type === 'refusal')) return { kind: 'refusal' };
  const texts = parts.flatMap((part) => (part?.type === 'text' && typeof part.text === 'string' ? [part.text] : []));
  return texts.length === parts.length ? { kind: 'ok', value: texts.join('') } : { kind: 'transport' };
}

function usageOf(given: unknown): ModelUsage | undefined {
  const { prompt_tokens, completion_tokens, cost } = asObject(given) ?? {};
  if (!isCount(prompt_tokens) || !isCount(completion_tokens)) return undefined;
  const isCost = typeof cost === 'number' && Number.isFinite(cost) && cost >= 0;
  return { prompt_tokens, completion_tokens, ...(isCost ? { cost } : {}) };
}

type Fields = { readonly [key: string]: unknown };

export function asObject(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined && value !== '';
}

export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
