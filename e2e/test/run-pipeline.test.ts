import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readEnvelope } from '@h/contracts';
import { applyPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { type Fixture, type FixtureEdit, loadFixtures } from '../load-fixtures.ts';
import { type HResult, runH, summaryOf, withTemporary } from '../run-h.ts';
import { hashes, runTests, withCopy } from './run-fixture.ts';

const fixtures = loadFixtures();
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
        expect(worstRank(dir, `${fixture.fault.file}:${fixture.fault.line}`)).toBeLessThanOrEqual(5);
        const passing: string[] = [];
        for (const patch of summary.patches) {
          expect(patch.regression_status).not.toBe('PROTECTED');
          if (await passesHiddenTests(fixture, patch.path, readFileSync(join(dir, patch.file), 'utf8')))
            passing.push(patch.file);
        }
        expect(passing).not.toEqual([]);
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

function packageOf({ path, search, replace }: FixtureEdit) {
  return { schema: 'h/edit-package/1', data: { files: [{ path, op: 'edit', blocks: [{ search, replace }] }] } };
}

/** The last place the statement could have: all statements of its tier and score are taken to stand before it. */
function worstRank(dir: string, location: string): number {
  const { statements } = readEnvelope('SpectrumReport', readFileSync(join(dir, 'spectrum-report.json'), 'utf8'));
  const found = statements.find((statement) => statement.location === location);
  const tied = statements.filter(({ tier, score }) => tier === found?.tier && score === found?.score);
  return found === undefined ? Number.POSITIVE_INFINITY : Math.max(...tied.map(({ rank }) => rank));
}

async function passesHiddenTests(fixture: Fixture, path: string, diff: string): Promise<boolean> {
  return withCopy(fixture, async (copy) => {
    const patched = applyPatch(readFileSync(join(copy, path), 'utf8'), diff);
    if (patched === false) throw new Error(`the patch does not apply:\n${diff}`);
    writeFileSync(join(copy, path), patched);
    for (const { file, target } of fixture.fix_tests) {
      mkdirSync(dirname(join(copy, target)), { recursive: true });
      cpSync(join(fixture.dir, 'fix_tests', file), join(copy, target));
    }
    return Object.values(await runTests(fixture, copy)).every((outcome) => outcome === 'passed');
  });
}
