import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgePatches, packageOf, worstRank } from '../judge-fixture.ts';
import { type Fixture, loadFixtures } from '../load-fixtures.ts';
import { hashes } from '../run-fixture.ts';
import { type HResult, runH, summaryOf, withTemporary } from '../run-h.ts';

/** One of each language, and one that no template mends; `npm run check:fixtures` runs all, from the packed libraries. */
const CHOSEN = ['meter-billing-py', 'http-cache-js', 'parcel-tracker-py'];
const fixtures = loadFixtures().filter(({ name }) => CHOSEN.includes(name));
const FIVE_MINUTES = 300_000;
/** Less than the default, so that the tests stay short; every repairable fixture must be mended within it. */
const BUDGET = '60';

/** Runs `h run` on a fixture, with runs kept outside it. */
function runFixture(fixture: Fixture, out: string, ...args: string[]): Promise<HResult> {
  return runH(['run', '--repo', fixture.repo, '--out', out, '--json', '--budget', BUDGET, ...args]);
}

describe.each(fixtures.filter(({ repairable }) => repairable))('h run on $name', (fixture) => {
  it(
    'ranks the fault among the first five and finds a patch that passes the hidden tests',
    () =>
      withTemporary(async (out) => {
        const before = hashes(fixture.repo);
        const result = await runFixture(fixture, out);
        expect(result.exitCode, result.stderr).toBe(0);
        const { summary, dir } = summaryOf(result);
        expect(summary.tests.failing.toSorted()).toEqual(fixture.failing.toSorted());
        expect(worstRank(dir, fixture)).toBeLessThanOrEqual(5);
        for (const patch of summary.patches) expect(patch.regression_status).not.toBe('PROTECTED');
        expect((await judgePatches(fixture, summary, dir)).right).not.toEqual([]);
        expect(summary.observation?.pack_observations).toBeGreaterThan(0);
        const { raw_bytes = 0, pack_bytes = 0 } = summary.observation ?? {};
        expect(pack_bytes).toBeLessThan(raw_bytes);
        expect(hashes(fixture.repo)).toEqual(before);
      }),
    FIVE_MINUTES,
  );
});

describe.each(fixtures.filter(({ repairable }) => !repairable))(
  'h run on $name, out of reach of the templates',
  (fixture) => {
    it(
      'diagnoses and claims no patch',
      () =>
        withTemporary(async (out) => {
          const result = await runFixture(fixture, out, '--budget', '25');
          expect(result.exitCode, result.stderr).toBe(1);
          const { summary } = summaryOf(result);
          expect(summary.patches).toEqual([]);
          expect(summary.localization?.top.length).toBeGreaterThan(0);
        }),
      FIVE_MINUTES,
    );
  },
);

const decoys = fixtures.flatMap((fixture) =>
  fixture.decoys.map((decoy) => ({ fixture, decoy, name: `${fixture.name}: ${decoy.name}` })),
);

describe.each(decoys)('the decoy $name', ({ fixture, decoy }) => {
  it(
    'is DIVERGENT, with the tests it breaks',
    () =>
      withTemporary(async (out) => {
        const file = join(out, 'decoy.json');
        writeFileSync(file, JSON.stringify(packageOf(decoy)));
        const result = await runFixture(fixture, out, '--candidates', file);
        expect(result.exitCode, result.stderr).toBe(2);
        const { summary, dir } = summaryOf(result);
        expect(summary.patches.map((patch) => patch.regression_status)).toEqual(['DIVERGENT']);
        const entry = readFileSync(
          join(dir, (summary.patches[0]?.file ?? '').replace('.diff', '.ledger-entry.json')),
          'utf8',
        );
        for (const test of decoy.breaks) expect(entry).toContain(JSON.stringify(test).slice(1, -1));
      }),
    FIVE_MINUTES,
  );
});
