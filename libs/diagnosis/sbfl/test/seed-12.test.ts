// Seed 12, row 1 (§3.1, §5 phase 1, §8), clause by clause, with the contradiction of design/seeds.md resolved as there.
import { readdirSync, readFileSync } from 'node:fs';
import { CandidateProbePoints, checkRecord, type Spectrum } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { ochiai, PROBE_POINT_CAP, projectProbePoints, rankStatements } from '../src/index.ts';
import { drawSpectrum } from './draw-spectrum.ts';

const points = (spectrum: Spectrum, options = {}) =>
  projectProbePoints(rankStatements(spectrum, options)).candidate_probe_points;

const mixed = drawSpectrum(`
        F1 F2 P1 P2 P3
    a:1 x  x  x  x  x
    a:2 x  x  .  .  .
    a:3 x  .  x  .  .
    a:4 x  x  x  .  .
    a:5 .  .  x  x  x`);

/** One failing and one passing test over many statements, each with a share of the passing test. */
const large = (size: number): Spectrum => ({
  tests: [
    { id: 'f', outcome: 'failed' },
    { id: 'p', outcome: 'passed' },
  ],
  statements: Array.from({ length: size }, (_, index) => ({
    file: 'a.py',
    first: index + 1,
    last: index + 1,
    kind: 'statement' as const,
  })),
  hits: [`0-${size - 1}`, `0-${Math.floor(size / 3)}`],
});

