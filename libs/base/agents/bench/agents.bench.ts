// What injected coverage costs: per run against the plain program and its peers, and once per file. Processor time only.
// One JSON line per row. H_BENCH_PYTHON names another interpreter; coverage.py is measured where that one can import it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { createStatementInjector, readAgentEvents } from '../src/index.ts';
import { benchNodeProbes } from './node-probes.ts';

const here = import.meta.dirname;
const python = process.env.H_BENCH_PYTHON ?? 'python3';

benchPython();
await benchNode();
await benchNodeProbes(row, cpuOf);
await benchInjector();
benchEvents();

function row(work: string, ours: number, peer: string, theirs: number | undefined): void {
  const ratio = theirs === undefined ? undefined : Number((ours / theirs).toFixed(3));
  const round = (value?: number) => (value === undefined ? undefined : Number(value.toFixed(2)));
  console.log(JSON.stringify({ work, ours_ms: round(ours), peer, peer_ms: round(theirs), ratio }));
}

function benchPython(): void {
  const version = execFileSync(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], {
    encoding: 'utf8',
  }).trim();
  const [plain, probed, settrace, coverage] = ['plain', 'probed', 'settrace', 'coverage'].map(
    (mode) => measure(mode)?.ms,
  );
  const work = `CPython ${version}: a search tree`;
  row(work, probed ?? Number.NaN, 'without probes', plain);
  row(work, probed ?? Number.NaN, 'settrace, a Python callback per line', settrace);
  if (coverage !== undefined) row(work, probed ?? Number.NaN, 'coverage.py, C tracer, one context', coverage);
  const values = measure('values');
  row(
    `CPython ${version}: 1,000 primitive values recorded by 16 probes`,
    values?.ms ?? Number.NaN,
    'settrace, repr of the same names in f_locals, in memory only',
    values?.plain,
  );
  const instrument = measure('instrument');
  row(
    `CPython ${version}: put probes into 1,000 statements`,
    instrument?.ms ?? Number.NaN,
    'compile()',
    instrument?.plain,
  );
}

function measure(mode: string): { ms: number; plain?: number } | undefined {
  try {
    const args = [join(here, 'measure.py'), mode, join(here, '../agents/python')];
    return JSON.parse(execFileSync(python, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined;
  }
}

async function benchNode(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'h-bench-'));
  try {
    const text = readFileSync(join(here, 'workload.mjs'), 'utf8');
    const injected = (await createStatementInjector()).inject(text, 'javascript', { path: 'workload.mjs' });
    if ('skipped' in injected) throw new Error(injected.skipped);
    writeFileSync(join(folder, 'probed.mjs'), injected.text);
    writeFileSync(join(folder, 'covered.mjs'), text);
    const stamps = new Float64Array(injected.statements.length);
    let clock = 0;
    const probe = (number: number) => {
      clock += 1;
      stamps[number] = clock;
    };
    Object.defineProperty(globalThis, '__h', { value: probe, configurable: true });
    const [plain = 0, probed = 0] = await compare([join(here, 'workload.mjs'), join(folder, 'probed.mjs')]);
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    const [precise] = await compare([join(folder, 'covered.mjs')]);
    session.disconnect();
    row('Node: a search tree', probed, 'without probes', plain);
    row('Node: a search tree', probed, 'V8 precise block coverage, no order', precise);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Least milliseconds of each module's workload, in turns, so that heat and heap are the same for all. */
async function compare(paths: readonly string[]): Promise<number[]> {
  const runs: ((size: number) => unknown)[] = [];
  for (const path of paths) runs.push(((await import(path)) as { run: (size: number) => unknown }).run);
  const least = runs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < 12; round += 1)
    for (const [index, run] of runs.entries()) {
      const spent = cpuOf(() => run(60_000));
      if (round > 2) least[index] = Math.min(least[index] ?? spent, spent);
    }
  return least;
}

async function benchInjector(): Promise<void> {
  const { inject } = await createStatementInjector();
  const path = join(here, '../../../../node_modules/acorn/dist/acorn.mjs');
  const text = readFileSync(path, 'utf8');
  const result = inject(text, 'javascript', { path });
  const statements = 'text' in result ? result.statements.length : 0;
  const ours = best(() => inject(text, 'javascript', { path }));
  const parse = best(() => parseSync(path, text, { lang: 'jsx', astType: 'ts' }).program);
  row(`inject into acorn.mjs, ${statements} statements`, ours, 'oxc parse to a tree', parse);
}

function benchEvents(): void {
  const lines = Array.from({ length: 10_000 }, (_, index) =>
    JSON.stringify({
      event: 'test-end',
      test: `t.py::t${index}`,
      file: 't.py',
      outcome: 'passed',
      duration_ms: 1,
      coverage: [{ file: 'a.py', lines: '1-9,12,15-20' }],
    }),
  );
  const text = `${lines.join('\n')}\n`;
  row(
    'read 10,000 test-end events',
    best(() => readAgentEvents(text)),
    'JSON.parse of the same',
    best(() => lines.map((line) => JSON.parse(line))),
  );
}

function best(action: () => unknown): number {
  return Math.min(...Array.from({ length: 7 }, () => cpuOf(action)));
}

function cpuOf(action: () => unknown): number {
  const { user, system } = process.cpuUsage();
  action();
  const spent = process.cpuUsage({ user, system });
  return (spent.user + spent.system) / 1000;
}
