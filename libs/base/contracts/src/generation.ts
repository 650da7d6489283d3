// Records of generation (seed 09): from an intent to distinct, parsing candidates.
import { z } from 'zod';
import {
  bytes,
  count,
  exactRecord,
  fraction,
  LineRange,
  optional,
  RepoPath,
  record,
  Sha,
  Span,
  TestId,
  Text,
} from './define-record.ts';

export const IntentPackage = record(
  'IntentPackage',
  'Seed 09 §3.1: what a change must do, collected and never composed.',
  {
    target: z.strictObject({ entity: z.string(), file: RepoPath, span: Span }),
    requirement: z.string().max(1024),
    dependencies: z.array(z.strictObject({ name: z.string(), signature: z.string().max(512) })).max(16),
    constraints: z.array(z.string().max(512)).max(16),
    validation: z.array(z.string().max(256)).max(16),
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
  .meta({ id: 'EditBlock' });
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
    blocks: optional(z.array(EditBlock).min(1)),
    content: optional(z.string().describe('The complete new text of the file.')),
    template: optional(z.string()),
    score: optional(z.number().describe('Budget order, higher first; not a verdict.')),
    provenance: z.string(),
  },
);
export type ProposedEdit = z.infer<typeof ProposedEdit>;

export const ModelUsage = record('ModelUsage', 'Tokens of one call.', {
  prompt_tokens: count,
  completion_tokens: count,
  cost: optional(z.number().min(0).describe('US dollars.')),
});
export type ModelUsage = z.infer<typeof ModelUsage>;

export const CandidateBatch = record('CandidateBatch', 'Candidates over one target.', {
  target: z.strictObject({ file: RepoPath, span: Span }),
  format: EditFormat,
  candidates: z.array(ProposedEdit),
  regenerate: z.boolean().describe('The answer could not be used; a later generation may ask again.'),
  origin: EditOrigin,
  usage: optional(ModelUsage),
});
export type CandidateBatch = z.infer<typeof CandidateBatch>;

export const SearchReplaceAnswer = exactRecord('SearchReplaceAnswer', 'Model answer, one block a candidate, strict.', {
  candidates: z.array(z.strictObject({ search: z.string(), replace: z.string() })).max(10),
});
export type SearchReplaceAnswer = z.infer<typeof SearchReplaceAnswer>;

export const WholeFileAnswer = exactRecord('WholeFileAnswer', 'Model answer, whole files, strict.', {
  candidates: z.array(z.strictObject({ content: z.string() })).max(10),
});
export type WholeFileAnswer = z.infer<typeof WholeFileAnswer>;

export const MultiEditAnswer = exactRecord(
  'MultiEditAnswer',
  'Model answer with `multi_edit`: a list of blocks a candidate, strict.',
  {
    candidates: z.array(z.array(z.strictObject({ search: z.string(), replace: z.string() })).min(1)).max(10),
  },
);
export type MultiEditAnswer = z.infer<typeof MultiEditAnswer>;

export const ChangeSet = record('ChangeSet', 'A unified diff, parsed once.', {
  files: z.array(
    z.strictObject({
      path: RepoPath,
      op: z.enum(['edit', 'create', 'delete', 'rename']),
      from: optional(RepoPath),
      hunks: z.array(z.strictObject({ before: LineRange, after: LineRange })),
    }),
  ),
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
        span: optional(Span),
        blocks: optional(
          z.array(
            z.strictObject({ search: z.string(), replace: z.string(), expected_count: optional(z.int().min(1)) }),
          ),
        ),
        content: optional(z.string()),
      }),
    )
    .min(1),
});
export type EditPackage = z.infer<typeof EditPackage>;

export const GateState = z.enum(['passed', 'not_run']);
export type GateState = z.infer<typeof GateState>;

export const MatchTier = z.enum(['exact', 'whitespace', 'indentation']);
export type MatchTier = z.infer<typeof MatchTier>;

export const Hunk = z
  .strictObject({
    before: LineRange,
    after: LineRange,
    tier: MatchTier,
    runner_up_margin: optional(
      fraction.describe('How much better the match is than the next best; tolerant tiers only.'),
    ),
  })
  .meta({ id: 'Hunk' });
