// Records of diagnosis (seed 12): from a spectrum to a gated pack of observed values.
import { z } from 'zod';
import {
  bytes,
  count,
  exactRecord,
  fraction,
  LineSet,
  Loc,
  optional,
  RepoPath,
  record,
  Sha,
  TestId,
} from './define-record.ts';
import { TestOutcome } from './execution.ts';

export const StatementKind = z.enum(['statement', 'import', 'definition']);
export type StatementKind = z.infer<typeof StatementKind>;

export const SpectrumStatement = z
  .strictObject({
    file: RepoPath,
    first: z.int().min(1).describe('First line of the statement, 1-based; names the entity.'),
    last: z.int().min(1).describe('Last line of the statement, inclusive.'),
    kind: StatementKind,
  })
  .meta({ id: 'SpectrumStatement' });
export type SpectrumStatement = z.infer<typeof SpectrumStatement>;

export const Spectrum = record('Spectrum', 'Which test executed which statement: all that fault localization reads.', {
  tests: z.array(z.strictObject({ id: TestId, outcome: TestOutcome })),
  statements: z.array(SpectrumStatement),
  hits: z
    .array(LineSet)
    .describe('Per test, in the order of `tests`: the 0-based indexes into `statements` it executed.'),
});
export type Spectrum = z.infer<typeof Spectrum>;

export const RankedStatement = z
  .strictObject({
    location: Loc,
    score: z.number().describe('The pure formula, before the rule for statements that every run executes.'),
    tier: z
      .enum(['discriminating', 'reserve'])
      .describe('reserve: executed by every run, of which some passed; ranked behind the rest, suspiciousness 0.0.'),
    failed_runs: count,
    passed_runs: count,
    rank: z.int().min(1).describe('1-based position in the order.'),
    tie_size: z.int().min(1).describe('Statements of the same tier and score, this one included.'),
    group: count.describe('Statements that no test tells apart share a group, numbered from 0 in ranking order.'),
  })
  .meta({ id: 'RankedStatement' });
export type RankedStatement = z.infer<typeof RankedStatement>;

const ExcludedTest = z.strictObject({ test: TestId, why: z.string() });

export const SpectrumReport = record('SpectrumReport', 'Ranked statements with everything the ranking rests on.', {
  formula: z.string(),
  verdict: z.enum(['ok', 'no_contrast']).describe('no_contrast: no passing run, the order is the tie-break alone.'),
  total_failed: count,
  total_passed: count,
  statements: z.array(RankedStatement).describe('In rank order; all executed by a failing run, not cut.'),
  excluded_tests: z.array(ExcludedTest),
  per_test: optional(z.array(z.strictObject({ test: TestId, statements: z.array(RankedStatement) }))),
});
export type SpectrumReport = z.infer<typeof SpectrumReport>;

export const CandidateProbePoints = record('CandidateProbePoints', 'Seed 12 §3.1: the bounded ranked list, exactly.', {
  candidate_probe_points: z
    .array(
      z.strictObject({
        rank: z.int().min(1),
        location: Loc,
        suspiciousness: fraction,
        failed_runs: count,
        passed_runs: count,
      }),
    )
    .max(50),
});
export type CandidateProbePoints = z.infer<typeof CandidateProbePoints>;

export const HypothesisSet = exactRecord('HypothesisSet', 'Model answer of seed 12 §4, strict.', {
  debugging_question: z.string(),
  hypotheses: z
    .array(
      z.strictObject({
        hypothesis_id: z.string(),
        claim: z.string(),
        observe: z.strictObject({ variable: z.string(), location: z.string() }),
        expectation: z
          .string()
          .describe(
            '`== v` `!= v` `< v` `<= v` `> v` `>= v` `in [..]` `is type T` `raises E` `branch taken|not taken`.',
          ),
      }),
    )
    .max(4),
});
export type HypothesisSet = z.infer<typeof HypothesisSet>;

export const ProbePlan = record('ProbePlan', 'At most sixteen points to observe.', {
  probe_points: z
    .array(
      z.strictObject({
        id: z.string(),
        location: Loc,
        block: z.string(),
        variables: z.array(z.string()),
        source: z.enum(['hypothesis', 'sbfl', 'failure_neighborhood']),
      }),
    )
    .max(16),
  unresolved: optional(z.array(z.strictObject({ hypothesis_id: z.string(), why: z.string() }))),
});
export type ProbePlan = z.infer<typeof ProbePlan>;

export const TracePlan = record(
  'TracePlan',
  'The declared dense stream for slicing; its events carry probe_id "trace".',
  {
    functions: z.array(z.string()).describe('"file::qualified_name".'),
    variables: z.array(z.string()),
    max_bytes: bytes,
  },
);
export type TracePlan = z.infer<typeof TracePlan>;

export const InstrumentedArtifact = record(
  'InstrumentedArtifact',
  'A copy of the program with the planned probes in it.',
  {
    instrumented_artifact: Sha,
    probe_specs: z.array(
      z.strictObject({
        id: z.string(),
        location: Loc,
        method: z.enum(['print', 'settrace', 'inject', 'inspector']),
        variables: z.array(z.string()),
      }),
    ),
  },
);
export type InstrumentedArtifact = z.infer<typeof InstrumentedArtifact>;

