// Records of protection (seed 19): which unchanged behaviour a patch provably kept.
import { z } from 'zod';
import {
  count,
  exactRecord,
  fraction,
  Json,
  Loc,
  optional,
  RepoPath,
  record,
  Sha,
  Span,
  TestId,
} from './define-record.ts';

const NodeId = z.string().min(1).describe('Id of a node of the impact graph.');
const EdgeConfidence = z.enum(['exact', 'resolved', 'possible']);

export const ImpactGraph = record('ImpactGraph', 'Symbols of a repository and what uses what.', {
  nodes: z
    .array(
      z.strictObject({
        id: NodeId,
        kind: z.enum(['file', 'module', 'class', 'function', 'method', 'config', 'test', 'unknown']),
        file: RepoPath,
        span: Span,
        checksum: Sha.describe('SHA-256 of its source text.'),
      }),
    )
    .describe('Sorted by id, each id once.'),
  edges: z
    .array(
      z.strictObject({
        from: NodeId.describe('The node that uses.'),
        to: NodeId.describe('The node that is used.'),
        kind: z.enum(['calls', 'imports', 'inherits', 'reads', 'serializes', 'tests']),
        confidence: EdgeConfidence,
        at: Loc.describe('Where `from` uses `to`.'),
      }),
    )
    .describe('Sorted by from, to, kind.'),
});
export type ImpactGraph = z.infer<typeof ImpactGraph>;

export const BlastRadius = record('BlastRadius', 'What a change may reach.', {
  changed: z.array(NodeId).describe('Sorted.'),
  reached: z
    .array(
      z.strictObject({
        node: NodeId,
        path: z.array(NodeId).describe('From a changed node to this one, both included.'),
        confidence: EdgeConfidence.describe('The weakest edge of the path.'),
      }),
    )
    .describe('Sorted by node.'),
});
export type BlastRadius = z.infer<typeof BlastRadius>;

export const Evidence = z
  .strictObject({
    test: z.string().min(1).describe('Test id or pin id.'),
    baseline: z.string().describe('Its result on the unpatched program.'),
    candidate: z.string().describe('Its result on the patched program.'),
  })
  .meta({ id: 'Evidence', description: 'One test or pin, before and after.' });
export type Evidence = z.infer<typeof Evidence>;

export const Obligation = record('Obligation', 'A behaviour that must not change, and what shows that it did not.', {
  behavior: z.string().min(1),
  evidence: z.array(Evidence).describe('Sorted by test.'),
  impact_source: z.string().describe('The dependency edge it comes from: "SessionConfig -> SessionManager".'),
});
export type Obligation = z.infer<typeof Obligation>;

export const RegressionSelection = record(
  'RegressionSelection',
  'Tests to run for a change; every other one listed with its reason.',
  {
    selected: z.array(z.strictObject({ test: TestId, why: z.string() })).describe('In the order to run them.'),
    skipped: z
      .array(
        z.strictObject({
          test: TestId,
          reason: z.enum(['unrun-by-reachability', 'unrun-by-budget']),
          witness: optional(z.array(Sha).describe('Hashes of the unchanged dependencies that allow the skip, sorted.')),
        }),
      )
      .describe('Sorted by test.'),
    closure: z.array(RepoPath).describe('Files the change may reach, sorted.'),
    safe: z.boolean(),
    why_unsafe: optional(z.array(z.string()).describe('Only where not safe.')),
  },
);
export type RegressionSelection = z.infer<typeof RegressionSelection>;

