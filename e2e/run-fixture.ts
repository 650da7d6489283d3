import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fixture, FixtureEdit } from './load-fixtures.ts';

const MODULES = fileURLToPath(new URL('../node_modules/', import.meta.url));

/** Runs `use` on a fresh copy of the fixture's project, which is deleted afterwards. */
export async function withCopy<T>(fixture: Fixture, use: (copy: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), `h-fixture-${fixture.name}-`));
  try {
    const copy = join(scratch, 'repo');
    cpSync(fixture.repo, copy, { recursive: true });
    if (fixture.language === 'typescript') {
      linkModules(join(copy, 'node_modules'));
    }
    return await use(copy);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A folder of links and not one link: vite writes its caches into `node_modules`, and ours must stay as it is. */
function linkModules(at: string): void {
  mkdirSync(at);
  for (const name of readdirSync(MODULES)) {
    if (!name.startsWith('.')) {
      symlinkSync(join(MODULES, name), join(at, name));
    }
  }
}

/** The outcome of each test of the project by id: `passed`, or what the runner calls it otherwise. */
export async function runTests(fixture: Fixture, copy: string): Promise<Record<string, string>> {
  const report = join(dirname(copy), 'report.json');
  if (fixture.runner === 'vitest') {
    const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
    await run(process.execPath, [vitest, 'run', '--reporter=json', `--outputFile=${report}`], copy);
    return vitestOutcomes(JSON.parse(readFileSync(report, 'utf8')), copy);
  }
  if (fixture.runner === 'node:test') {
    const reporter = join(dirname(copy), 'reporter.mjs');
    writeFileSync(reporter, NODE_REPORTER);
    await run(
      process.execPath,
      ['--test', `--test-reporter=${reporter}`, `--test-reporter-destination=${report}`],
      copy,
    );
    return nodeOutcomes(readFileSync(report, 'utf8'), copy);
  }
  const driver = join(dirname(copy), 'driver.py');
  writeFileSync(driver, fixture.runner === 'pytest' ? PYTEST_DRIVER : UNITTEST_DRIVER);
  await run('python3', [driver, report], copy);
  return JSON.parse(readFileSync(report, 'utf8'));
}

/** The compiler's complaints about the copy, empty when there are none. */
export async function typecheck(copy: string): Promise<string> {
  const { stdout } = await run(process.execPath, [join(copy, 'node_modules/typescript/bin/tsc'), '--noEmit'], copy);
  return stdout;
}

/** Throws with the remedy when the host cannot run pytest. */
export async function requirePytest(): Promise<void> {
  const { code, stderr } = await run('python3', ['-c', 'import pytest'], tmpdir());
  if (code !== 0) {
    throw new Error(
      `python3 cannot import pytest, which three fixtures need. Either run "python3 -m pip install pytest" or, on Debian and Ubuntu, "apt-get install python3-pytest".\n${stderr}`,
    );
  }
}

/** Replaces `search`; throws unless it occurs exactly once. */
export function applyEdit(copy: string, edit: FixtureEdit): void {
  const path = join(copy, edit.path);
  const parts = readFileSync(path, 'utf8').split(edit.search);
  if (parts.length !== 2) {
    throw new Error(`${edit.path}: expected the search text once, found it ${parts.length - 1} times`);
  }
  writeFileSync(path, parts.join(edit.replace));
}

/** SHA-256 of each file below a folder, by relative path. */
export function hashes(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    paths.map((path) => [slashed(relative(dir, path)), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Only these variables reach the child: the variables of the vitest around us would change a vitest inside it. */
function run(file: string, args: readonly string[], cwd: string): Promise<Ended> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NO_COLOR: '1', PYTHONDONTWRITEBYTECODE: '1', PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' };
  return new Promise((resolve, reject) => {
    execFile(file, args, { cwd, env, timeout: 50_000 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') {
        reject(error.code === 'ENOENT' ? new Error(`${file} is not installed: the fixtures need Python 3`) : error);
      } else {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      }
    });
  });
}

interface VitestReport {
  testResults: { name: string; assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[];
}

function vitestOutcomes(report: VitestReport, copy: string): Record<string, string> {
  return Object.fromEntries(
    report.testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ ancestorTitles, title, status }) => [
        [slashed(relative(copy, name)), ...ancestorTitles, title].join(' > '),
        status,
      ]),
    ),
  );
}

/** Lines of [file, name, …, outcome], as the reporter below writes them. */
function nodeOutcomes(text: string, copy: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [file = '', names, outcome] = JSON.parse(line) as [string, string[], string];
      return [[slashed(relative(copy, file)), ...names].join(' > '), outcome];
    }),
  );
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}

const NODE_REPORTER = `
const open = {};
export default async function* outcomes(source) {
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      const stack = (open[data.file] ??= []);
      stack.length = data.nesting;
      stack.push(data.name);
    }
    if ((type === 'test:pass' || type === 'test:fail') && data.details.type !== 'suite') {
      const names = [...(open[data.file] ?? []).slice(0, data.nesting), data.name];
      yield JSON.stringify([data.file, names, type === 'test:pass' ? 'passed' : 'failed']) + '\\n';
    }
  }
}
`;

const PYTEST_DRIVER = `
import json, sys, pytest

class Outcomes:
    found = {}
    def pytest_collectreport(self, report):
        if report.failed:
            self.found[report.nodeid] = "not collected"
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.found[report.nodeid] = report.outcome

outcomes = Outcomes()
pytest.main(["-q", "-p", "no:cacheprovider"], plugins=[outcomes])
json.dump(outcomes.found, open(sys.argv[1], "w"))
`;

const UNITTEST_DRIVER = `
import json, sys, unittest

class Outcomes(unittest.TestResult):
    found = {}
    def note(self, test, outcome):
        module, case, method = test.id().rsplit(".", 2)
        self.found["{}.py::{}::{}".format(module.replace(".", "/"), case, method)] = outcome
    def addSuccess(self, test):
        self.note(test, "passed")
    def addFailure(self, test, error):
        self.note(test, "failed")
    def addError(self, test, error):
        self.note(test, "error")
    def addSkip(self, test, reason):
        self.note(test, "skipped")
    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.note(test, "failed")

unittest.defaultTestLoader.discover(".").run(Outcomes())
json.dump(Outcomes.found, open(sys.argv[1], "w"))
`;
