// Records of diagnosis (seed 12): from a spectrum to a gated pack of observed values.
import { z } from 'zod';
import { bytes, count, exactRecord, Loc, optional, record, Sha, TestId } from './define-record.ts';
import { TestFailure, TestOutcome } from './execution.ts';
import { ValueText } from './value-text.ts';

export {
  CandidateProbePoints,
  RankedStatement,
  RefinedRanking,
  Spectrum,
  SpectrumReport,
  SpectrumStatement,
  StatementKind,
} from './spectrum.ts';
export { ValueText };

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
    .max(4)
    .describe('At most four, in the order they are to be observed.'),
});
export type HypothesisSet = z.infer<typeof HypothesisSet>;

export const ProbePlan = record('ProbePlan', 'At most sixteen points to observe.', {
  probe_points: z
    .array(
      z.strictObject({
        id: z.string().describe('"PP1", "PP2", … in the order of the plan.'),
        location: Loc,
        block: z.string(),
        variables: z.array(z.string()).describe('Names recorded here, sorted; no other variable ever is.'),
        source: z.enum(['hypothesis', 'sbfl', 'failure_neighborhood']),
      }),
    )
    .max(16)
    .describe('Hypothesis points first, in order, then by rank.'),
  unresolved: optional(
    z
      .array(z.strictObject({ hypothesis_id: z.string(), why: z.string() }))
      .describe('Hypotheses whose point could not be planned, in order.'),
  ),
});
export type ProbePlan = z.infer<typeof ProbePlan>;

export const TracePlan = record(
  'TracePlan',
  'The declared dense stream for slicing; its events carry probe_id "trace".',
  {
    functions: z.array(z.string()).describe('"file::qualified_name", sorted.'),
    variables: z.array(z.string()).describe('Names recorded, sorted.'),
    max_bytes: bytes.describe('Bytes of the stream; what exceeds them is dropped and said.'),
  },
);
export type TracePlan = z.infer<typeof TracePlan>;

export const InstrumentedArtifact = record(
  'InstrumentedArtifact',
  'A copy of the program with the planned probes in it.',
  {
    instrumented_artifact: Sha.describe('Hash of the TreeManifest of the copy.'),
    probe_specs: z
      .array(
        z.strictObject({
          id: z.string(),
          location: Loc,
          method: z.enum(['print', 'settrace', 'inject', 'inspector']),
          variables: z.array(z.string()).describe('As in the plan.'),
        }),
      )
      .describe('In the order of the plan.'),
  },
);
export type InstrumentedArtifact = z.infer<typeof InstrumentedArtifact>;

const Values = z.record(z.string(), ValueText);

export const RawEvent = record('RawEvent', 'One captured event; internal, never shown to a model.', {
  execution_id: Sha,
  sequence: count.describe('Position in the stream of the run, from 0.'),
  kind: z.enum(['path', 'value', 'state_delta']),
  probe_id: z.string().describe('Id of the probe point, or "trace".'),
  location: Loc,
  payload: z.strictObject({
    variables: optional(Values.describe('By name.')),
    branch_taken: optional(z.string()),
    return_value: optional(ValueText),
    exception: optional(ValueText),
    state_delta: optional(
      z.strictObject({ from: Values.describe('Before, by name.'), to: Values.describe('After, by name.') }),
    ),
  }),
});
export type RawEvent = z.infer<typeof RawEvent>;

