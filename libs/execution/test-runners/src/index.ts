export { buildReport, type ReportContext } from './build-report.ts';
export { type Agreement, compareReports } from './compare-reports.ts';
export { type DependencyRoot, dependencyRoots } from './dependency-roots.ts';
export { type DetectOptions, detectRunners } from './detect-runners.ts';
export type { Detection, PlanOptions, RunnerName } from './detection.ts';
export { listTests, type TestList } from './list-tests.ts';
export { markFlaky } from './mark-flaky.ts';
export { mergeReports } from './merge-reports.ts';
export type { JUnitPlace } from './name-junit-test.ts';
export { planTestRun, type TestPlan } from './plan-test-run.ts';
export { type JUnitReport, readJUnit } from './read-junit.ts';
export { type BatchOptions, createRunBatch } from './run-batch.ts';
export {
  commandDetections,
  createSuiteRunner,
  planTest,
  runSuite,
  type Suite,
  type SuiteRunner,
} from './run-suite.ts';
export { createRunTests, hangLimit, type RunTestsOptions, runTests, type TestHost } from './run-tests.ts';
export {
  type CommandTest,
  commandDetection,
  commandLanguage,
  type DetectedCommand,
  parseCommand,
} from './runners/command.ts';
export { writeJUnit } from './write-junit.ts';
