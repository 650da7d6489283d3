export type { Collapse } from '@h/contracts';
export { type CompiledForms, compilePython, type PythonHost } from './compile-python.ts';
export { type DedupCandidate, type DedupOptions, type DedupResult, deduplicate, type Rung } from './deduplicate.ts';
export { DedupError, type DedupErrorCode } from './errors.ts';
export type { BytesReason, ProgramParser } from './read-program.ts';
