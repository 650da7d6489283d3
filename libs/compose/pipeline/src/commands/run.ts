import { relative } from 'node:path';
import { envelope } from '@h/contracts';
import type { Command } from 'commander';
import { DEFAULT_BUDGET, type RunOptions, type RunResult, runPipeline } from '../run-pipeline.ts';
import { openModel } from './open-model.ts';
import { positiveNumber, wholeNumber } from './option-values.ts';
import { type ProjectFlags, projectOptions, withProject } from './project-options.ts';
import { readCandidates, readText } from './read-input.ts';
import { showProgress } from './show-progress.ts';

interface Flags extends ProjectFlags {
  readonly test?: string[];
  readonly requirement?: string;
  readonly budget?: number;
  readonly timeBudget?: number;
  readonly plausible?: number;
  readonly runLimit?: number;
  readonly candidates?: string;
  readonly model?: string;
  readonly modelName?: string;
  readonly recordings?: string;
  readonly allTests?: boolean;
  readonly batch?: boolean;
  readonly observe?: boolean;
  readonly multiEdit?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const EXAMPLES = {
  run: `
Examples:
  $ h run                                        all failing tests of the project in this folder
  $ h run --repo ../shop --test tests/test_cart.py::test_total
  $ h run --budget 50 --time-budget 120          at most 50 test runs and two minutes of validation
  $ h run --candidates fix.json                  judge your own patch instead of proposing any
  $ h run --model http://localhost:8080/v1 --model-name qwen --recordings answers/
  $ h run --json | jq .data.patches`,
  diagnose: `
Examples:
  $ h diagnose                                   rank the statements behind all failing tests
  $ h diagnose --command repro="python repro.py"  a script that fails, beside the tests that pass
  $ h diagnose --test tests/test_cart.py::test_total --json`,
  propose: `
Examples:
  $ h propose --budget 50                        distinct candidates, none of them run`,
};

const MULTI_EDIT = 'candidates may be lists of changes that lie apart in a file';

/** Adds `run`, `diagnose` and `propose`. */
export function addRunCommands(program: Command, finish: (exitCode: number) => void): void {
  const run = common(program.command('run'), 'run', finish).description('diagnose, propose, validate, protect');
  run
    .option('--budget <n>', `test-runner executions to spend on candidates (default ${DEFAULT_BUDGET})`, wholeNumber)
    .option(
      '--time-budget <seconds>',
      'stop validating after this long; what was validated until then counts',
      positiveNumber,
    )
    .option('--all-tests', 'run every test on each candidate, not only those that it can reach')
    .option(
      '--no-batch',
      'start the test runner anew for each candidate: slower, and nothing is rejected on the word of a batch',
    )
    .option('--plausible <n>', 'stop after this many plausible candidates (default 5)', wholeNumber)
    .option('--multi-edit', MULTI_EDIT)
    .option('--model <url>', 'ask this OpenAI-compatible server, at most once per stage (key: H_MODEL_API_KEY)')
    .option('--model-name <name>', 'the model to ask there')
    .option('--recordings <dir>', 'keep the answers of --model here; without --model: give them again')
    .option('--candidates <file>', 'judge these candidates ("-": stdin) instead of proposing any')
    .addHelpText('after', EXAMPLES.run);
  common(program.command('diagnose'), 'diagnose', finish)
    .description('run the tests and rank the statements behind the failing ones')
    .addHelpText('after', EXAMPLES.diagnose);
  common(program.command('propose'), 'propose', finish)
    .description('diagnose, then list distinct candidates without running them')
    .option('--budget <n>', `size the list for this many executions (default ${DEFAULT_BUDGET})`, wholeNumber)
    .option('--multi-edit', MULTI_EDIT)
    .addHelpText('after', EXAMPLES.propose);
}

function common(command: Command, name: RunOptions['command'], finish: (exitCode: number) => void): Command {
  return withProject(command)
    .option('--test <id...>', 'failing tests to explain (default: all that fail)')
    .option('--requirement <text>', 'what the change must do: text, or @file')
    .option('--no-observe', 'no probes: no first divergence and no evidence pack')
    .option('--run-limit <seconds>', 'end a single test run after this long (default 300)', positiveNumber)
    .option('--json', 'print the run summary as JSON on stdout')
    .option('--quiet', 'no progress on stderr')
    .action(async (flags: Flags) => {
      finish(await execute(name, flags));
    });
}

async function execute(command: RunOptions['command'], flags: Flags): Promise<number> {
  const progress = showProgress(process.stderr, flags.quiet === true);
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    const options = await optionsOf(command, flags);
    const result = await runPipeline({ ...options, signal: interrupt.signal, onEvent: progress.onEvent });
    progress.end();
    print(result, flags.json === true);
    return result.summary.exit_code;
  } finally {
    progress.end();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

async function optionsOf(command: RunOptions['command'], flags: Flags): Promise<RunOptions> {
  return {
    command,
    ...projectOptions(flags),
    environment: process.env,
    ...(flags.test === undefined ? {} : { tests: flags.test }),
    ...(flags.requirement === undefined ? {} : { requirement: await readText(flags.requirement) }),
    ...(flags.budget === undefined ? {} : { budget: flags.budget }),
    ...(flags.timeBudget === undefined ? {} : { timeBudgetMs: flags.timeBudget * 1000 }),
    ...(flags.runLimit === undefined ? {} : { runLimitMs: flags.runLimit * 1000 }),
    ...(flags.plausible === undefined ? {} : { stopAfterPlausible: flags.plausible }),
    ...(flags.observe === false ? { observe: false } : {}),
    ...(flags.allTests === undefined ? {} : { allTests: flags.allTests }),
    ...(flags.multiEdit === undefined ? {} : { multiEdit: flags.multiEdit }),
    ...(flags.batch === false ? { batch: false } : {}),
    ...openModel(flags, process.env.H_MODEL_API_KEY),
    ...(flags.candidates === undefined ? {} : { candidates: await readCandidates(flags.candidates) }),
  };
}

function print({ summary, dir, text }: RunResult, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...envelope('RunSummary', summary), dir })}\n`);
    return;
  }
  process.stdout.write(`${text}\nRecords and patches: ${shortPath(dir)}\n`);
}

/** Relative to the current folder where that is shorter to read. */
function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
