// Records of generation (seed 09): from an intent to distinct, parsing candidates.
import { z } from 'zod';
import {
  boundedText,
  count,
  fraction,
  LineRange,
  optional,
  place,
  RepoPath,
  record,
  Sha,
  Span,
  TestId,
  Text,
} from './define-record.ts';
import { ModelUsage } from './model-calls.ts';

export {
  ModelOutcome,
  ModelRequest,
  ModelUsage,
  MultiEditAnswer,
  SearchReplaceAnswer,
  WholeFileAnswer,
} from './model-calls.ts';

export const IntentPackage = record(
  'IntentPackage',
  'Seed 09 §3.1: what a change must do, collected and never composed.',
  {
    target: z.strictObject({
      entity: z.string().describe('Qualified name of the function or class, or the file.'),
      file: RepoPath,
      span: Span,
    }),
    requirement: boundedText(1024).describe('At most 1024 characters; "" where none was stated.'),
    dependencies: z
      .array(
        z.strictObject({ name: z.string(), signature: boundedText(512).describe('At most 512 characters; no body.') }),
      )
      .max(16)
      .describe('Symbols used in the span, in source order, at most 16.'),
    constraints: z.array(boundedText(512)).max(16).describe('Obligations to keep, at most 16 of 512 characters.'),
    validation: z
      .array(boundedText(256))
      .max(16)
      .describe('Test ids, failing ones first, at most 16 of 256 characters.'),
  },
);
export type IntentPackage = z.infer<typeof IntentPackage>;

export const EditFormat = z.enum(['search_replace', 'whole_file']);
export type EditFormat = z.infer<typeof EditFormat>;

export const EditChoice = record('EditChoice', 'Seed 09 §3.2: the edit representation, with why.', {
  classification: z.enum(['localized-edit', 'structural-rewrite']),
  format: EditFormat,
  reason: z.string(),
});
export type EditChoice = z.infer<typeof EditChoice>;

export const EditBlock = z
  .strictObject({
    search: z.string().describe('Exact source text, found exactly once inside the span of the snapshot.'),
    replace: z.string().describe('What takes its place; empty deletes.'),
  })
  .meta({ id: 'EditBlock', description: 'One replacement of exact text.' });
export type EditBlock = z.infer<typeof EditBlock>;

export const EditOrigin = z.enum(['model', 'templates', 'recorded', 'external']);
export type EditOrigin = z.infer<typeof EditOrigin>;

export const ProposedEdit = record(
  'ProposedEdit',
  'One candidate change of one file: either blocks or content, never both.',
  {
    candidate_id: Sha.describe('SHA-256 of the RFC 8785 form of { file, before, span, blocks | content }.'),
    origin: EditOrigin,
    file: RepoPath,
    span: optional(Span.describe('Where the blocks may match; absent: the whole file.')),
    blocks: optional(
      z.array(EditBlock).min(1).describe('All located in the unedited file; in source order, never overlapping.'),
    ),
    content: optional(z.string().describe('The complete new text of the file.')),
    template: optional(z.string().describe('Name of the repair template; only with origin templates.')),
    score: optional(z.number().describe('Budget order, higher first; not a verdict.')),
    provenance: z.string().describe('What made it: template and place, model entry and request, or file.'),
  },
);
export type ProposedEdit = z.infer<typeof ProposedEdit>;

export const CandidateBatch = record('CandidateBatch', 'Candidates over one target.', {
  target: z.strictObject({ file: RepoPath, span: Span }),
  format: EditFormat,
  candidates: z.array(ProposedEdit).describe('In the order they were made.'),
  regenerate: z.boolean().describe('The answer could not be used; a later generation may ask again.'),
  origin: EditOrigin,
  usage: optional(ModelUsage.describe('Absent: no model was asked.')),
});
export type CandidateBatch = z.infer<typeof CandidateBatch>;

export const ChangeSet = record('ChangeSet', 'A unified diff, parsed once.', {
  files: z
    .array(
      z.strictObject({
        path: RepoPath.describe('Path after the change; of a deleted file, before it.'),
        op: z.enum(['edit', 'create', 'delete', 'rename']),
        from: optional(RepoPath.describe('Path before a rename.')),
        hunks: z
          .array(
            z.strictObject({
              before: LineRange.describe('Lines [start, end) replaced, 1-based.'),
              after: LineRange.describe('Lines [start, end) they became, 1-based.'),
            }),
          )
          .describe('Ascending, never overlapping.'),
      }),
    )
    .describe('In the order of the diff.'),
});
export type ChangeSet = z.infer<typeof ChangeSet>;

export const EditPackage = record('EditPackage', 'Changes of several files, all or nothing.', {
  files: z
    .array(
      z.strictObject({
        path: RepoPath,
        op: z.enum(['edit', 'create', 'delete', 'move']),
        to: optional(RepoPath.describe('New path of a move.')),
        expected_sha: optional(Sha.describe('Refused as stale_file when the file has other bytes.')),
        span: optional(Span.describe('Where the blocks may match; absent: the whole file.')),
        blocks: optional(
          z
            .array(
              z.strictObject({
                search: z.string(),
                replace: z.string(),
                expected_count: optional(place.describe('Matches that must be found, all replaced; absent: 1.')),
                span: optional(Span.describe("Where this block may match; absent: the file's span.")),
                whole_lines: optional(
                  z
                    .boolean()
                    .describe(
                      'True: the search is whole lines. Its last line end also matches the end of a file that has none there, and stays absent.',
                    ),
                ),
              }),
            )
            .describe('All located in the unedited file; in source order, never overlapping.'),
        ),
        content: optional(z.string().describe('The complete new text of the file.')),
      }),
    )
    .min(1)
    .describe('Each path once, in any order.'),
});
export type EditPackage = z.infer<typeof EditPackage>;

