// `@h/sandbox/testing`: whether an executor of yours keeps what users of executors rely on.
export { type ConformanceCheck, type ConformanceOptions, checkExecutor } from './testing/check-executor.ts';