export type Hunk = z.infer<typeof Hunk>;

export const AppliedCandidate = record(
  'AppliedCandidate',
  'A candidate whose bytes are known and which passed the gates that ran.',
  {
    candidate_id: Sha,
    files: z.array(
      z.strictObject({
        path: RepoPath,
        op: z.enum(['edit', 'create', 'delete', 'move']),
        before: optional(Sha.describe('Absent for a created file.')),
        after: optional(Sha.describe('Absent for a deleted file.')),
        hunks: z.array(Hunk),
      }),
    ),
    unified_diff: Text,
    inverse_diff: Text,
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
    line: z.int().min(1),
    column: count.describe('0-based, UTF-16 units.'),
    code: z.string(),
    message: z.string(),
  })
  .meta({ id: 'GateDiagnostic' });
export type GateDiagnostic = z.infer<typeof GateDiagnostic>;

export const ApplyRejection = record('ApplyRejection', 'Why a candidate was not applied. Nothing was written.', {
  candidate_id: Sha,
  stage: z.enum(['locate', 'apply', 'parse', 'lint']),
  reason: ApplyReason,
  path: optional(RepoPath),
  block: optional(count.describe('0-based index of the block.')),
  matches: optional(z.array(Span).describe('Lines of every match.')),
  nearest: optional(z.strictObject({ span: Span, similarity: fraction, cause: z.string(), diff: z.string() })),
  diagnostics: optional(z.array(GateDiagnostic)),
  already_broken: optional(z.boolean().describe('The snapshot itself did not parse.')),
});
export type ApplyRejection = z.infer<typeof ApplyRejection>;

export const Collapse = z
  .strictObject({
    kept: Sha,
    dropped: Sha,
    rung: z.enum(['bytes', 'tokens', 'seed']).describe('The level of equality that joined them.'),
    witness: z.string().describe('Hash of the normal form both share.'),
  })
  .meta({ id: 'Collapse' });
export type Collapse = z.infer<typeof Collapse>;

export const CandidateSet = record('CandidateSet', 'Distinct candidates that apply and parse.', {
  snapshot: Sha,
  candidates: z.array(AppliedCandidate),
  rejected: z.array(ApplyRejection),
  collapsed: z.array(Collapse),
  votes: z.record(z.string(), z.int().min(1)).describe('By candidate id: how many proposals it stands for.'),
});
export type CandidateSet = z.infer<typeof CandidateSet>;

export const CandidateValidation = record('CandidateValidation', 'What the tests said of a candidate.', {
  candidate_id: Sha,
  status: z.enum(['plausible', 'failing', 'neighbour_broken', 'timeout', 'crash']),
  executions: count.describe('Test-runner executions spent on it.'),
  first_failing: z.array(TestId).describe('Tests that did not pass, in run order, at most 20.'),
});
export type CandidateValidation = z.infer<typeof CandidateValidation>;

export const ModelRequest = record('ModelRequest', 'The one question a stage may ask.', {
  entry: z.string(),
  messages: z.array(z.strictObject({ role: z.enum(['system', 'user']), content: z.string() })).min(1),
  schema: z.record(z.string(), z.unknown()).describe('JSON Schema of the answer.'),
  requested: z.strictObject({ temperature: z.number().min(0), max_tokens: z.int().min(1), seed: z.int() }),
  payload_bytes: bytes,
});
export type ModelRequest = z.infer<typeof ModelRequest>;

export const ModelOutcome = record('ModelOutcome', 'How the one call ended.', {
  kind: z.enum([
    'ok',
    'schema',
    'json',
    'truncated',
    'refusal',
    'tool_call',
    'transport',
    'timeout',
    'rate',
    'auth',
    'budget',
    'replay_miss',
  ]),
  value: optional(z.json().describe('Only with kind ok.')),
  sent: z.record(z.string(), z.json()).describe('Parameters as they were sent.'),
  usage: optional(ModelUsage),
  request_digest: Sha,
});
export type ModelOutcome = z.infer<typeof ModelOutcome>;
