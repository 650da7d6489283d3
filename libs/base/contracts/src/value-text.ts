// An observed value as it travels: bounded text.
import { z } from 'zod';
import { boundedText, count, optional, record } from './define-record.ts';

export const ValueText = record(
  'ValueText',
  "An observed value: bounded, free of addresses, made without running the target's own code.",
  {
    type: z.string(),
    text: boundedText(4096).describe('Depth 4, 20 items a container, 200 characters a string, 4 KiB in all.'),
    truncated: z.boolean(),
    masked: optional(
      z
        .literal(true)
        .describe(
          'A secret was in it: "‹masked: why›" stands for it. Not observed: equal to no value, unequal to none.',
        ),
    ),
    ref: optional(count.describe('Serial of the object within the run, from 0: equal refs are the same object.')),
  },
);
export type ValueText = z.infer<typeof ValueText>;
