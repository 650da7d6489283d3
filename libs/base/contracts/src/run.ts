// The record of one run of the whole pipeline: what `h run` writes as run-summary.json and prints with --json.
import { z } from 'zod';
import { count, fraction, Loc, optional, place, RepoPath, record, Sha, TestId } from './define-record.ts';
import { RegressionStatus } from './protection.ts';

export const RunOutcome = z.enum([
  'plausible_patch',
  'no_patch',
  'divergent',
  'nothing_failing',
  'diagnosed',
  'proposed',
  'interrupted',
]);
export type RunOutcome = z.infer<typeof RunOutcome>;

export const RunSummary = record(
  'RunSummary',
  'One run of the pipeline; holds no measured value, so that a second run writes the same bytes.',
  {
    run_id: z
      .string()
      .describe('First 16 hexadecimal digits of the SHA-256 over tree, options, version and environment.'),
    h_version: z.string(),
    command: z.string(),
    outcome: RunOutcome,
    exit_code: count.describe('0 to 255, as the command returned it.'),
    tree: Sha,
    environment: Sha,
    runner: z.strictObject({ name: z.string(), cwd: z.string(), reason: z.string() }),
    isolation: z.strictObject({
      backend: z.string(),
      downgrades: z.array(z.string()).describe('What the backend could not enforce, sorted.'),
    }),
    tests: z.strictObject({
      total: count.describe('Tests of the baseline run.'),
      passed: count.describe('Tests that passed.'),
      failing: z.array(TestId).describe('Failing tests that were explained, in the order of the run.'),
      other: count.describe('Tests that neither passed nor are among `failing`.'),
      excluded: z
        .array(z.strictObject({ test: TestId, why: z.string() }))
        .describe('Tests that localization did not count, sorted by test.'),
    }),
    localization: optional(
      z.strictObject({
        verdict: z.enum(['ok', 'no_contrast']),
        statements: count.describe('Statements ranked.'),
        top: z
          .array(
            z.strictObject({
              rank: place.describe('1-based position.'),
              location: Loc,
              suspiciousness: fraction.describe('0.0 to 1.0.'),
              tie_size: place.describe('Statements the formula does not tell from this one, itself included.'),
              text: z.string().describe('First line of the statement, trimmed, at most 120 characters.'),
              spectrum_rank: optional(place.describe('Position by the tests alone. Absent: no run was observed.')),
              depth: optional(count.describe('Dependences between it and the failure. Absent: not in the slice.')),
            }),
          )
          .max(50)
          .describe('By rank, at most 50: as in RefinedRanking where a run was observed, else as in SpectrumReport.'),
      }),
    ),
    observation: optional(
      z.strictObject({
        test: TestId,
        sibling: optional(z.strictObject({ test: TestId, why: z.string() }).describe('The passing test beside it.')),
        reason: optional(z.string().describe('Why there is no divergence.')),
        first_divergence: optional(
          z.strictObject({
            location: Loc,
            text: z.string().describe('First line of the statement, trimmed, at most 120 characters.'),
            name: optional(z.string().describe('What differs there: a variable, "return", "raise" or "branch".')),
            passing: z.string().describe('The value in the passing run.'),
            failing: z.string().describe('The value in the failing run.'),
          }),
        ),
        primary_suspects: z.array(z.string()).describe('As in the divergence record.'),
        wavering: optional(
          z.array(z.string()).describe('Values that differ between equal runs, never compared. Absent: none.'),
        ),
        probe_points: count.describe('Planned points, at most 16.'),
        raw_events: count.describe('Events of the observed runs; internal.'),
        raw_bytes: count.describe('Bytes of these events as JSON.'),
        pack_observations: count.describe('Observations of the evidence pack; 0: the gate rejected it.'),
        pack_bytes: count.describe('Bytes of the pack as JSON.'),
        slice_text: z.string().describe('The slice as annotated source.'),
        discarded: count.describe('Observed statements around the divergence that are not in the slice.'),
        pack_text: z.string().describe('The pack as a person or a model reads it.'),
        hypotheses: z
          .array(
            z.strictObject({
              hypothesis_id: z.string(),
              claim: z.string(),
              verdict: z.string(),
              why: optional(z.string().describe('Present where unobserved, as in the verdict.')),
            }),
          )
          .describe('Of a model, with what the observations say; empty without one.'),
      }),
    ),
    model: optional(
      z
        .array(
          z.strictObject({
            entry: z.string(),
            status: z.enum(['answered', 'no_op', 'not_fired', 'cancelled']),
            detail: optional(z.string().describe('Why there is no answer.')),
          }),
        )
        .describe('Each question a model was to be asked, in order; absent: there was no model.'),
    ),
    candidates: optional(
      z.strictObject({
        proposed: count.describe('Candidates proposed.'),
        parsing: count.describe('Applied exactly once and parse.'),
        distinct: count.describe('Distinct programs among those, none equal to the original.'),
        validated: count.describe('Candidates the tests were run on.'),
        plausible: count.describe('Candidates that every test passed.'),
        neighbour_broken: count.describe('Candidates that fix the failing tests and break another.'),
        executions: count.describe('Test-runner executions spent on candidates.'),
        stopped: z.string().describe('Why validation stopped.'),
        first: z
          .array(
            z.strictObject({
              candidate_id: Sha,
              path: RepoPath,
              line: place.describe('1-based line of the first change.'),
              origin: z.string(),
              diff: z.string(),
            }),
          )
          .max(20)
          .describe('The first distinct candidates, in the order they would be run.'),
      }),
    ),
    patches: z
      .array(
        z.strictObject({
          patch_id: Sha,
          file: z.string().describe('The unified diff, relative to the run directory.'),
          path: RepoPath,
          line: place.describe('1-based line of the first change.'),
          origin: z.string(),
          diff: z.string().describe('The unified diff, at most 4096 characters of it; `file` has the whole.'),
          validation: z.string(),
          regression_status: RegressionStatus,
          obligations: count.describe('Obligations with evidence.'),
          untested_obligations: count.describe('Obligations without.'),
          unexpected_differences: count.describe('Differences the patch does not explain.'),
          tests_not_run: optional(count.describe('Tests that were left out because the patch cannot reach them.')),
          fix: z.string(),
        }),
      )
      .describe('Best first.'),
    not_built: z.array(z.string()).describe('Stages of the design that this version does not have.'),
    warnings: z.array(z.string()).describe('In the order they arose.'),
    files: z.array(z.string()).describe('Every record of the run directory, relative to it, in code-unit order.'),
  },
);
export type RunSummary = z.infer<typeof RunSummary>;
