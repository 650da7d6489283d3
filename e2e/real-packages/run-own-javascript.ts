// What the JavaScript runners say of a package's tests: the JSON of vitest and jest; for mocha and node:test, whose own reports do
// not tell the suites of a test apart, what their events are called with.
import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { TestOutcome } from '@h/contracts';
import { execa } from 'execa';
import type { ObtainedPackage } from './real-package.ts';

interface Told {
  readonly names: readonly string[];
  /** Absolute. */
  readonly file: string;
  readonly outcome: TestOutcome;
}

const OUTCOMES: Readonly<Record<string, TestOutcome>> = { passed: 'passed', failed: 'failed' };

async function vitest(obtained: ObtainedPackage, copy: string, report: string) {
  await node(obtained, copy, ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${report}`]);
  return outcomesOf(obtained, copy, 'vitest', readJson(report));
}

async function jest(obtained: ObtainedPackage, copy: string, report: string) {
  await node(obtained, copy, ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`]);
  return outcomesOf(obtained, copy, 'jest', readJson(report));
}

interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { ancestorTitles: string[]; title: string; status: string }[];
  }[];
}

function readJson(report: string): Told[] {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as JestReport;
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      file: name,
      names: [...ancestorTitles, title],
      outcome: OUTCOMES[status] ?? 'skipped',
    })),
  );
}

const MOCHA_REPORTER = `module.exports = function (runner) {
  const told = [];
  const tell = (outcome) => (test) => told.push({ names: test.titlePath(), file: test.file, outcome });
  runner.on('pass', tell('passed'));
  runner.on('fail', tell('failed'));
  runner.on('pending', tell('skipped'));
  runner.on('end', () => require('fs').writeFileSync(process.env.OWN_REPORT, JSON.stringify(told)));
};
`;

async function mocha(obtained: ObtainedPackage, copy: string, report: string) {
  const reporter = join(dirname(report), 'reporter.cjs');
  writeFileSync(reporter, MOCHA_REPORTER);
  const args = ['node_modules/mocha/bin/mocha.js', ...(obtained.pin.args ?? []), '--reporter', reporter];
  await node(obtained, copy, args, { OWN_REPORT: report });
  return outcomesOf(obtained, copy, 'mocha', JSON.parse(readFileSync(report, 'utf8')) as Told[]);
}

/** Events come in the order of the tests: a start at each depth names what its own tests hang below. */
const NODE_REPORTER = `export default async function* (source) {
  const names = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = data.name;
    }
    if ((type === 'test:pass' || type === 'test:fail') && data.details?.type !== 'suite') {
      const skipped = data.skip !== undefined && data.skip !== false;
      const outcome = skipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
      yield JSON.stringify({ names: [...names.slice(0, data.nesting), data.name], file: data.file, outcome }) + '\\n';
    }
  }
}
`;

async function nodeTest(obtained: ObtainedPackage, copy: string, report: string) {
  const reporter = join(dirname(report), 'reporter.mjs');
  writeFileSync(reporter, NODE_REPORTER);
  const files = readdirSync(join(copy, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => /\.[cm]?js$/.test(name) && /['"]node:test['"]/.test(readFileSync(join(copy, 'test', name), 'utf8')),
    )
    .sort();
  const args = ['--test', '--test-concurrency=1', '--test-reporter', reporter, '--test-reporter-destination', report];
  await node(obtained, copy, [...args, ...files.map((name) => `test/${name}`)]);
  const lines = readFileSync(report, 'utf8').split('\n');
  const told = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Told);
  return outcomesOf(obtained, copy, 'node:test', told);
}

export const javascriptRunners = { vitest, jest, mocha, 'node:test': nodeTest };

/** A suite may fail: what counts is its report. */
async function node(
  { pin }: ObtainedPackage,
  copy: string,
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<void> {
  const env = {
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    NO_COLOR: undefined,
    NODE_ENV: undefined,
    VITEST: undefined,
    ...variables,
  };
  const { stderr } = await execa(process.execPath, args, {
    cwd: copy,
    env,
    reject: false,
    stdin: 'ignore',
    maxBuffer: 1e8,
  });
  if (stderr.includes('Cannot find module')) console.error(`${pin.name}: ${stderr.slice(0, 2000)}`);
}

/** By the ids that H gives: from the root of the project, the second of a name ends in ` #2`. */
function outcomesOf({ pin }: ObtainedPackage, copy: string, runner: string, told: readonly Told[]) {
  const root = realpathSync(copy);
  const outcomes = new Map<string, TestOutcome>();
  for (const { names, file, outcome } of told) {
    const plain = [relative(root, file), ...names].join(' > ');
    let id = plain;
    for (let count = 2; outcomes.has(id); count += 1) id = `${plain} #${count}`;
    outcomes.set(id, outcome);
  }
  const pinned = pin.install.find((one) => one.startsWith(`${runner}@`))?.replace('@', ' ');
  return { runner: pinned ?? `${runner} ${process.versions.node}`, outcomes };
}