describe('§3.1 failure-site and coverage analysis', () => {
  test('suspiciousness(s) = failed(s) / sqrt(total_failed × (failed(s) + passed(s)))', () => {
    for (const { location, suspiciousness, failed_runs, passed_runs } of points(mixed)) {
      const byHand = failed_runs / Math.sqrt(2 * (failed_runs + passed_runs));
      if (location !== 'a:1') expect(suspiciousness).toBeCloseTo(byHand, 15);
      if (location !== 'a:1')
        expect(suspiciousness).toBe(
          ochiai({ failed: failed_runs, passed: passed_runs, totalFailed: 2, totalPassed: 3 }),
        );
    }
  });

  test('a statement in every failing run and no passing run scores 1.0', () =>
    expect(points(mixed)[0]).toEqual({ rank: 1, location: 'a:2', suspiciousness: 1, failed_runs: 2, passed_runs: 0 }));

  test('one executed by all runs regardless of outcome scores 0.0', () =>
    expect(points(mixed).find(({ location }) => location === 'a:1')).toMatchObject({
      suspiciousness: 0,
      failed_runs: 2,
      passed_runs: 3,
    }));

  test('failed_runs and passed_runs are the runs that executed it', () =>
    expect(points(mixed).map(({ location, failed_runs, passed_runs }) => [location, failed_runs, passed_runs])).toEqual(
      [
        ['a:2', 2, 0],
        ['a:4', 2, 1],
        ['a:3', 1, 1],
        ['a:1', 2, 3],
      ],
    ));

  test('the output schema is exact: one list, five fields, suspiciousness from 0 to 1.0', () => {
    const record = projectProbePoints(rankStatements(mixed));
    checkRecord(CandidateProbePoints, record);
    expect(Object.keys(record)).toEqual(['candidate_probe_points']);
    for (const point of record.candidate_probe_points) {
      expect(Object.keys(point).sort()).toEqual(['failed_runs', 'location', 'passed_runs', 'rank', 'suspiciousness']);
      expect(point.location).toMatch(/^[^:]+:[1-9]\d*$/);
      expect(point.suspiciousness).toBeGreaterThanOrEqual(0);
      expect(point.suspiciousness).toBeLessThanOrEqual(1);
    }
  });

  test.each([49, 50, 51, 5000])(
    'bounded to the top-50 statements, never a whole-program plan: %i statements',
    (size) => {
      const found = points(large(size));
      expect(PROBE_POINT_CAP).toBe(50);
      expect(found).toHaveLength(Math.min(size, 50));
      expect(found.map(({ rank }) => rank)).toEqual(found.map((_, index) => index + 1));
    },
  );

  test('anything below the cap is discarded: what is kept is the head of the whole ranking', () => {
    const spectrum = large(200);
    const whole = rankStatements(spectrum).statements.slice(0, 50);
    expect(points(spectrum).map(({ location }) => location)).toEqual(whole.map(({ location }) => location));
  });

  test('§5 phase 1: ranked descending', () => {
    const scores = [...points(mixed), ...points(large(60))].map(({ suspiciousness }) => suspiciousness);
    const [first, second] = [scores.slice(0, 4), scores.slice(4)];
    expect(first).toEqual([...first].sort((a, b) => b - a));
    expect(second).toEqual([...second].sort((a, b) => b - a));
  });

  test('§5 phase 1, §8 invariant 1: no language model is consulted, nor anything else outside', () => {
    const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      dependencies: object;
    };
    expect(Object.keys(dependencies)).toEqual(['@h/contracts']);
    const folder = new URL('../src/', import.meta.url);
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    expect(sources.length).toBeGreaterThan(10);
    for (const name of sources) {
      const text = readFileSync(new URL(name, folder), 'utf8');
      const imported = [...text.matchAll(/ from '([^']+)'/g)].map(([, from = '']) => from);
      expect(
        imported.filter((from) => from !== '@h/contracts' && !from.startsWith('.')),
        name,
      ).toEqual([]);
      expect(text, name).not.toMatch(/\bfetch\(|\bimport\(/);
    }
  });

  test('§3 deterministic: same input, same bytes', () =>
    expect(JSON.stringify(points(mixed))).toBe(JSON.stringify(points(structuredClone(mixed)))));
});

describe('design/seeds.md, contradiction 1: the formula and "executed by all runs scores 0.0"', () => {
  const everyRun = drawSpectrum(`
          F1 P1
      a:1 x  x
      a:2 x  x
      a:3 x  x`);

  test('the first reading: ochiai is the pure formula and gives √(F / (F + P)) there; the ranking carries it', () => {
    expect(rankStatements(everyRun).statements.map(({ score, tier }) => [score, tier])).toEqual(
      Array.from({ length: 3 }, () => [Math.SQRT1_2, 'reserve']),
    );
  });

  test('the second reading: reported as 0.0, behind the discriminating ones; zero never means removed', () => {
    expect(points(everyRun).map(({ suspiciousness }) => suspiciousness)).toEqual([0, 0, 0]);
    expect(
      points(mixed)
        .map(({ location }) => location)
        .at(-1),
    ).toBe('a:1');
  });

  test('reserve fills the plan where fewer discriminating points exist, ordered by the tie-break', () =>
    expect(points(everyRun, { lastLines: { F1: ['a:2', 'a:3'] } }).map(({ location }) => location)).toEqual([
      'a:2',
      'a:3',
      'a:1',
    ]));

  test('no passing run: the rule is off, the verdict is no_contrast, order by the tie-break alone', () => {
    const spectrum = drawSpectrum(`F1 F2\na:1 x x\na:2 x .\na:3 x x`);
    const report = rankStatements(spectrum, { lastLines: { F1: ['a:2', 'a:3'] } });
    expect(report.verdict).toBe('no_contrast');
    expect(report.statements.map(({ location, tier }) => [location, tier])).toEqual([
      ['a:2', 'discriminating'],
      ['a:3', 'discriminating'],
      ['a:1', 'discriminating'],
    ]);
    expect(points(spectrum).map(({ suspiciousness }) => suspiciousness)).toEqual([1, Math.SQRT1_2, 1]);
  });

  test('row 1: other formulas and per-test rankings never feed the record of the seed', () =>
    expect(() => projectProbePoints(rankStatements(mixed, { formula: 'dstar' }))).toThrow(
      expect.objectContaining({ code: 'not_the_seed_formula' }),
    ));
});
