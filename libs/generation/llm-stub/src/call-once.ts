import { type CancelOptions, hashRecord, ModelOutcome, type ModelRequest, parseRecord, sha256Hex } from '@h/contracts';
import { ask } from './ask-model.ts';
import { buildRequest, type EntryValues, type RequestOptions } from './build-request.ts';
import { checkAnswer } from './check-answer.ts';
import { invalidOutcome } from './errors.ts';
import type { Omission } from './fit-input.ts';
import type { JsonValue, ModelEntry } from './model-entry.ts';
import { checkJson, parseAnswer } from './parse-answer.ts';

/** Asks a model and gives the text of its answer, or an outcome; `ModelCall` is one. What it rejects with becomes a no-op. */
export type ModelClient = (request: ModelRequest, options: CancelOptions) => Promise<ModelOutcome | string>;

export interface CallOptions extends RequestOptions {
  /** A caller's deadline is `AbortSignal.timeout(ms)`: its end is a no-op of kind `timeout`, any other abort is `cancelled`. */
  readonly signal?: AbortSignal;
}

/** The outcomes that leave the stage as it would be without a model. */
export type NoOpKind = Exclude<ModelOutcome['kind'], 'ok'>;

interface Asked {
  readonly request: ModelRequest;
  readonly omissions: readonly Omission[];
}

export type CallResult<Answer = unknown> =
  | (Asked & { readonly status: 'answered'; readonly answer: Answer; readonly outcome: ModelOutcome })
  | (Partial<Asked> & {
      readonly status: 'no_op';
      readonly kind: NoOpKind;
      /** What was wrong, in words; holds nothing of a foreign error but its name. */
      readonly reason: string;
      /** Name of the answer rule that was broken; only with kind `schema`. */
      readonly brokenRule?: string;
      /** The call as it is to be recorded: without a value, of the kind above. Absent: nothing was sent. */
      readonly outcome?: ModelOutcome;
      /** SHA-256 of the voided answer, of its text as UTF-8; absent where none arrived. */
      readonly answerDigest?: string;
      /** What a foreign model call rejected with. Not for records: it may hold anything. */
      readonly cause?: unknown;
      /** The entry's. */
      readonly fallback: JsonValue;
    })
  | { readonly status: 'not_fired'; readonly missing: readonly string[]; readonly fallback: JsonValue }
  | { readonly status: 'cancelled' };

/**
 * Asks the model at most once and checks its answer: one JSON document, the entry's schema, the entry's rules. A bad answer is a no-op
 * with its kind, never a second call. No request is made where the entry does not fire, the payload is too large, or `signal` is aborted.
 *
 * Settles with the signal even where the model call does not heed it. `Answer` is what the entry's schema describes; the caller names it.
 * Throws for misuse only: `unknown_input`, `missing_input`, `invalid_schema`, `invalid_outcome`, and what `noModel()` throws.
 */
export async function callOnce<Answer = unknown>(
  entry: ModelEntry,
  values: EntryValues,
  { call, ...options }: CallOptions & { readonly call: ModelClient },
): Promise<CallResult<Answer>> {
  const { fallback } = entry;
  const built = buildRequest(entry, values, options);
  if (built.status === 'not_fired') return { ...built, fallback };
  if (built.status === 'over_budget') return { status: 'no_op', kind: 'budget', reason: built.reason, fallback };
  const { request, omissions, sent } = built;
  const reply = await ask(call, request, options.signal);
  if (reply.status === 'cancelled') return reply;
  if (reply.status === 'failed') return { ...reply, status: 'no_op', request, omissions, fallback };
  const outcome = readOutcome(reply.outcome);
  const verdict = await judge(entry, outcome, request, sent);
  if (verdict.status === 'void') {
    const { value: _voided, ...rest } = outcome;
    return { ...verdict, status: 'no_op', outcome: { ...rest, kind: verdict.kind }, request, omissions, fallback };
  }
  const answer = verdict.answer as Answer & NonNullable<ModelOutcome['value']>;
  return { status: 'answered', answer, outcome: { ...outcome, value: answer }, request, omissions };
}

function readOutcome(given: ModelOutcome): ModelOutcome {
  try {
    return parseRecord(ModelOutcome, given);
  } catch (error) {
    throw invalidOutcome((error as Error).message);
  }
}

type Verdict =
  | { readonly status: 'sound'; readonly answer: unknown }
  | {
      readonly status: 'void';
      readonly kind: NoOpKind;
      readonly reason: string;
      readonly brokenRule?: string;
      readonly answerDigest?: string;
    };

async function judge(
  entry: ModelEntry,
  { kind, value, detail, request_digest }: ModelOutcome,
  request: ModelRequest,
  sent: EntryValues,
): Promise<Verdict> {
  if (kind !== 'ok') {
    return {
      status: 'void',
      kind,
      reason: `the model call ended with ${kind}${detail === undefined ? '' : `: ${detail}`}`,
    };
  }
  if (request_digest !== hashRecord(request)) {
    return { status: 'void', kind: 'transport', reason: 'the answer belongs to another request' };
  }
  if (value === undefined) return { status: 'void', kind: 'json', reason: 'no answer' };
  const size = new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)).length;
  if (size > entry.max_answer_bytes) {
    const reason = `answer of ${size} bytes, at most ${entry.max_answer_bytes}`;
    return { status: 'void', kind: 'budget', reason };
  }
  const parsed = typeof value === 'string' ? parseAnswer(value, entry) : checkJson(value);
  const answerDigest = sha256Hex(typeof value === 'string' ? value : JSON.stringify(value));
  if (parsed.status === 'refused') return { status: 'void', kind: 'json', reason: parsed.reason, answerDigest };
  const check = await checkAnswer(entry, parsed.value, sent);
  if (check.status === 'valid') return { status: 'sound', answer: parsed.value };
  const brokenRule = check.rule === undefined ? {} : { brokenRule: check.rule };
  return { status: 'void', kind: 'schema', reason: check.reason, ...brokenRule, answerDigest };
}
