import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, loadFixtures } from '../load-fixtures.ts';
import { applyEdit, hashes, requirePytest, runTests, typecheck, withCopy } from '../run-fixture.ts';

const fixtures = loadFixtures();

/** The ids that did not pass, in order. */
function notPassed(outcomes: Record<string, string>): string[] {
  return Object.keys(outcomes)
    .filter((test) => outcomes[test] !== 'passed')
    .sort();
}

function sorted(tests: readonly string[]): string[] {
  return [...tests].sort();
}

function addFixTests(fixture: Fixture, copy: string): void {
  for (const { file, target } of fixture.fix_tests) {
    cpSync(join(fixture.dir, 'fix_tests', file), join(copy, target), { errorOnExist: true, force: false });
  }
}

function ofFixTests(fixture: Fixture, outcomes: Record<string, string>): Record<string, string> {
  const targets = fixture.fix_tests.map(({ target }) => target);
  const isFixTest = (test: string) =>
    targets.some((target) => test.startsWith(`${target}::`) || test.startsWith(`${target} > `));
  return Object.fromEntries(Object.entries(outcomes).filter(([test]) => isFixTest(test)));
}

describe('the set', () => {
  it('has projects of every runner, and two faults out of reach', () => {
    expect(fixtures.map((fixture) => fixture.runner).sort()).toEqual([
      'node:test',
      'pytest',
      'pytest',
      'pytest',
      'unittest',
      'unittest',
      'vitest',
      'vitest',
      'vitest',
    ]);
    expect(fixtures.filter((fixture) => !fixture.repairable)).toHaveLength(2);
  });

  it('needs different templates for the repairable faults', () => {
    const templates = fixtures.flatMap(({ template }) => template ?? []);
    expect(new Set(templates).size).toBe(6);
  });

  it('has a decoy in each language', () => {
    const languages = fixtures.flatMap((fixture) => fixture.decoys.map(() => fixture.language));
    expect([...new Set(languages)].sort()).toEqual(['javascript', 'python', 'typescript']);
  });

  it('keeps a source file with CRLF line ends', () => {
    const text = readFileSync(
      join(fixtures.find(({ name }) => name === 'parcel-tracker-py')?.repo ?? '', 'parcels/carriers.py'),
      'utf8',
    );
    expect(text.match(/\r\n/g)?.length).toBe(text.split('\n').length - 1);
  });
});

describe.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('%s', (_name, fixture) => {
  const before = hashes(fixture.repo);

  beforeAll(async () => {
    if (fixture.runner === 'pytest') {
      await requirePytest();
    }
  });

  it('fails in the recorded tests and passes in at least 14 others', async () => {
    const outcomes = await withCopy(fixture, (copy) => runTests(fixture, copy));
    expect(notPassed(outcomes)).toEqual(sorted(fixture.failing));
    expect(Object.keys(outcomes).length - fixture.failing.length).toBeGreaterThanOrEqual(14);
  });

  it('has its fault inside the text that the fix replaces', () => {
    const text = readFileSync(join(fixture.repo, fixture.fix.path), 'utf8');
    const first = text.slice(0, text.indexOf(fixture.fix.search)).split('\n').length;
    const last = first + fixture.fix.search.trimEnd().split('\n').length - 1;
    expect(fixture.fault.file).toBe(fixture.fix.path);
    expect(fixture.fault.line).toBeGreaterThanOrEqual(first);
    expect(fixture.fault.line).toBeLessThanOrEqual(last);
  });

  it('passes everything with the fix, the hidden tests too', async () => {
    const outcomes = await withCopy(fixture, async (copy) => {
      addFixTests(fixture, copy);
      applyEdit(copy, fixture.fix);
      return runTests(fixture, copy);
    });
    expect(notPassed(outcomes)).toEqual([]);
    expect(Object.keys(ofFixTests(fixture, outcomes)).length).toBeGreaterThanOrEqual(5);
  });

  it('fails in some hidden tests without the fix, and passes in others', async () => {
    const outcomes = await withCopy(fixture, async (copy) => {
      addFixTests(fixture, copy);
      return runTests(fixture, copy);
    });
    const hidden = ofFixTests(fixture, outcomes);
    const failed = notPassed(hidden);
    expect(failed.length).toBeGreaterThanOrEqual(2);
    expect(failed.length).toBeLessThan(Object.keys(hidden).length);
    expect(notPassed(outcomes)).toEqual(sorted([...fixture.failing, ...failed]));
  });

  const decoys = fixture.decoys.map((decoy) => [decoy.name, decoy] as const);
  it.each(decoys)('decoy "%s" mends the failing tests and breaks what it says', async (_name, decoy) => {
    const outcomes = await withCopy(fixture, async (copy) => {
      applyEdit(copy, decoy);
      return runTests(fixture, copy);
    });
    expect(notPassed(outcomes)).toEqual(sorted(decoy.breaks));
    expect(fixture.failing.filter((test) => decoy.breaks.includes(test))).toEqual([]);
  });

  if (fixture.language === 'typescript') {
    it('type-checks with the fault and with the fix', async () => {
      await withCopy(fixture, async (copy) => {
        expect(await typecheck(copy)).toBe('');
        applyEdit(copy, fixture.fix);
        addFixTests(fixture, copy);
        expect(await typecheck(copy)).toBe('');
      });
    });
  }

  it('is as it was: all of this ran in copies', () => {
    expect(hashes(fixture.repo)).toEqual(before);
  });
});
