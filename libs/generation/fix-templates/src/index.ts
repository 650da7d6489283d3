export type { CandidateBatch, ProposedEdit } from '@h/contracts';
export type { Donor, DonorKind, SeenCall } from './collect-donors.ts';
export type { SeenLiteral, SeenMemberNames } from './collect-facts.ts';
export type { OffsetRange, TreeNode } from './copy-tree.ts';
export { FixTemplatesError, type FixTemplatesErrorCode } from './errors.ts';
export type { FailureEvidence } from './fit-failure.ts';
export type {
  AugmentedAssignment,
  Call,
  Grammar,
  IntegerPlace,
  Jump,
  LiteralKind,
  Member,
  Operation,
  Phrases,
  StatementGrammar,
} from './languages/grammar.ts';
export type { Operator, OperatorFamily, OperatorTable } from './languages/operators.ts';
export { orderProposals } from './order-proposals.ts';
export { type PairOptions, pairEdits } from './pair-edits.ts';
export {
  type ProposalLimits,
  type ProposalOptions,
  proposeEdits,
  type RepairTarget,
  type SourceFile,
} from './propose-edits.ts';
export type { NameAlternative, Replacement, Site, Template } from './template.ts';
export { ALL_TEMPLATES } from './templates/all-templates.ts';
