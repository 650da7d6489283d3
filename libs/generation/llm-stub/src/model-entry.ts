import type { JsonSchema } from '@h/contracts';

/**
 * One question a stage may ask, as plain JSON data: what it costs at most, what goes in and in which order, when it may be asked at
 * all, and what an answer must be. Nothing in it is code, so it can be printed, hashed, compared and defined by any library.
 */
export interface ModelEntry {
  /** Written into every request: "hypothesis/1". The number grows with each change of a word or a bound. */
  readonly name: string;
  readonly temperature: number;
  /** Tokens of the answer at most; what a model spends on reasoning is the provider's to allow. */
  readonly max_tokens: number;
  /** Sent along, unless the call names another; equal seeds ask for equal answers. */
  readonly seed: number;
  /** The system message, verbatim. */
  readonly instructions: string;
  /** The prompt inputs in the order they are sent; what the caller passes beside them is refused. */
  readonly inputs: readonly EntryInput[];
  /** UTF-8 bytes of all messages; beyond them nothing is sent. */
  readonly max_payload_bytes: number;
  /** UTF-8 bytes of the answer; beyond them it is not read. */
  readonly max_answer_bytes: number;
  /** All must hold, else no request is made. */
  readonly fires_on: readonly FiringCondition[];
  /** JSON Schema (draft 2020-12) of the answer; `$schema` and `$id` left out, since some servers refuse them. */
  readonly schema: JsonSchema;
  /** What the schema cannot say, because it depends on the input. */
  readonly answer_rules: readonly AnswerRule[];
  /** An answer that is one Markdown fence and nothing else is taken for what stands in it; absent: a fence is no JSON. */
  readonly unfence?: true;
  /** What the stage goes on with where there is no answer: the documented no-op, handed back with each. */
  readonly fallback: JsonValue;
}

/** Plain JSON. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export interface EntryInput {
  readonly name: string;
  /** UTF-8 bytes of its JSON. A list loses items from its end until it fits; anything else stops the call. */
  readonly max_bytes: number;
  /** Items kept of a list; absent: as many as fit. */
  readonly max_items?: number;
  /** Characters kept of each text inside, two thirds from its start and one third from its end; absent: whole. */
  readonly max_text?: number;
  /** Sent as it is or not at all: no item and no character is left out. */
  readonly verbatim?: true;
}

/** `path` is a dotted path into the input. `be_a_span`: whole lines [first, last] from 1, first ≤ last. */
export interface FiringCondition {
  readonly path: string;
  readonly must: 'be_nonempty' | 'be_a_span';
}

/** `path` is a dotted path into the answer, `[]` meaning every item: "annotations[].divergence_id". */
export type AnswerRule =
  | { readonly name: string; readonly path: string; readonly must: 'be_unique' }
  | { readonly name: string; readonly path: string; readonly must: 'be_among'; readonly of: string };