export const DefUseLogHeader = record(
  'DefUseLogHeader',
  'First line of the columnar dense stream; the columns follow it as bytes.',
  {
    version: z.literal(1).describe('Major version of the columns.'),
    execution_id: Sha,
    rows: count.describe('Events, in the order they happened.'),
    columns: z
      .array(
        z.strictObject({
          name: z.enum(['statement', 'frame', 'defs', 'uses', 'heap', 'control_parent', 'exception', 'values']),
          encoding: z.enum(['uint32', 'varint', 'json_lines']),
          bytes: bytes.describe('Length of the column in bytes.'),
        }),
      )
      .describe('In the order the columns follow.'),
    statements: z.array(Loc).describe('Statement numbers of the columns index this list, from 0.'),
    effects: optional(
      z
        .array(
          z.strictObject({
            function: z.string().describe('Qualified name; "" at module level.'),
            role: z.enum(['entry', 'statement', 'branch', 'return']),
            defs: z.array(z.string()).describe('As in DefUseRow, sorted.'),
            may_defs: z.array(z.string()).describe('As in DefUseRow, sorted.'),
            uses: z.array(z.string()).describe('As in DefUseRow, sorted.'),
            yields: optional(z.boolean()),
            guarded: optional(z.boolean()),
          }),
        )
        .describe('Per statement, in the same order: what `DefUseRow` says of it each time it runs that way.'),
    ),
    truncated: z.boolean(),
  },
);
export type DefUseLogHeader = z.infer<typeof DefUseLogHeader>;

export const DefUseRow = record(
  'DefUseRow',
  'One executed statement of the dense stream, decoded: what it wrote and read, and what decided that it ran.',
  {
    sequence: count.describe('Sequence of the RawEvent with its values, from 0.'),
    location: Loc,
    function: z.string().describe('Qualified name of the function it belongs to; "" at module level.'),
    frame: count.describe('Serial of the activation of that function within the run, from 0.'),
    role: z
      .enum(['entry', 'statement', 'branch', 'return'])
      .describe('entry: parameters bound as the function starts.'),
    defs: z.array(z.string()).describe('Names and access paths ("self.total") surely written, sorted.'),
    may_defs: z
      .array(z.string())
      .describe('Names and access paths whose object may have been changed, sorted: a call on or with it.'),
    uses: z.array(z.string()).describe('Names and access paths read, sorted.'),
    control_parent: optional(count.describe('Sequence of the branch, or of the entry, that decided that this ran.')),
    caller: optional(
      count.describe('entry only: sequence of the row under way in the calling frame; absent: unknown.'),
    ),
    completed: z.boolean().describe('false: it raised, or the run ended in it.'),
    yields: optional(z.boolean().describe('Whether it gives a value out of a generator; absent: not known.')),
    guarded: optional(
      z.boolean().describe('Whether a handler of the same function catches what it raises; absent: not known.'),
    ),
  },
);
export type DefUseRow = z.infer<typeof DefUseRow>;

export const ObservedRun = record('ObservedRun', 'One observed run of one test; internal, never shown to a model.', {
  execution_id: Sha,
  test: TestId,
  outcome: TestOutcome,
  failure: optional(TestFailure),
  events: z.array(RawEvent).describe('By sequence: the sequence is the index.'),
  rows: z.array(DefUseRow).describe('By sequence; one per event.'),
  truncated: z.boolean().describe('true: the declared bound was reached, events are missing.'),
  thinned: optional(
    z
      .array(
        z.strictObject({
          location: Loc,
          probe_id: z.string().describe('Id of the probe point, or "trace".'),
          executed: count.describe('Times it ran.'),
          recorded: count.describe(
            'Of those, how many are events: all until the bound was reached, then the first and the last ones.',
          ),
        }),
      )
      .describe('Statements that ran more often than is recorded, by location; absent: none is known.'),
  ),
  gaps: optional(
    z.array(count).describe('Sequences of events right before which others are missing, ascending; absent: none.'),
  ),
  notes: z.array(z.string()).describe('What could not be observed, and why.'),
});
export type ObservedRun = z.infer<typeof ObservedRun>;

export const DivergenceRecord = record('DivergenceRecord', 'Where the failing run first differs from a passing one.', {
  passing_execution_id: optional(Sha.describe('Absent: no passing sibling.')),
  failing_execution_id: Sha,
  first_divergence: z
    .nullable(
      z.strictObject({
        location: Loc,
        probe_id: z.string(),
        passing_value: ValueText,
        failing_value: ValueText,
        sequence: count.describe('Sequence in the failing stream, from 0.'),
        name: optional(z.string().describe('What differs: a variable, or "branch", "return", "raise".')),
        passing_sequence: optional(count.describe('Sequence in the passing stream, from 0.')),
      }),
    )
    .describe('null: none was found, see `reason`.'),
  centered_record: z.array(RawEvent).describe('Events around the divergence, by sequence.'),
  primary_suspects: z.array(z.string()).describe('The values that differ, first difference first.'),
  reason: optional(
    z.string().describe('Why there is none: no_divergence, truncated, nondeterministic, not_checked, …'),
  ),
  masked: optional(z.array(z.string()).describe('Values that differ between equal runs, sorted.')),
  sibling: optional(
    z.strictObject({ test: TestId, why: z.string() }).describe('The passing test that was compared with.'),
  ),
});
export type DivergenceRecord = z.infer<typeof DivergenceRecord>;

