import { CandidateProbePoints, checkRecord, type RankedStatement, type SpectrumReport } from '@h/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSpectrum, PROBE_POINT_CAP, projectProbePoints, rankStatements } from '../src/index.ts';
import { codeOf } from './code-of.ts';
import { drawSpectrum } from './draw-spectrum.ts';

const project = (drawing: string, lastLines: Record<string, string[]> = {}) =>
  projectProbePoints(rankStatements(drawSpectrum(drawing), { lastLines })).candidate_probe_points;

describe('projectProbePoints', () => {
  test('is exactly the form of the seed: these five fields, in rank order', () => {
    const points = project(`
          F1 F2 P1
      a:1 x  x  .
      a:2 x  .  x`);
    expect(points).toStrictEqual([
      { rank: 1, location: 'a:1', suspiciousness: 1, failed_runs: 2, passed_runs: 0 },
      { rank: 2, location: 'a:2', suspiciousness: 0.5, failed_runs: 1, passed_runs: 1 },
    ]);
    expect(Object.keys(points[0] ?? {})).toEqual(['rank', 'location', 'suspiciousness', 'failed_runs', 'passed_runs']);
  });

  test('executed by every run: 0.0, last, and still there', () => {
    expect(
      project(`
          F1 P1
      a:1 x  x
      a:2 x  .`),
    ).toStrictEqual([
      { rank: 1, location: 'a:2', suspiciousness: 1, failed_runs: 1, passed_runs: 0 },
      { rank: 2, location: 'a:1', suspiciousness: 0, failed_runs: 1, passed_runs: 1 },
    ]);
  });

  test('every statement in reserve: all of them, at 0.0, in the order of the tie-break', () => {
    expect(
      project(`F1 P1\na:1 x x\na:2 x x`, { F1: ['a:2'] }).map(({ location, suspiciousness }) => [
        location,
        suspiciousness,
      ]),
    ).toEqual([
      ['a:2', 0],
      ['a:1', 0],
    ]);
  });

  test('no passing run: the formula as it is, in the order of the tie-break', () => {
    const points = project(`F1 F2\na:1 x x\na:2 x .`, { F1: ['a:2', 'a:1'] });
    expect(points.map(({ location, suspiciousness }) => [location, suspiciousness])).toEqual([
      ['a:2', Math.SQRT1_2],
      ['a:1', 1],
    ]);
  });

  test('imports and definitions are no probe points; ranks have no gaps', () => {
    const points = project(`
          F1 P1
      a:1 x  .  import
      a:2 x  .  def
      a:3 x  x  `);
    expect(points).toMatchObject([{ rank: 1, location: 'a:3' }]);
  });

  test('a report without kinds, from another writer, counts all as statements', () => {
    const report = rankStatements(drawSpectrum(`F1 P1\na:1 x . def`));
    const statements = report.statements.map(({ kind: _, ...statement }): RankedStatement => statement);
    expect(projectProbePoints({ ...report, statements }).candidate_probe_points).toHaveLength(1);
  });

  test('at most fifty, the first of the report', () => {
    const builder = buildSpectrum(
      Array.from({ length: 80 }, (_, index) => ({
        file: 'a',
        first: index + 1,
        last: index + 1,
        kind: 'statement' as const,
      })),
    );
    const report = rankStatements(
      builder
        .add({ id: 'F', outcome: 'failed', hits: '0-79' })
        .add({ id: 'P', outcome: 'passed', hits: '0-9' })
        .spectrum(),
    );
    const { candidate_probe_points: points } = projectProbePoints(report);
    expect(report.statements).toHaveLength(80);
    expect(points).toHaveLength(PROBE_POINT_CAP);
    expect(points.map(({ location }) => location)).toEqual(
      report.statements.slice(0, 50).map(({ location }) => location),
    );
  });

  test('nothing ranked, nothing to probe', () => expect(project('P1\na:1 x')).toEqual([]));

  test.each(['tarantula', 'jaccard'] as const)('refuses a ranking by %s', (formula) => {
    const report = rankStatements(drawSpectrum(`F1 P1\na:1 x .`), { formula });
    expect(codeOf(() => projectProbePoints(report))).toBe('not_the_seed_formula');
  });

  test('always a valid record', () => {
    const rows = fc.array(fc.tuple(fc.constantFrom('F', 'P', 'S'), fc.subarray([0, 1, 2, 3, 4])), { maxLength: 5 });
    fc.assert(
      fc.property(rows, (tests) => {
        const report: SpectrumReport = rankStatements({
          tests: tests.map(([kind], index) => ({
            id: `${index}`,
            outcome: kind === 'F' ? 'failed' : kind === 'P' ? 'passed' : 'skipped',
          })),
          statements: [1, 2, 3, 4, 5].map((first) => ({ file: 'a', first, last: first, kind: 'statement' })),
          hits: tests.map(([, hits]) => hits.join(',')),
        });
        const points = projectProbePoints(report);
        checkRecord(CandidateProbePoints, points);
        expect(JSON.stringify(projectProbePoints(report))).toBe(JSON.stringify(points));
      }),
    );
  });
});
