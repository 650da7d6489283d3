export type { Collapse } from '@h/contracts';
export { type DedupCandidate, type DedupOptions, type DedupResult, deduplicate } from './deduplicate.ts';
export { DedupError, type DedupErrorCode } from './errors.ts';
export type { BytesReason, ProgramParser } from './read-program.ts';
