// The record of one run of the whole pipeline: what `h run` writes as run-summary.json and prints with --json.
import { z } from 'zod';
import { count, fraction, Loc, optional, RepoPath, record, Sha, TestId } from './define-record.ts';
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
    exit_code: count,
    tree: Sha,
    environment: Sha,
    runner: z.strictObject({ name: z.string(), cwd: z.string(), reason: z.string() }),
    isolation: z.strictObject({ backend: z.string(), downgrades: z.array(z.string()) }),
    tests: z.strictObject({
      total: count,
      passed: count,
      failing: z.array(TestId),
      other: count,
      excluded: z.array(z.strictObject({ test: TestId, why: z.string() })),
    }),
    localization: optional(
      z.strictObject({
        verdict: z.enum(['ok', 'no_contrast']),
        statements: count.describe('Statements ranked.'),
        top: z
          .array(
            z.strictObject({
              rank: z.int().min(1),
              location: Loc,
              suspiciousness: fraction,
              tie_size: z.int().min(1),
              text: z.string().describe('First line of the statement, trimmed, at most 120 characters.'),
            }),
          )
          .max(50),
      }),
    ),
    candidates: optional(
      z.strictObject({
        proposed: count,
        parsing: count.describe('Applied exactly once and parse.'),
        distinct: count.describe('Distinct programs among those, none equal to the original.'),
        validated: count,
        plausible: count,
        neighbour_broken: count,
        executions: count.describe('Test-runner executions spent on candidates.'),
        stopped: z.string().describe('Why validation stopped.'),
        first: z
          .array(
            z.strictObject({
              candidate_id: Sha,
              path: RepoPath,
              line: z.int().min(1),
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
          line: z.int().min(1),
          origin: z.string(),
          validation: z.string(),
          regression_status: RegressionStatus,
          obligations: count,
          untested_obligations: count,
          unexpected_differences: count,
          fix: z.string(),
        }),
      )
      .describe('Best first.'),
    not_built: z.array(z.string()).describe('Stages of the design that this version does not have.'),
    warnings: z.array(z.string()),
    files: z.array(z.string()).describe('Every record of the run directory, relative to it, in code-unit order.'),
  },
);
export type RunSummary = z.infer<typeof RunSummary>;
