import type { Command } from 'commander';
import type { SessionOptions } from '../open-session.ts';

/** What the command line says of a project and how its tests run. */
export interface ProjectFlags {
  readonly repo: string;
  readonly out?: string;
  readonly runner?: string;
  readonly command?: readonly string[];
  readonly testCommand?: readonly string[];
  readonly junit?: readonly string[];
  readonly python?: string;
  readonly prepare?: string;
}

/** The options of every command that runs something in a repository. */
export function withProject(command: Command): Command {
  return command
    .option('--repo <dir>', 'the repository', '.')
    .option('--runner <name>', 'pytest, unittest, vitest, jest, mocha or node:test (default: detected)')
    .option('--command <label=line...>', 'commands that count as tests by their exit code: repro="python repro.py"')
    .option('--test-command <label=line...>', 'the same as --command')
    .option('--junit <label=path...>', 'JUnit XML that a command writes: its test cases count as tests')
    .option('--python <path>', 'the Python that runs the tests (default: the virtual environment found, else python3)')
    .option('--prepare <line>', 'build step before each run of tests, in its private copy: "npm run build"')
    .option('--out <dir>', 'keep what H writes in this folder (default: <repo>/.h)');
}

/** The flags as `openSession` takes them. */
export function projectOptions({ repo, out, runner, python, prepare, ...flags }: ProjectFlags): ProjectOptions {
  const commands = [...(flags.command ?? []), ...(flags.testCommand ?? [])];
  return {
    repo,
    ...(out === undefined ? {} : { out }),
    ...(runner === undefined ? {} : { runner }),
    ...(commands.length === 0 ? {} : { commands }),
    ...(flags.junit === undefined ? {} : { junit: flags.junit }),
    ...(python === undefined ? {} : { python }),
    ...(prepare === undefined ? {} : { prepare }),
  };
}

type ProjectOptions = Pick<SessionOptions, 'repo' | 'out' | 'runner' | 'commands' | 'junit' | 'python' | 'prepare'>;
