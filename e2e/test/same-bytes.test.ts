import { describe, expect, it } from 'vitest';
import { loadFixtures } from '../load-fixtures.ts';
import { hashes } from '../run-fixture.ts';
import { runH, summaryOf, withTemporary } from '../run-h.ts';

const fixture = loadFixtures().find(({ name }) => name === 'meter-billing-py');
if (fixture === undefined) throw new Error('no meter-billing-py');

describe('h run, twice', () => {
  it(
    'has the same id and writes the same bytes, but for measured/',
    () =>
      withTemporary(async (first) =>
        withTemporary(async (second) => {
          const runs = [];
          for (const out of [first, second]) {
            const result = await runH(['run', '--repo', fixture.repo, '--out', out, '--json', '--budget', '20']);
            expect(result.exitCode, result.stderr).toBe(0);
            runs.push(summaryOf(result));
          }
          const [a, b] = runs.map(({ dir }) =>
            Object.fromEntries(Object.entries(hashes(dir)).filter(([path]) => !path.startsWith('measured/'))),
          );
          expect(runs[0]?.summary.run_id).toBe(runs[1]?.summary.run_id);
          expect(Object.keys(a ?? {}).length).toBeGreaterThan(8);
          expect(a).toEqual(b);
        }),
      ),
    240_000,
  );
});
