// Which tests a session runs: the project's runner, detected or named, and the commands that the caller gave.
import {
  type CommandTest,
  commandDetections,
  type Detection,
  detectRunners,
  parseCommand,
  type RunnerName,
} from '@h/test-runners';
import { badInput, noTestsFound } from './errors.ts';
import type { SessionOptions } from './open-session.ts';
import type { Repository } from './read-repository.ts';

/** The members of the suite, and a note on each runner that was found and is not run. Throws a `PipelineError` where there is nothing to run. */
export async function chooseSuite(
  repository: Repository,
  { runner, commands: given = [], junit = [] }: SessionOptions,
): Promise<{ suite: [Detection, ...Detection[]]; others: string[] }> {
  const commands = commandDetections(withJUnit(given.map(parseCommand), junit));
  const labels = commands.map(({ command }) => command?.label ?? '');
  const twice = labels.find((label, index) => labels.indexOf(label) !== index);
  if (twice !== undefined)
    throw badInput(
      `Two commands are named ${JSON.stringify(twice)}.`,
      'Give each a label of its own: --command a="…" b="…".',
    );
  const detections = await detectRunners(repository.reader);
  const fitting = runner === undefined ? detections : await detectNamed(repository, runner);
  const [detection, ...rest] = fitting;
  if (detection === undefined && runner !== undefined && detections.length > 0) {
    const found = detections.map((one) => one.runner).join(', ');
    throw badInput(`No ${runner} tests in ${repository.dir}.`, `Either leave --runner out or name one of: ${found}.`);
  }
  const [first, ...further] = commands;
  if (detection === undefined && first !== undefined) return { suite: [first, ...further], others: [] };
  if (detection === undefined)
    throw noTestsFound(
      `no pytest, unittest, vitest, jest, mocha or node:test project in ${repository.dir} (${repository.entries.length} files)`,
    );
  const others = rest.map(
    (one) => `also found, not run: ${one.runner} in ${one.cwd === '' ? 'the root' : one.cwd} (${one.reason})`,
  );
  return { suite: [detection, ...commands], others: [...(detection.notes ?? []), ...others] };
}

/** Detections of a runner by its name, also where the project's files speak for another. */
async function detectNamed({ reader }: Repository, name: string): Promise<Detection[]> {
  const runner = RUNNERS.find((one) => one === name);
  return runner === undefined ? [] : detectRunners(reader, { runner });
}

const RUNNERS: readonly RunnerName[] = ['pytest', 'unittest', 'vitest', 'jest', 'mocha', 'node:test'];

/** Gives each command the JUnit file named for it. */
function withJUnit(commands: readonly CommandTest[], junit: readonly string[]): CommandTest[] {
  const paths = new Map(
    junit.map((text) => {
      const [, label, path] = /^(.+?)=(.+)$/s.exec(text) ?? [];
      if (label === undefined || path === undefined || !commands.some((command) => command.label === label))
        throw badInput(
          `No command for the JUnit file ${JSON.stringify(text)}.`,
          'Write --junit label=path with the label of a command: --command it="make test" --junit it=report.xml.',
        );
      return [label, path];
    }),
  );
  return commands.map((command) => {
    const path = paths.get(command.label);
    return path === undefined ? command : { ...command, junit: path };
  });
}
