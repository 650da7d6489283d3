export type { BatchUse } from './batch-first.ts';
export { ValidateError, type ValidateErrorCode } from './errors.ts';
export { type Judgement, judgeRun, type TestExpectation } from './judge-run.ts';
export {
  type CandidateChange,
  type ValidateOptions,
  type Validation,
  validateCandidates,
} from './validate-candidates.ts';
