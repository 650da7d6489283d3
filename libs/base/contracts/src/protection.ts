// Records of protection (seed 19): which unchanged behaviour a patch provably kept.
import { z } from 'zod';
import { count, exactRecord, fraction, Loc, optional, RepoPath, record, Sha, Span, TestId } from './define-record.ts';

const NodeId = z.string().min(1).describe('Id of a node of the impact graph.');

export const ImpactGraph = record('ImpactGraph', 'Symbols of a repository and what uses what.', {
  nodes: z.array(
    z.strictObject({
      id: NodeId,
      kind: z.enum(['file', 'module', 'class', 'function', 'method', 'config', 'test', 'unknown']),
      file: RepoPath,
      span: Span,
      checksum: Sha,
    }),
  ),
  edges: z.array(
    z.strictObject({
      from: NodeId,
      to: NodeId,
      kind: z.enum(['calls', 'imports', 'inherits', 'reads', 'serializes', 'tests']),
      confidence: z.enum(['exact', 'resolved', 'possible']),
      at: Loc,
    }),
  ),
});
export type ImpactGraph = z.infer<typeof ImpactGraph>;

export const BlastRadius = record('BlastRadius', 'What a change may reach.', {
  changed: z.array(NodeId),
  reached: z.array(
    z.strictObject({ node: NodeId, path: z.array(NodeId), confidence: z.enum(['exact', 'resolved', 'possible']) }),
  ),
});
export type BlastRadius = z.infer<typeof BlastRadius>;

export const Evidence = z
  .strictObject({
    test: z.string().min(1).describe('Test id or pin id.'),
    baseline: z.string().describe('Its result on the unpatched program.'),
    candidate: z.string().describe('Its result on the patched program.'),
  })
  .meta({ id: 'Evidence' });
export type Evidence = z.infer<typeof Evidence>;

export const Obligation = record('Obligation', 'A behaviour that must not change, and what shows that it did not.', {
  behavior: z.string().min(1),
  evidence: z.array(Evidence),
  impact_source: z.string().describe('The dependency edge it comes from: "SessionConfig -> SessionManager".'),
});
export type Obligation = z.infer<typeof Obligation>;

export const RegressionSelection = record(
  'RegressionSelection',
  'Tests to run for a change; every other one listed with its reason.',
  {
    selected: z.array(z.strictObject({ test: TestId, why: z.string() })),
    skipped: z.array(
      z.strictObject({
        test: TestId,
        reason: z.enum(['unrun-by-reachability', 'unrun-by-budget']),
        witness: optional(z.array(Sha)),
      }),
    ),
    closure: z.array(RepoPath),
    safe: z.boolean(),
    why_unsafe: optional(z.array(z.string())),
  },
);
export type RegressionSelection = z.infer<typeof RegressionSelection>;

export const Pin = record('Pin', 'One recorded call and its outcome on the unpatched program.', {
  id: z.string(),
  behavior: z.string(),
  target: NodeId,
  call: z.strictObject({
    args: z.array(z.json()),
    kwargs: z.record(z.string(), z.json()),
    self: optional(z.json()),
  }),
  outcome: z.strictObject({
    returned: optional(z.json()),
    raised: optional(z.strictObject({ class: z.string(), message: z.string() })),
    mutated_args: z.array(z.json()),
    self_after: optional(z.json()),
    calls: z.array(z.string()),
    stdout: z.string(),
    files: optional(z.array(z.strictObject({ path: z.string(), sha: Sha }))),
    globals: optional(z.record(z.string(), z.json())),
  }),
  origin: z.enum(['carved', 'generated']),
});
export type Pin = z.infer<typeof Pin>;

export const Invariant = record('Invariant', 'A relation that held in every observed run.', {
  behavior: z.string(),
  target: NodeId,
  point: z.enum(['enter', 'exit', 'exit_raised']),
  form: z.string(),
  terms: z.array(z.string()),
  support: count.describe('Observations it held in.'),
  confidence: fraction,
});
export type Invariant = z.infer<typeof Invariant>;

export const BehaviorNet = record('BehaviorNet', 'The unpatched program as an executable specification.', {
  baseline: Sha,
  pins: z.array(Pin),
  invariants: z.array(Invariant),
  unpinned: z.array(z.strictObject({ target: NodeId, reason: z.string() })),
});
export type BehaviorNet = z.infer<typeof BehaviorNet>;

