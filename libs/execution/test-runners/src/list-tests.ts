import type { CollectedTest } from '@h/agents';
import type { CollectionError, ObserveOptions } from '@h/contracts';
import type { Detection } from './detection.ts';
import { planTestRun } from './plan-test-run.ts';
import { planningOf, runCommand, type TestHost } from './run-tests.ts';

export interface TestList {
  /** In the order the runner would run them. */
  readonly tests: readonly CollectedTest[];
  readonly collection_errors: readonly CollectionError[];
  readonly notes: readonly string[];
}

/** Tests that a runner finds, without running any; modules are imported, as collecting does. */
export async function listTests(detection: Detection, host: TestHost, options: ObserveOptions = {}): Promise<TestList> {
  const { command, notes } = planTestRun(detection, { mode: 'list', ...planningOf(host) });
  const report = await runCommand(command, host, host.tree, notes, options);
  return {
    tests: report.tests.map(({ test, file }) => ({ test, file })),
    collection_errors: report.collection_errors,
    notes: report.notes ?? [],
  };
}
