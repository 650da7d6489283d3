// `npm run check:runner-cost`: processor time of a covered run of 1,200 unittest tests over the plain run, on each CPython from 3.8 to 3.13 that
// is here, and of 6,000 from 3.12 on, where what a start costs shows less; beside coverage.py 7.6.1 with a context per test in the same rounds. coverage.py is installed into a cache at the time of the check.
// The last line is JSON: {tests, rows, missed}; exit code 1 where a row misses its aim (1.5 from 3.12 on, else 2.6).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Detection, planTestRun } from '../src/index.ts';
import { writeSuite } from './write-suite.ts';

const ROUNDS = Number(process.argv[2] ?? 3);
const COVERAGE = 'coverage==7.6.1';
const detection: Detection = {
  runner: 'unittest',
  cwd: '',
  reason: '',
  evidence: [],
  source_roots: [],
  start_dirs: ['.'],
};

const SMALL = 10;
const LARGE = 50;

const folder = mkdtempSync(join(tmpdir(), 'h-cost-'));
const rows: object[] = [];
let missed = 0;
try {
  for (const copies of [SMALL, LARGE]) {
    const tests = writeSuite(folder, copies);
    writeFileSync(join(folder, '.coveragerc'), '[run]\ndynamic_context = test_function\nsource = shop\n');
    for (const python of pythons()) if (copies === SMALL || minorOf(python) >= 12) measure(python, tests);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify({ tests: SMALL * 120, rows: rows.length, missed }));
process.exitCode = missed > 0 || rows.length === 0 ? 1 : 0;

function pythons(): string[] {
  const versions = join(homedir(), '.pyenv/versions');
  const present = existsSync(versions) ? readdirSync(versions) : [];
  const found = present.filter((name) => /^3\.(?:[89]|1[0-3])\./.test(name));
  return found.length > 0 ? found.map((name) => join(versions, name, 'bin/python')) : ['python3'];
}

function minorOf(python: string): number {
  return Number(spawnSync(python, ['-c', 'import sys; print(sys.version_info[1])'], { encoding: 'utf8' }).stdout);
}

function measure(python: string, tests: number): void {
  const peer = coveragePath(python);
  const plain: number[] = [];
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    plain.push(seconds([python, '-m', 'unittest', 'discover'], {}));
    const { command, agent_files } = planTestRun(detection, { mode: 'run', coverage: true, python });
    for (const { path, text } of agent_files) write(path, text);
    ours.push(seconds(command.argv, command.env_set));
    rmSync(join(folder, '.h-agent'), { recursive: true });
    theirs.push(seconds([python, '-m', 'coverage', 'run', '-m', 'unittest', 'discover'], { PYTHONPATH: peer }));
    rmSync(join(folder, '.coverage'), { force: true });
  }
  const minor = minorOf(python);
  const least = (times: readonly number[]) => Math.min(...times);
  const ratio = (times: readonly number[]) => Number((least(times) / least(plain)).toFixed(2));
  const aim = minor >= 12 ? 1.5 : 2.6;
  const row = {
    work: `CPython 3.${minor}: ${tests} unittest tests`,
    plain_s: Number(least(plain).toFixed(2)),
    ours_ratio: ratio(ours),
    aim,
    coverage_py_ratio: ratio(theirs),
  };
  if (row.ours_ratio > aim) missed += 1;
  rows.push(row);
  console.log(JSON.stringify(row));
}

function write(path: string, text: string): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Folder with coverage.py for an interpreter. */
function coveragePath(python: string): string {
  const name = python.replace(/\W+/g, '-');
  const place = join(process.env.H_REAL_PACKAGES ?? join(homedir(), '.cache/h/real-packages'), `coverage${name}`);
  if (!existsSync(join(place, 'coverage'))) {
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', place, COVERAGE];
    const { status, stderr } = spawnSync(python, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${COVERAGE} for ${python}: ${stderr}`);
  }
  return place;
}

/** Processor seconds of a command and its children. A suite that fails would measure something else. */
function seconds(argv: readonly string[], env: Readonly<Record<string, string>>): number {
  const [program = '', ...args] = argv;
  const script =
    'import os, subprocess, sys\nran = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE)\ntimes = os.times()\nprint(times.children_user + times.children_system)\nsys.exit(ran.returncode)';
  const { stdout, status, stderr } = spawnSync('python3', ['-c', script, program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', PYTHONHASHSEED: '0', PYTHONDONTWRITEBYTECODE: '1', ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${argv.join(' ')}: ${stdout}${stderr}`);
  return Number(stdout);
}