export const Pin = record('Pin', 'One recorded call and its outcome on the unpatched program.', {
  id: z.string(),
  behavior: z.string(),
  target: NodeId,
  call: z.strictObject({
    args: z.array(Json).describe('Positional arguments, in order.'),
    kwargs: z.record(z.string(), Json).describe('Keyword arguments, by name.'),
    self: optional(Json.describe('Receiver of a method.')),
  }),
  outcome: z
    .strictObject({
      returned: optional(Json),
      raised: optional(z.strictObject({ class: z.string(), message: z.string() })),
      mutated_args: z.array(Json).describe('Arguments after the call, in order; empty where none changed.'),
      self_after: optional(Json.describe('Receiver after the call, where it changed.')),
      calls: z.array(z.string()).describe('Calls it made, in order.'),
      stdout: z.string(),
      files: optional(z.array(z.strictObject({ path: z.string(), sha: Sha })).describe('Files written, sorted.')),
      globals: optional(z.record(z.string(), Json).describe('Module variables changed, by name.')),
    })
    .describe('Exactly one of `returned` and `raised`.'),
  origin: z.enum(['carved', 'generated']),
});
export type Pin = z.infer<typeof Pin>;

export const Invariant = record('Invariant', 'A relation that held in every observed run.', {
  behavior: z.string(),
  target: NodeId,
  point: z.enum(['enter', 'exit', 'exit_raised']),
  form: z.string(),
  terms: z.array(z.string()).describe('In the order the form names them.'),
  support: count.describe('Observations it held in.'),
  confidence: fraction.describe('0 to 1: one minus the chance that it held by accident.'),
});
export type Invariant = z.infer<typeof Invariant>;

export const BehaviorNet = record('BehaviorNet', 'The unpatched program as an executable specification.', {
  baseline: Sha.describe('Hash of the tree it was recorded on.'),
  pins: z.array(Pin).describe('Sorted by id.'),
  invariants: z.array(Invariant).describe('Sorted by target, point, form.'),
  unpinned: z.array(z.strictObject({ target: NodeId, reason: z.string() })).describe('Sorted by target.'),
});
export type BehaviorNet = z.infer<typeof BehaviorNet>;

export const Divergence = record(
  'Divergence',
  'A behaviour that differs between the unpatched and the patched program.',
  {
    divergence_id: z.string().min(1),
    behavior: z.string(),
    kind: z.enum(['return', 'exception', 'path', 'invariant', 'side_effect', 'order', 'test', 'surface']),
    baseline: z.string().describe('What the unpatched program did.'),
    candidate: z.string().describe('What the patched program did.'),
    classification: z.enum(['regression_evidence', 'intended_change']),
    rule: z.string().describe('The rule that classified it.'),
    reproduction: optional(z.string().describe('How to see it again.')),
    masks: optional(z.array(z.string()).describe('Parts left out of the comparison, sorted.')),
  },
);
export type Divergence = z.infer<typeof Divergence>;

export const Neighbour = z
  .strictObject({
    input: Json,
    baseline: z.string().describe('What the unpatched program did on it.'),
    candidate: z.string().describe('What the patched program did on it.'),
  })
  .meta({ id: 'Neighbour', description: 'An input near the failing one, before and after.' });
export type Neighbour = z.infer<typeof Neighbour>;

const FixVerdict = z.enum(['complete', 'incomplete_fix', 'unknown']);

export const FixCompleteness = record(
  'FixCompleteness',
  'Whether the failing behaviour is gone on neighbouring inputs too.',
  {
    verdict: FixVerdict,
    neighbours: z.array(Neighbour).describe('In the order they were tried.'),
  },
);
export type FixCompleteness = z.infer<typeof FixCompleteness>;

export const Diagnostic = z
  .strictObject({
    location: optional(Loc.describe('Absent: of the whole project.')),
    code: z.string(),
    message: z.string(),
    severity: z.enum(['error', 'warning']),
  })
  .meta({ id: 'Diagnostic', description: 'What a type checker or build said.' });
export type Diagnostic = z.infer<typeof Diagnostic>;

export const SurfaceVerdict = record('SurfaceVerdict', 'What changed in types, build and public API.', {
  types: z.array(Diagnostic).describe('New type diagnostics, by location.'),
  build: z.array(Diagnostic).describe('New build diagnostics, by location.'),
  api: z
    .array(
      z.strictObject({
        symbol: z.string(),
        change: z.string(),
        breaking: z.enum(['major', 'minor', 'patch', 'unknown']),
        before: z.string().describe('Its declaration before; "" where it is new.'),
        after: z.string().describe('Its declaration after; "" where it is gone.'),
        witness: optional(z.string().describe('Id of the divergence that shows a break the signature does not.')),
      }),
    )
    .describe('Sorted by symbol.'),
  package_shape: z.array(z.string()).describe('Changes of exports, files and engines of the package, sorted.'),
});
export type SurfaceVerdict = z.infer<typeof SurfaceVerdict>;

