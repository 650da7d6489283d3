export { type AssembledPack, assemblePack, type PackParts } from './assemble-pack.ts';
export { RETURNS_PER_OBSERVATION } from './build-observation.ts';
export { checkClaim, checkClaims } from './check-claim.ts';
export { type CitationRate, gateCitationRate } from './gate-citation-rate.ts';
export { type GateOptions, gatePack, type Violation } from './gate-pack.ts';
export { type JudgeOptions, judgeHypotheses } from './judge-hypotheses.ts';
export { type Expectation, parseExpectation } from './parse-expectation.ts';
export { readClaims } from './read-claims.ts';
export { type RenderOptions, renderEvidence } from './render-evidence.ts';
