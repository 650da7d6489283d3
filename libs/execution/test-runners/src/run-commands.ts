import type { RunTests, TestCommand, TestRunReport } from '@h/contracts';
import type { Detection } from './detection.ts';
import { mergeReports } from './merge-reports.ts';
import { planTestRun } from './plan-test-run.ts';
import { executables, type RunTestsOptions, runCommand, type TestHost } from './run-tests.ts';
import { type CommandTest, commandDetection } from './runners/command.ts';

/** Detections of several commands. A script that more than one of them runs is a program, and its statements count. */
export function commandDetections(commands: readonly CommandTest[]): Detection[] {
  const plain = commands.map(commandDetection);
  const scripts = plain.map(({ evidence }) => evidence[0]);
  return commands.map((command, index) => {
    const script = scripts[index];
    const isShared = script !== undefined && scripts.filter((other) => other === script).length > 1;
    return isShared && command.coverScript === undefined
      ? commandDetection({ ...command, coverScript: true })
      : (plain[index] as Detection);
  });
}

/**
 * Runs commands one after another, each in a private copy of the tree, and reports them as the tests of one report:
 * passed is exit code 0. `tests` chooses by label; `testTimeoutMs` limits each. No command to run gives an empty report.
 */
export async function runCommands(
  commands: readonly CommandTest[],
  host: TestHost,
  options: RunTestsOptions = {},
): Promise<TestRunReport> {
  const reports: TestRunReport[] = [];
  for (const detection of commandDetections(commands)) {
    if (options.tests?.includes(detection.command?.label ?? '') === false) continue;
    const { command, notes } = planTestRun(detection, {
      mode: 'run',
      coverage: options.coverage ?? false,
      ...(options.testTimeoutMs === undefined ? {} : { testTimeoutMs: options.testTimeoutMs }),
      ...executables(host),
    });
    reports.push(await runCommand(command, host, host.tree, notes, options));
  }
  if (reports.length > 0) return mergeReports(reports);
  return { runner: 'command', environment: host.environment, execution_ids: [], tests: [], collection_errors: [] };
}

/** A `RunTests` that runs the given commands too, on the same tree, and merges the reports: what validation of patches takes. */
export function withCommands(runTests: RunTests, commands: readonly TestCommand[]): RunTests {
  return async (command, tree, options) => {
    const reports = [await runTests(command, tree, options)];
    for (const extra of commands) reports.push(await runTests(extra, tree, options));
    return mergeReports(reports);
  };
}