export const DynamicSlice = record('DynamicSlice', 'The observed statements a failing value depends on.', {
  slice: z
    .array(
      z.strictObject({
        location: Loc,
        value: ValueText,
        relation: z.enum(['data_dependency', 'control_dependency', 'root']),
      }),
    )
    .describe('Root first, then backwards through the run.'),
  links: z
    .array(
      z.strictObject({
        execution_id: Sha,
        sequence: count.describe('Sequence of the event, from 0.'),
        depth: optional(count.describe('Dependences to the failure, 0: itself; the fewest without omissions.')),
      }),
    )
    .describe('Per slice item, in the same order: the event it came from, and how far it is from the failure.'),
  discarded: count.describe('Events of the centered record that are not in the slice.'),
  irreducible: optional(z.literal(true).describe('Present where nothing could be discarded.')),
  incomplete: optional(z.literal(true).describe('Present where events of the run are missing: so may statements.')),
});
export type DynamicSlice = z.infer<typeof DynamicSlice>;

export const StateObservation = exactRecord('StateObservation', 'Seed 12 §3.8: exactly these six fields.', {
  execution_id: Sha,
  location: z.string().min(1).describe('"file:line" or a symbol.'),
  path_index: count.describe('Place on the execution path, from 0.'),
  variables: Values.describe('By name.'),
  return_values: Values.describe('By call site.'),
  branch_taken: z.string().describe('Branch at the nearest decision point; "" where there is none.'),
});
export type StateObservation = z.infer<typeof StateObservation>;

export const EvidencePack = record('EvidencePack', 'The only run-time state that may be cited; one per diagnosis.', {
  evidence_pack: z.array(StateObservation).describe('By execution, then path_index.'),
  primary_suspects: z.array(z.string()).describe('As in the divergence record.'),
  execution_ids: z.array(Sha).describe('Runs the observations come from, sorted.'),
  gated: z.literal(true),
});
export type EvidencePack = z.infer<typeof EvidencePack>;

export const Claim = record('Claim', 'A statement about run-time state that can be checked against a pack.', {
  kind: z.enum(['variable', 'return', 'branch']),
  location: z.string().describe('"file:line" or a symbol.'),
  name: z.string().describe('Variable, call site or branch.'),
  value: ValueText,
  execution_id: optional(Sha.describe('Absent: of any run in the pack.')),
});
export type Claim = z.infer<typeof Claim>;

export const ClaimCheck = record('ClaimCheck', 'What the pack says of a claim.', {
  claim: Claim,
  verdict: z.enum(['supported', 'contradicted', 'absent']),
  observed: optional(z.array(ValueText).describe('Values the pack holds there, in the order of the pack.')),
});
export type ClaimCheck = z.infer<typeof ClaimCheck>;

const UNOBSERVED = ['not_in_pack', 'undecidable', 'run_not_given', 'run_incomplete', 'other_step'] as const;
export const HypothesisVerdict = record('HypothesisVerdict', 'What the observations say of a hypothesis.', {
  hypothesis_id: z.string(),
  verdict: z.enum(['eliminated', 'consistent', 'unobserved']),
  by: optional(z.array(count).describe('0-based indexes into evidence_pack, ascending.')),
  why: optional(
    z.enum(UNOBSERVED).describe('Present where unobserved; the last three: the pack alone contradicts it.'),
  ),
});
export type HypothesisVerdict = z.infer<typeof HypothesisVerdict>;
