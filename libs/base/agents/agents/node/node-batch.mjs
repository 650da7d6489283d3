// Runs the tests on many candidates of one tree, in processes of their own, inside one run: `node node-batch.mjs <runner> arguments…`.
// The tree itself runs first, as the control: what its tests take is the measure of how long those of a candidate may. After each
// candidate the tree is put back as it was; where it cannot be, the batch ends.
import { createHash } from 'node:crypto';
import { appendFileSync, lstatSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { budgetsOf } from './node-budgets.mjs';
import { clock, createWriter, milliseconds, readPlan } from './node-events.mjs';
import { createSurroundings } from './node-surroundings.mjs';
import { createTree } from './node-tree.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const RUN_FLOOR_MS = 3000;
const RUN_TIMES = 20;
const SECOND_CHANCE = 10;

const [, , runner, ...args] = process.argv;
process.argv.splice(2, process.argv.length, ...args);
const plan = readPlan({ take: true });
const batch = JSON.parse(readFileSync(join(here, 'batch.json'), 'utf8'));
unlinkSync(join(here, 'batch.json'));
const results = join(dirname(plan.report_path), 'batch-report.ndjson');
const { start } = await import(`./${runner}-start.mjs`);
const server = runner === 'vitest' ? await openServer() : undefined;
const told = [];
let pace;

function tell(record) {
  const line = `${JSON.stringify(record)}\n`;
  const size = told.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  told.push(line);
  if (size > 0 && lstatSync(results, { throwIfNoEntry: false })?.size === size) return appendFileSync(results, line);
  rmSync(results, { recursive: true, force: true }); // somebody else has touched it
  mkdirSync(dirname(results), { recursive: true });
  writeFileSync(results, told.join(''));
}

const files = new Map();
for (const path of new Set(batch.candidates.flatMap((candidate) => Object.keys(candidate))))
  files.set(path, readFileSync(join(plan.root_path, path)));
const surroundings = createSurroundings(plan.root_path);
const tree = createTree(plan.root_path, files, { own: results, kept: join(here, 'jest-cache') });

function lay(candidate) {
  for (const [path, [from, to, middle, sha]] of Object.entries(candidate)) {
    const old = files.get(path);
    const bytes = Buffer.concat([old.subarray(0, from), Buffer.from(middle, 'base64'), old.subarray(to)]);
    if (createHash('sha256').update(bytes).digest('hex') !== sha)
      throw new Error(`${path} is not the file that the candidate was made for`);
    tree.replace(path, bytes);
  }
}

async function openServer() {
  const { createVitestServer } = await import('./vitest-server.mjs');
  return createVitestServer({ ...plan, is_candidate: true });
}

/** Runs the tests by a runner that stays; undefined where none does, or something was not as it should be. */
async function runServed(candidate, budgets) {
  if (server === undefined) return undefined;
  if (!server.isOpen()) {
    if (!server.mayOpen()) return undefined;
    const isFirst = pace === undefined;
    if (!(await server.open())) return undefined;
    if (server.isOpen()) surroundings.keep();
    if (isFirst) {
      createWriter(plan)('run-end');
      return { isOver: false };
    }
    if (!server.isOpen() || !putBack()) return undefined;
  }
  lay(candidate);
  return server.run(Object.keys(candidate), budgets);
}

/** What became of the tests on a candidate. */
async function run(candidate, factor) {
  const began = clock();
  const children = new Set();
  let isOver = false;
  const end = () => {
    isOver = true;
    server?.close();
    for (const pid of children) surroundings.endGroup(pid);
  };
  const own = pace === undefined ? Infinity : (RUN_FLOOR_MS + RUN_TIMES * pace.wall_ms) * factor;
  const timer = setTimeout(end, Math.min(own, batch.limit_ms));
  const budgets = pace === undefined ? undefined : budgetsOf(pace, batch.longest_ms ?? 0, factor);
  const served = await runServed(candidate, budgets);
  if (served === undefined && !isOver) {
    rmSync(plan.report_path, { force: true });
    lay(candidate);
    await start({
      ...plan,
      budgets,
      is_candidate: true,
      on_child: (child) => children.add(child.pid),
      is_over: () => isOver,
      on_budget: end,
    });
  }
  clearTimeout(timer);
  for (const pid of children) surroundings.endGroup(pid);
  await surroundings.endProcesses();
  const report = readReport();
  const how = isOver ? { ended_by: 'wall_limit' } : { ended_by: 'exit', exit_code: 0 };
  return { report, wall_ms: milliseconds(began), limited: isOver || served?.isOver === true, ...how };
}

function readReport() {
  try {
    return readFileSync(plan.report_path, 'utf8');
  } catch {
    return '';
  }
}

function putBack() {
  surroundings.clear();
  return tree.putBack();
}

function durationsOf(report) {
  const durations = new Map();
  for (const line of report.split('\n')) {
    let event = {};
    try {
      event = JSON.parse(line) ?? {};
    } catch {}
    if (event.event !== 'test-end') continue;
    const { test, outcome, duration_ms, work_ms = duration_ms } = event;
    durations.set(test, { ms: Math.min(duration_ms, work_ms), outcome });
  }
  for (const test of plan.tests ?? []) if (!durations.has(test)) durations.set(test, { ms: 0, outcome: 'timeout' }); // it never ended
  return durations;
}

async function serve() {
  const control = await run({}, 1);
  tell({ kind: 'control', ...control });
  pace = { wall_ms: control.wall_ms, durations: durationsOf(control.report) };
  if (!putBack()) return tell({ kind: 'off', reason: 'the tests change files of the repository' });
  let factor = 1;
  let hasDoubt = true;
  for (const [index, candidate] of batch.candidates.entries()) {
    tell({ kind: 'start', index });
    let result = await run(candidate, factor);
    let isClean = putBack();
    if (isClean && hasDoubt && result.limited) {
      hasDoubt = false; // once in a batch: does the limit cut off what is merely slow?
      result = await run(candidate, SECOND_CHANCE);
      isClean = putBack();
      if (!result.limited) factor = SECOND_CHANCE;
    }
    tell({ kind: 'end', index, ...result });
    if (!isClean) return tell({ kind: 'stopped', index, reason: 'files of the repository could not be put back' });
  }
  tell({ kind: 'done' });
}

await serve();
server?.close();
process.exit(0);
