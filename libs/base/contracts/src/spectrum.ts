// Records of fault localization (seed 12 §3.1), a part of `diagnosis`.
import { z } from 'zod';
import { count, fraction, LineSet, Loc, optional, place, RepoPath, record, TestId } from './define-record.ts';
import { TestOutcome } from './execution.ts';

export const StatementKind = z.enum(['statement', 'import', 'definition']);
export type StatementKind = z.infer<typeof StatementKind>;

export const SpectrumStatement = z
  .strictObject({
    file: RepoPath,
    first: place.describe('First line of the statement, 1-based; names the entity.'),
    last: place.describe('Last line of the statement, 1-based, inclusive.'),
    kind: StatementKind,
    loaded: optional(
      z
        .literal(true)
        .describe(
          'It ran outside every test: while modules were loaded, or in set-up kept apart; who is credited is a rule.',
        ),
    ),
  })
  .meta({ id: 'SpectrumStatement', description: 'A statement that runs can be told apart by.' });
export type SpectrumStatement = z.infer<typeof SpectrumStatement>;

const ExcludedTest = z.strictObject({ test: TestId, why: z.string() });

export const Spectrum = record('Spectrum', 'Which test executed which statement: all that fault localization reads.', {
  tests: z.array(z.strictObject({ id: TestId, outcome: TestOutcome })).describe('In any order, each id once.'),
  statements: z.array(SpectrumStatement).describe('In any order, each file and first line once.'),
  hits: z
    .array(LineSet)
    .describe('Per test, in the order of `tests`: the 0-based indexes into `statements` it executed.'),
  excluded_tests: optional(
    z.array(ExcludedTest).describe('Tests of the run that are not in `tests`, and why, sorted by id.'),
  ),
});
export type Spectrum = z.infer<typeof Spectrum>;

export const RankedStatement = z
  .strictObject({
    location: Loc,
    kind: optional(StatementKind.describe('Absent: statement.')),
    loaded: optional(z.literal(true).describe('As in the spectrum: it ran outside every test.')),
    score: z.number().describe('The pure formula, before the rule for statements that every run executes.'),
    tier: z
      .enum(['discriminating', 'reserve'])
      .describe('reserve: executed by every run, of which some passed; ranked behind the rest, suspiciousness 0.0.'),
    failed_runs: count.describe('Failing runs that executed it.'),
    passed_runs: count.describe('Passing runs that executed it.'),
    rank: place.describe('1-based position in the order.'),
    tie_size: place.describe('Statements the formula does not tell from this one, itself included.'),
    worst_rank: optional(
      place.describe('Last position among the statements that only file and line tell from this one.'),
    ),
    group: count.describe('Statements that no test tells apart share a group, numbered from 0 in ranking order.'),
  })
  .meta({ id: 'RankedStatement', description: 'A statement with its place and what the place rests on.' });
export type RankedStatement = z.infer<typeof RankedStatement>;

export const SpectrumReport = record('SpectrumReport', 'Ranked statements with everything the ranking rests on.', {
  formula: z.string(),
  verdict: z
    .enum(['ok', 'no_contrast'])
    .describe('no_contrast: no passing run, the order is the tie-break alone; or no failing run, nothing is ranked.'),
  total_failed: count.describe('Failing runs that were kept.'),
  total_passed: count.describe('Passing runs that were kept.'),
  statements: z
    .array(RankedStatement)
    .describe('In rank order; all executed by a failing run, unless `cut` says otherwise.'),
  cut: optional(place.describe('Statements left out after the last one listed. Absent: none.')),
  excluded_tests: z.array(ExcludedTest).describe('Tests that count neither as failing nor as passing, sorted by id.'),
  per_test: optional(
    z
      .array(
        z.strictObject({
          test: TestId,
          statements: z.array(RankedStatement).describe('In rank order, for this failing test alone.'),
        }),
      )
      .describe('Per failing test, sorted by id.'),
  ),
  merged: optional(
    z
      .array(
        z.strictObject({
          location: Loc,
          rank: place.describe('1-based position in this list.'),
          best_rank: place.describe('Its best position in a ranking of `per_test`.'),
          best_test: TestId.describe('The failing test of that ranking; of several the first by id.'),
          failing_tests: count.describe('Failing tests in whose ranking it is listed.'),
        }),
      )
      .describe(
        'The rankings of `per_test` in one: by best position, then by more failing tests, then as in `statements`.',
      ),
  ),
});
export type SpectrumReport = z.infer<typeof SpectrumReport>;

export const CandidateProbePoints = record('CandidateProbePoints', 'Seed 12 §3.1: the bounded ranked list, exactly.', {
  candidate_probe_points: z
    .array(
      z.strictObject({
        rank: place.describe('1-based position in this list.'),
        location: Loc,
        suspiciousness: fraction.describe('0.0 to 1.0; 0.0 for a statement that every run executes.'),
        failed_runs: count.describe('Failing runs that executed it.'),
        passed_runs: count.describe('Passing runs that executed it.'),
      }),
    )
    .max(50)
    .describe('By rank.'),
});
export type CandidateProbePoints = z.infer<typeof CandidateProbePoints>;

export const RefinedRanking = record(
  'RefinedRanking',
  'The statements of a SpectrumReport in the order that an observed failing run gives them.',
  {
    statements: z
      .array(
        z.strictObject({
          rank: place.describe('1-based position in this list.'),
          location: Loc,
          weight: z.number().nonnegative().describe('What the order is by; compares within one list.'),
          spectrum_rank: place.describe('Position in the SpectrumReport.'),
          depth: optional(count.describe('Dependences between it and the failure; absent: not in the slice.')),
        }),
      )
      .describe('In rank order; those of the report.'),
  },
);
export type RefinedRanking = z.infer<typeof RefinedRanking>;