export const Divergence = record(
  'Divergence',
  'A behaviour that differs between the unpatched and the patched program.',
  {
    divergence_id: z.string().min(1),
    behavior: z.string(),
    kind: z.enum(['return', 'exception', 'path', 'invariant', 'side_effect', 'order', 'test', 'surface']),
    baseline: z.string(),
    candidate: z.string(),
    classification: z.enum(['regression_evidence', 'intended_change']),
    rule: z.string().describe('The rule that classified it.'),
    reproduction: optional(z.string()),
    masks: optional(z.array(z.string())),
  },
);
export type Divergence = z.infer<typeof Divergence>;

export const Neighbour = z
  .strictObject({ input: z.json(), baseline: z.string(), candidate: z.string() })
  .meta({ id: 'Neighbour' });

export const FixCompleteness = record(
  'FixCompleteness',
  'Whether the failing behaviour is gone on neighbouring inputs too.',
  {
    verdict: z.enum(['complete', 'incomplete_fix', 'unknown']),
    neighbours: z.array(Neighbour),
  },
);
export type FixCompleteness = z.infer<typeof FixCompleteness>;

export const Diagnostic = z
  .strictObject({
    location: optional(Loc),
    code: z.string(),
    message: z.string(),
    severity: z.enum(['error', 'warning']),
  })
  .meta({ id: 'Diagnostic' });
export type Diagnostic = z.infer<typeof Diagnostic>;

export const SurfaceVerdict = record('SurfaceVerdict', 'What changed in types, build and public API.', {
  types: z.array(Diagnostic),
  build: z.array(Diagnostic),
  api: z.array(
    z.strictObject({
      symbol: z.string(),
      change: z.string(),
      breaking: z.enum(['major', 'minor', 'patch', 'unknown']),
      before: z.string(),
      after: z.string(),
      witness: optional(z.string()),
    }),
  ),
  package_shape: z.array(z.string()),
});
export type SurfaceVerdict = z.infer<typeof SurfaceVerdict>;

export const Marker = z.enum(['intentional', 'accidental']);
export type Marker = z.infer<typeof Marker>;

export const Manifest = record(
  'Manifest',
  'Every behavioural change after the patch; routed to review, never accepted by itself.',
  {
    entries: z.array(
      z.strictObject({
        divergence_id: z.string(),
        behavior: z.string(),
        pinned: z.string(),
        candidate: z.string(),
        marker: Marker,
      }),
    ),
    routed_to: z.literal('review'),
  },
);
export type Manifest = z.infer<typeof Manifest>;

export const IntentAnnotations = exactRecord('IntentAnnotations', 'Model answer of seed 19 §4, strict.', {
  annotations: z.array(z.strictObject({ divergence_id: z.string(), classification: Marker })),
});
export type IntentAnnotations = z.infer<typeof IntentAnnotations>;

export const RegressionStatus = z.enum(['PROTECTED', 'DIVERGENT', 'UNPROVEN']);
export type RegressionStatus = z.infer<typeof RegressionStatus>;

export const UnexpectedDifference = z
  .strictObject({
    ...Divergence.shape,
    marker: Marker.describe('The deterministic marker.'),
    annotation: optional(Marker.describe('What the one intent call proposed.')),
  })
  .meta({ id: 'UnexpectedDifference' });
export type UnexpectedDifference = z.infer<typeof UnexpectedDifference>;

export const PreservationLedger = record(
  'PreservationLedger',
  'Which unchanged behaviours a patch provably kept, and which it did not.',
  {
    patch_id: Sha,
    obligations: z.array(Obligation),
    unexpected_differences: z.array(UnexpectedDifference),
    untested_obligations: z.array(Obligation),
    regression_status: RegressionStatus,
  },
);
export type PreservationLedger = z.infer<typeof PreservationLedger>;

export const LedgerEntry = record('LedgerEntry', 'What is stored for one patch and round.', {
  ledger: PreservationLedger,
  skip_log: z.array(z.strictObject({ test: TestId, reason: z.string() })),
  violations: z.array(z.strictObject({ source: z.string(), kind: z.string(), digest: Sha })),
  fix: FixCompleteness,
  supersedes: optional(Sha),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const PatchRanking = record('PatchRanking', 'Patches by what their ledgers prove.', {
  ranked: z.array(
    z.strictObject({
      patch_id: Sha,
      regression_status: RegressionStatus,
      fix: z.enum(['complete', 'incomplete_fix', 'unknown']),
      votes: count,
      evidenced_share: fraction.describe('Obligations with evidence over all obligations; 0 where there are none.'),
      reasons: z.array(z.string()),
    }),
  ),
  undecided: optional(z.string().describe('Why the first place is shared.')),
});
export type PatchRanking = z.infer<typeof PatchRanking>;
