// Records of the one bounded model call, a part of `generation`.
import { z } from 'zod';
import { boundedText, bytes, count, exactRecord, Json, optional, place, record, Sha } from './define-record.ts';

export const ModelUsage = record('ModelUsage', 'Tokens of one call.', {
  prompt_tokens: count.describe('Tokens sent.'),
  completion_tokens: count.describe('Tokens received.'),
  cost: optional(z.number().min(0).describe('US dollars.')),
});
export type ModelUsage = z.infer<typeof ModelUsage>;

export const SearchReplaceAnswer = exactRecord('SearchReplaceAnswer', 'Model answer, one block a candidate, strict.', {
  candidates: z
    .array(z.strictObject({ search: z.string(), replace: z.string() }))
    .max(10)
    .describe('At most ten, in the order given.'),
});
export type SearchReplaceAnswer = z.infer<typeof SearchReplaceAnswer>;

export const WholeFileAnswer = exactRecord('WholeFileAnswer', 'Model answer, whole files, strict.', {
  candidates: z
    .array(z.strictObject({ content: z.string() }))
    .max(10)
    .describe('At most ten, in the order given.'),
});
export type WholeFileAnswer = z.infer<typeof WholeFileAnswer>;

export const MultiEditAnswer = exactRecord(
  'MultiEditAnswer',
  'Model answer with `multi_edit`: a list of blocks a candidate, strict.',
  {
    candidates: z
      .array(
        z
          .array(z.strictObject({ search: z.string(), replace: z.string() }))
          .min(1)
          .describe('Blocks in source order, never overlapping.'),
      )
      .max(10)
      .describe('At most ten, in the order given.'),
  },
);
export type MultiEditAnswer = z.infer<typeof MultiEditAnswer>;

export const ModelRequest = record('ModelRequest', 'The one question a stage may ask.', {
  entry: z.string(),
  messages: z
    .array(z.strictObject({ role: z.enum(['system', 'user']), content: z.string() }))
    .min(1)
    .describe('In the order they are sent.'),
  schema: z.record(z.string(), Json).describe('JSON Schema of the answer, by keyword.'),
  requested: z.strictObject({
    temperature: z.number().min(0).describe('0: the most likely answer.'),
    max_tokens: place.describe('Tokens of the answer at most.'),
    seed: z.int().describe('Any whole number; equal seeds ask for equal answers.'),
  }),
  payload_bytes: bytes.describe('UTF-8 bytes of all messages.'),
});
export type ModelRequest = z.infer<typeof ModelRequest>;

export const ModelOutcome = record('ModelOutcome', 'How the one call ended.', {
  kind: z.enum([
    'ok',
    'schema',
    'json',
    'truncated',
    'refusal',
    'tool_call',
    'transport',
    'timeout',
    'rate',
    'auth',
    'budget',
    'replay_miss',
  ]),
  value: optional(Json.describe('Only with kind ok.')),
  detail: optional(
    boundedText(512).describe('What was seen, in words of our own: "HTTP 404". Holds nothing of the reply.'),
  ),
  sent: z.record(z.string(), Json).describe('Parameters as they were sent, by name.'),
  usage: optional(ModelUsage.describe('Absent: the provider did not say.')),
  request_digest: Sha.describe('SHA-256 of the RFC 8785 form of the request.'),
});
export type ModelOutcome = z.infer<typeof ModelOutcome>;
