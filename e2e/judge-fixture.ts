// What a run of `h` on a fixture is worth, by what is known about the fault: shared by the tests and by `npm run check:fixtures`.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RunSummary, readEnvelope } from '@h/contracts';
import { applyPatch } from 'diff';
import type { Fixture, FixtureEdit } from './load-fixtures.ts';
import { runTests, withCopy } from './run-fixture.ts';

/** The last place the faulty statement could have: all statements of its tier and score are taken to stand before it. */
export function worstRank(dir: string, { fault }: Fixture): number {
  const location = `${fault.file}:${fault.line}`;
  const { statements } = readEnvelope('SpectrumReport', readFileSync(join(dir, 'spectrum-report.json'), 'utf8'));
  const found = statements.find((statement) => statement.location === location);
  const tied = statements.filter(({ tier, score }) => tier === found?.tier && score === found?.score);
  return found === undefined ? Number.POSITIVE_INFINITY : Math.max(...tied.map(({ rank }) => rank));
}

/** Patches of a run by whether the hidden tests and the project's own pass with them. */
export async function judgePatches(fixture: Fixture, summary: RunSummary, dir: string) {
  const right: string[] = [];
  const wrong: string[] = [];
  for (const { path, file } of summary.patches) {
    const passes = await passesHiddenTests(fixture, path, readFileSync(join(dir, file), 'utf8'));
    (passes ? right : wrong).push(file);
  }
  return { right, wrong };
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

/** A recorded edit as `h run --candidates` takes it. */
export function packageOf({ path, search, replace }: FixtureEdit) {
  return { schema: 'h/edit-package/1', data: { files: [{ path, op: 'edit', blocks: [{ search, replace }] }] } };
}