export const GateState = z.enum(['passed', 'not_run']);
export type GateState = z.infer<typeof GateState>;

export const MatchTier = z.enum(['exact', 'whitespace', 'indentation']);
export type MatchTier = z.infer<typeof MatchTier>;

export const Hunk = z
  .strictObject({
    before: LineRange.describe('Lines [start, end) replaced, 1-based.'),
    after: LineRange.describe('Lines [start, end) they became, 1-based.'),
    tier: MatchTier,
    runner_up_margin: optional(
      fraction.describe('0 to 1: how much better the match is than the next best; tolerant tiers only.'),
    ),
  })
  .meta({ id: 'Hunk', description: 'One contiguous change of a file.' });
export type Hunk = z.infer<typeof Hunk>;

export const AppliedCandidate = record(
  'AppliedCandidate',
  'A candidate whose bytes are known and which passed the gates that ran.',
  {
    candidate_id: Sha,
    files: z
      .array(
        z.strictObject({
          path: RepoPath,
          op: z.enum(['edit', 'create', 'delete', 'move']),
          before: optional(Sha.describe('Absent for a created file.')),
          after: optional(Sha.describe('Absent for a deleted file.')),
          hunks: z.array(Hunk).describe('Ascending, never overlapping.'),
        }),
      )
      .describe('Sorted by path in code-unit order.'),
    unified_diff: Text.describe('From the snapshot to the candidate, with paths "a/…" and "b/…".'),
    inverse_diff: Text.describe('From the candidate back to the snapshot.'),
    gate: z.strictObject({ syntax: GateState, lint: GateState }),
  },
);
export type AppliedCandidate = z.infer<typeof AppliedCandidate>;

export const ApplyReason = z.enum([
  'not_found',
  'ambiguous_match',
  'outside_span',
  'empty_search',
  'overlapping_edits',
  'no_change',
  'already_applied',
  'stale_file',
  'path_outside_repo',
  'not_text',
  'too_large',
  'exists',
  'syntax_error',
  'undefined_name',
  'unused_import',
]);
export type ApplyReason = z.infer<typeof ApplyReason>;

export const GateDiagnostic = z
  .strictObject({
    line: place.describe('1-based.'),
    column: count.describe('0-based, UTF-16 units.'),
    code: z.string(),
    message: z.string(),
  })
  .meta({ id: 'GateDiagnostic', description: 'What a gate found in the edited text.' });
export type GateDiagnostic = z.infer<typeof GateDiagnostic>;

export const ApplyRejection = record('ApplyRejection', 'Why a candidate was not applied. Nothing was written.', {
  candidate_id: Sha,
  stage: z.enum(['locate', 'apply', 'parse', 'lint']),
  reason: ApplyReason,
  path: optional(RepoPath.describe('File it failed in.')),
  block: optional(count.describe('0-based index of the block.')),
  matches: optional(z.array(Span).describe('Lines of every match, ascending.')),
  apart: optional(
    z
      .array(z.strictObject({ line: place.describe('1-based.'), text: z.string().describe('At most 200 characters.') }))
      .describe('For each of `matches`, in their order, a line that no other match has in that place.'),
  ),
  nearest: optional(
    z
      .strictObject({
        span: Span,
        similarity: fraction.describe('0 to 1, 1 being equal.'),
        cause: z.string(),
        diff: z.string().describe('Unified, from the search text to the text found.'),
      })
      .describe('The most similar place, where nothing matched.'),
  ),
  diagnostics: optional(z.array(GateDiagnostic).describe('By line, then column.')),
  already_broken: optional(z.boolean().describe('The snapshot itself did not parse.')),
});
export type ApplyRejection = z.infer<typeof ApplyRejection>;

export const Collapse = z
  .strictObject({
    kept: Sha,
    dropped: Sha,
    rung: z
      .enum(['bytes', 'tokens', 'tree', 'names', 'compiler', 'seed'])
      .describe('The lowest level of equality that joined them.'),
    witness: z.string().describe('Hash of the normal form both share.'),
  })
  .meta({ id: 'Collapse', description: 'Two candidates that are the same program.' });
export type Collapse = z.infer<typeof Collapse>;

export const CandidateSet = record('CandidateSet', 'Distinct candidates that apply and parse.', {
  snapshot: Sha.describe('Hash of the tree all of them apply to.'),
  candidates: z.array(AppliedCandidate).describe('In the order they were applied.'),
  rejected: z.array(ApplyRejection).describe('In the order they were proposed.'),
  collapsed: z.array(Collapse).describe('In the order they were dropped.'),
  votes: z.record(z.string(), place).describe('By candidate id: how many proposals it stands for.'),
});
export type CandidateSet = z.infer<typeof CandidateSet>;

export const CandidateValidation = record('CandidateValidation', 'What the tests said of a candidate.', {
  candidate_id: Sha,
  status: z.enum(['plausible', 'failing', 'neighbour_broken', 'timeout', 'crash']),
  executions: count.describe('Test-runner executions spent on it.'),
  first_failing: z.array(TestId).describe('Tests that did not pass, in run order, at most 20.'),
});
export type CandidateValidation = z.infer<typeof CandidateValidation>;
