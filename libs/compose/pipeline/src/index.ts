export { EXIT, PipelineError, type PipelineErrorCode } from './errors.ts';
export { renderSummary } from './render-summary.ts';
export { DEFAULT_BUDGET, type RunOptions, type RunResult, runPipeline } from './run-pipeline.ts';