export const Marker = z.enum(['intentional', 'accidental']);
export type Marker = z.infer<typeof Marker>;

export const Manifest = record(
  'Manifest',
  'Every behavioural change after the patch; routed to review, never accepted by itself.',
  {
    entries: z
      .array(
        z.strictObject({
          divergence_id: z.string(),
          behavior: z.string(),
          pinned: z.string().describe('What was pinned on the unpatched program.'),
          candidate: z.string().describe('What the patched program did.'),
          marker: Marker,
        }),
      )
      .describe('Sorted by divergence_id.'),
    routed_to: z.literal('review'),
  },
);
export type Manifest = z.infer<typeof Manifest>;

export const IntentAnnotations = exactRecord('IntentAnnotations', 'Model answer of seed 19 §4, strict.', {
  annotations: z
    .array(z.strictObject({ divergence_id: z.string(), classification: Marker }))
    .describe('In any order, each divergence at most once.'),
});
export type IntentAnnotations = z.infer<typeof IntentAnnotations>;

export const RegressionStatus = z.enum(['PROTECTED', 'DIVERGENT', 'UNPROVEN']);
export type RegressionStatus = z.infer<typeof RegressionStatus>;

export const UnexpectedDifference = z
  .strictObject({
    ...Divergence.shape,
    marker: Marker.describe('The deterministic marker.'),
    annotation: optional(Marker.describe('What the one intent call proposed.')),
    cleared: optional(
      z.literal(true).describe('With `annotations: "effective"` the annotation cleared the marker; absent: it stands.'),
    ),
  })
  .meta({ id: 'UnexpectedDifference', description: 'A divergence that the patch does not explain.' });
export type UnexpectedDifference = z.infer<typeof UnexpectedDifference>;

export const PreservationLedger = record(
  'PreservationLedger',
  'Which unchanged behaviours a patch provably kept, and which it did not.',
  {
    patch_id: Sha,
    obligations: z.array(Obligation).describe('Those with evidence, sorted by behavior.'),
    unexpected_differences: z.array(UnexpectedDifference).describe('Sorted by divergence_id.'),
    untested_obligations: z.array(Obligation).describe('Those nothing discharges, sorted by behavior.'),
    regression_status: RegressionStatus,
  },
);
export type PreservationLedger = z.infer<typeof PreservationLedger>;

export const LedgerEntry = record('LedgerEntry', 'What is stored for one patch and round.', {
  ledger: PreservationLedger,
  skip_log: z.array(z.strictObject({ test: TestId, reason: z.string() })).describe('Tests not run, sorted by test.'),
  violations: z
    .array(z.strictObject({ source: z.string(), kind: z.string(), digest: Sha.describe('Hash of what broke it.') }))
    .describe('Broken rules, such as a voided model answer, in the order they were found.'),
  fix: FixCompleteness,
  supersedes: optional(Sha.describe('Hash of the entry of an earlier round; that one stays.')),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const PatchRanking = record('PatchRanking', 'Patches by what their ledgers prove.', {
  ranked: z
    .array(
      z.strictObject({
        patch_id: Sha,
        regression_status: RegressionStatus,
        fix: FixVerdict,
        votes: count.describe('Proposals that came to this patch.'),
        evidenced_share: fraction.describe('Obligations with evidence over all obligations; 0 where there are none.'),
        reasons: z.array(z.string()).describe('What placed it, most decisive first.'),
      }),
    )
    .describe('Best first.'),
  undecided: optional(z.string().describe('Why the first place is shared.')),
});
export type PatchRanking = z.infer<typeof PatchRanking>;
