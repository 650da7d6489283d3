// What a package's own runner says of its tests, without anything of ours in between: the measure for `check:real-suites`.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestOutcome } from '@h/contracts';
import { readJUnit } from '@h/test-runners';
import { execa } from 'execa';
import type { ObtainedPackage } from './real-package.ts';
import { javascriptRunners } from './run-own-javascript.ts';

export interface OwnOutcomes {
  /** `pytest 8.3.4`. */
  readonly runner: string;
  /** By the id that H gives the test. */
  readonly outcomes: ReadonlyMap<string, TestOutcome>;
}

/** Runs the suite in a copy of the project with the runner's own command line, and reads the report it writes. */
export async function runOwnRunner(obtained: ObtainedPackage): Promise<OwnOutcomes> {
  const scratch = mkdtempSync(join(tmpdir(), 'h-own-'));
  try {
    const copy = join(scratch, 'project');
    const { folder } = obtained;
    const environment = obtained.python === undefined ? 'node_modules' : '.venv';
    cpSync(folder, copy, { recursive: true, filter: (path) => path !== join(folder, environment) });
    symlinkSync(join(folder, environment), join(copy, environment));
    const run = RUNNERS[obtained.pin.runner];
    if (run === undefined) throw new Error(`${obtained.pin.name}: no way to ask ${obtained.pin.runner} itself`);
    return await run(obtained, copy, join(scratch, 'report.xml'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

type OwnRunner = (obtained: ObtainedPackage, copy: string, report: string) => Promise<OwnOutcomes>;

const RUNNERS: Partial<Record<ObtainedPackage['pin']['runner'], OwnRunner>> = {
  pytest,
  unittest,
  ...javascriptRunners,
};

async function pytest(obtained: ObtainedPackage, copy: string, report: string): Promise<OwnOutcomes> {
  const flags = ['-m', 'pytest', '-p', 'no:cacheprovider', '-q', '-rX', `--junitxml=${report}`];
  const said = await python(obtained, copy, flags);
  const own = await readOutcomes(obtained, copy, report, 'pytest');
  // in JUnit XML an unexpected success is a success; the summary tells them apart
  const outcomes = new Map(own.outcomes);
  for (const [, line = ''] of said.matchAll(/^XPASS (.*)$/gm)) {
    const test = [...outcomes.keys()].find((name) => line === name || line.startsWith(`${name} - `));
    if (test !== undefined) outcomes.set(test, 'xpassed');
  }
  return { ...own, outcomes };
}

async function unittest(obtained: ObtainedPackage, copy: string, report: string): Promise<OwnOutcomes> {
  await python(obtained, copy, ['-m', 'xmlrunner', 'discover', '--output-file', report]);
  return readOutcomes(obtained, copy, report, 'unittest-xml-reporting');
}

/** A suite may fail: what counts is its report. */
async function python(obtained: ObtainedPackage, copy: string, args: readonly string[]): Promise<string> {
  const sources = join(copy, obtained.pin.sources ?? '.');
  const env = { PYTHONPATH: sources, PYTHONHASHSEED: '0', TZ: 'UTC', LC_ALL: 'C.UTF-8', NO_COLOR: undefined };
  const options = { cwd: copy, env, reject: false, stdin: 'ignore', maxBuffer: 1e8 } as const;
  return (await execa(obtained.python ?? 'python3', args, options)).stdout;
}

async function readOutcomes(obtained: ObtainedPackage, copy: string, report: string, distribution: string) {
  const list = await execa('find', ['.', '-name', '*.py', '-not', '-path', './.venv/*'], { cwd: copy });
  const paths = list.stdout.split('\n').map((path) => path.slice(2));
  const { tests, collection_errors, problem } = readJUnit(readFileSync(report, 'utf8'), { paths });
  if (problem !== undefined) throw new Error(`${obtained.pin.name}: ${problem}`);
  for (const { file, message } of collection_errors) console.error(`${obtained.pin.name}: ${file}: ${message}`);
  const pinned = obtained.pin.install.find((one) => one.startsWith(`${distribution}==`)) ?? distribution;
  return {
    runner: pinned.replace('==', ' '),
    outcomes: new Map(tests.map(({ test, outcome }) => [test, outcome])),
  };
}
