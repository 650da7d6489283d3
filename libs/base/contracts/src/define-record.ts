// What every record is made of: strict objects with a registered name, and the scalar forms they share.
import { z } from 'zod';

/** A strict object with a registered name, so that its JSON Schema can be emitted and referenced. */
export function record<Shape extends z.core.$ZodLooseShape>(id: string, description: string, shape: Shape) {
  return z.strictObject(shape).meta({ id, description });
}

/** As `record`, for the few records the sources fix field by field: a reader refuses unknown keys of these too. */
export function exactRecord<Shape extends z.core.$ZodLooseShape>(id: string, description: string, shape: Shape) {
  return z.strictObject(shape).meta({ id, description, exact: true });
}

/** A key that may be absent; a present key is never `undefined`, so that records survive a JSON round trip unchanged. */
export const optional = z.exactOptional;

/** Text of at most `max` characters, counted in code points: as JSON Schema counts them, and never more than UTF-16 units. */
export function boundedText(max: number) {
  return z
    .string()
    .regex(new RegExp(`^[\\s\\S]{0,${max}}$`, 'u'), `at most ${max} characters`)
    .meta({ maxLength: max });
}

export const Sha = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'a lower-case hexadecimal SHA-256 (64 digits)')
  .meta({ id: 'Sha', description: 'Lower-case hexadecimal SHA-256 of the bytes it names.' });
export type Sha = z.infer<typeof Sha>;

export const RepoPath = z
  .string()
  .min(1)
  .meta({ id: 'RepoPath', description: 'Path relative to the repository root, with "/".' });
export type RepoPath = z.infer<typeof RepoPath>;

export const Loc = z
  .string()
  .regex(/^[^\n]+:[1-9][0-9]*$/, '"file:line" with a line from 1')
  .meta({ id: 'Loc', description: '"file:line": path relative to the repository root, line 1-based.' });
export type Loc = z.infer<typeof Loc>;

export const TestId = z.string().min(1).meta({
  id: 'TestId',
  description:
    "The runner's own name of a test: pytest's node id; unittest `file::Class::method`; vitest, jest, mocha and node:test `file > suite > name`, duplicates ` #2` in file order; `command`: the label given.",
});
export type TestId = z.infer<typeof TestId>;

export const LineSet = z
  .string()
  .regex(
    /^((0|[1-9][0-9]*)(-[1-9][0-9]*)?(,(0|[1-9][0-9]*)(-[1-9][0-9]*)?)*)?$/,
    'ascending ranges such as "1-4,7,9-12"',
  )
  .meta({
    id: 'LineSet',
    description: 'A set of whole numbers as ascending ranges: "1-4,7,9-12". Lines are 1-based. Empty string: none.',
  });
export type LineSet = z.infer<typeof LineSet>;

export const Span = z
  .tuple([z.int().min(1), z.int().min(1)])
  .meta({ id: 'Span', description: 'Lines [first, last], 1-based, both inclusive, first ≤ last.' });
export type Span = z.infer<typeof Span>;

export const LineRange = z.tuple([z.int().min(1), z.int().min(1)]).meta({
  id: 'LineRange',
  description: 'Lines [start, end), 1-based, half-open, start ≤ end; start = end is an insertion point.',
});
export type LineRange = z.infer<typeof LineRange>;

export const Text = z
  .strictObject({
    encoding: z.enum(['utf8', 'base64']).describe('base64 only where the bytes are not valid UTF-8.'),
    data: z.string().describe('The text itself, or the RFC 4648 base64 of the bytes.'),
  })
  .meta({ id: 'Text', description: 'Text or bytes, with how they are written.' });
export type Text = z.infer<typeof Text>;

export const Json = z.json().meta({
  id: 'Json',
  description: 'Any JSON value. A key named "__proto__" is not kept.',
});
export type Json = z.infer<typeof Json>;

/** A whole number from 0. */
export const count = z.int().min(0);
/** A 1-based place in an order. */
export const place = z.int().min(1);
export const milliseconds = z.number().min(0).describe('Milliseconds.');
export const bytes = z.int().min(0).describe('Bytes.');
export const fraction = z.number().min(0).max(1);
