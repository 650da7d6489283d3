// Clause 13 on a hundred programs of the real agents; `npm run check:slices` does two thousand.
import { expect, test } from 'vitest';
import { checkPrograms } from '../check/check-programs.ts';

const seeds = Array.from({ length: 140 }, (_, at) => 9001 + at);

test.each(['python', 'javascript'] as const)(
  '%s: what a slice leaves out does not change the result, and the mistake is in it',
  async (language) => {
    const checked = await checkPrograms({ language, seeds, most: 12 });
    expect(checked.unsound).toEqual([]);
    expect(checked.programs).toBeGreaterThanOrEqual(50);
    // The check can fail: values that are in the slice do matter.
    expect(checked.insideMattered).toBeGreaterThan(20);
    expect(checked.faultInSlice / checked.programs).toBeGreaterThan(0.9);
    expect(checked.omitted.length / checked.outside).toBeLessThan(0.005);
  },
  60_000,
);
