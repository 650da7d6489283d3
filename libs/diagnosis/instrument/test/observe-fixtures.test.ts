// The repository's fixtures: the failing test of each, observed twice.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { languageOf } from '@h/syntax';
import { describe, expect, test } from 'vitest';
import { holdsProbes, observeTest, planProbes, planTrace } from '../src/index.ts';
import { openTarget, readFolder } from './open-target.ts';
import { failureAt, ranked, shapeOf } from './program-of.ts';

const FIXTURES = ['meter-billing-py', 'shift-roster-py', 'parcel-tracker-py', 'job-queue-ts', 'bank-import-ts'];
const root = join(import.meta.dirname, '../../../../fixtures');

interface Fixture {
  readonly failing: readonly string[];
  readonly fault: { readonly file: string; readonly line: number };
}

describe.each(FIXTURES)('%s', (name) => {
  test('the failing test passes through the fault, twice the same', async () => {
    const { failing, fault }: Fixture = JSON.parse(readFileSync(join(root, name, 'fixture.json'), 'utf8'));
    const target = await openTarget(readFolder(`fixtures/${name}/repo`));
    try {
      const sources = Object.entries(target.files).filter(([path]) => languageOf(path) !== undefined);
      const shape = shapeOf(Object.fromEntries(sources));
      const failure = failureAt(`${fault.file}:${fault.line}`);
      const plan = planProbes({ ...shape, candidates: ranked(), failure });
      const trace = planTrace(plan, { ...shape, tests: failing });
      const setting = target.setting(failing[0] ?? '');
      const [one, two] = [
        await observeTest({ ...setting, plan, trace }),
        await observeTest({ ...setting, plan, trace }),
      ];
      expect(one).toMatchObject({ outcome: 'failed', truncated: false, notes: [] });
      expect(one.rows.map(({ location }) => location)).toContain(plan.probe_points[0]?.location);
      expect(one.rows.every(({ sequence, control_parent = -1 }) => control_parent < sequence)).toBe(true);
      expect(JSON.stringify(two)).toBe(JSON.stringify(one));
      for (const text of Object.values(target.files)) expect(holdsProbes(text)).toBe(false);
    } finally {
      await target.sandbox.close();
    }
  }, 120_000);
});