export const ValueText = record(
  'ValueText',
  "An observed value: bounded, free of addresses, made without running the target's own code.",
  {
    type: z.string(),
    text: z.string().max(4096).describe('Depth 4, 20 items a container, 200 characters a string, 4 KiB in all.'),
    truncated: z.boolean(),
    ref: optional(count.describe('Serial of the object within the run: equal refs are the same object.')),
  },
);
export type ValueText = z.infer<typeof ValueText>;

const Values = z.record(z.string(), ValueText);

export const RawEvent = record('RawEvent', 'One captured event; internal, never shown to a model.', {
  execution_id: Sha,
  sequence: count,
  kind: z.enum(['path', 'value', 'state_delta']),
  probe_id: z.string(),
  location: Loc,
  payload: z.strictObject({
    variables: optional(Values),
    branch_taken: optional(z.string()),
    return_value: optional(ValueText),
    exception: optional(ValueText),
    state_delta: optional(z.strictObject({ from: Values, to: Values })),
  }),
});
export type RawEvent = z.infer<typeof RawEvent>;

export const DefUseLogHeader = record(
  'DefUseLogHeader',
  'First line of the columnar dense stream; the columns follow it as bytes.',
  {
    version: z.literal(1),
    execution_id: Sha,
    rows: count,
    columns: z.array(
      z.strictObject({
        name: z.enum(['statement', 'frame', 'defs', 'uses', 'heap', 'control_parent', 'exception']),
        encoding: z.enum(['uint32', 'varint', 'json_lines']),
        bytes,
      }),
    ),
    statements: z.array(Loc).describe('Statement numbers of the columns index this list, from 0.'),
    truncated: z.boolean(),
  },
);
export type DefUseLogHeader = z.infer<typeof DefUseLogHeader>;

export const DivergenceRecord = record('DivergenceRecord', 'Where the failing run first differs from a passing one.', {
  passing_execution_id: optional(Sha),
  failing_execution_id: Sha,
  first_divergence: z.nullable(
    z.strictObject({
      location: Loc,
      probe_id: z.string(),
      passing_value: ValueText,
      failing_value: ValueText,
      sequence: count.describe('Sequence in the failing stream.'),
    }),
  ),
  centered_record: z.array(RawEvent),
  primary_suspects: z.array(z.string()),
  reason: optional(
    z.string().describe('Why there is no divergence: no_divergence, nondeterministic, no_passing_sibling, …'),
  ),
  masked: optional(z.array(z.string()).describe('Values that differ between equal runs.')),
  sibling: optional(z.strictObject({ test: TestId, why: z.string() })),
});
export type DivergenceRecord = z.infer<typeof DivergenceRecord>;

export const DynamicSlice = record('DynamicSlice', 'The observed statements a failing value depends on.', {
  slice: z.array(
    z.strictObject({
      location: Loc,
      value: ValueText,
      relation: z.enum(['data_dependency', 'control_dependency', 'root']),
    }),
  ),
  links: z
    .array(z.strictObject({ execution_id: Sha, sequence: count }))
    .describe('Per slice item: the event it came from.'),
  discarded: count,
  irreducible: optional(z.literal(true)),
});
export type DynamicSlice = z.infer<typeof DynamicSlice>;

export const StateObservation = exactRecord('StateObservation', 'Seed 12 §3.8: exactly these six fields.', {
  execution_id: Sha,
  location: z.string().min(1).describe('"file:line" or a symbol.'),
  path_index: count.describe('Place on the execution path, from 0.'),
  variables: Values,
  return_values: Values.describe('By call site.'),
  branch_taken: z.string(),
});
export type StateObservation = z.infer<typeof StateObservation>;

export const EvidencePack = record('EvidencePack', 'The only run-time state that may be cited; one per diagnosis.', {
  evidence_pack: z.array(StateObservation),
  primary_suspects: z.array(z.string()),
  execution_ids: z.array(Sha),
  gated: z.literal(true),
});
export type EvidencePack = z.infer<typeof EvidencePack>;

export const Claim = record('Claim', 'A statement about run-time state that can be checked against a pack.', {
  kind: z.enum(['variable', 'return', 'branch']),
  location: z.string(),
  name: z.string(),
  value: ValueText,
  execution_id: optional(Sha),
});
export type Claim = z.infer<typeof Claim>;

export const ClaimCheck = record('ClaimCheck', 'What the pack says of a claim.', {
  claim: Claim,
  verdict: z.enum(['supported', 'contradicted', 'absent']),
  observed: optional(z.array(ValueText)),
});
export type ClaimCheck = z.infer<typeof ClaimCheck>;

export const HypothesisVerdict = record('HypothesisVerdict', 'What the observations say of a hypothesis.', {
  hypothesis_id: z.string(),
  verdict: z.enum(['eliminated', 'consistent', 'unobserved']),
  by: optional(z.array(count).describe('0-based indexes into evidence_pack.')),
});
export type HypothesisVerdict = z.infer<typeof HypothesisVerdict>;
