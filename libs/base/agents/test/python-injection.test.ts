import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBE_EVENTS_FILE, readProbeEvents } from '../src/index.ts';
import { type Python, presentPythons } from './present-pythons.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
const agents = join(import.meta.dirname, '../agents/python');

const minor = (version: string) => Number(version.split('.')[1]);

const modules = readdirSync(join(fixtures, 'python'))
  .filter((name) => name.endsWith('.py'))
  .map((name) => name.replace(/\.py$/, ''))
  .filter((name) => name !== 'broken');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'h-agents-'));
  cpSync(join(fixtures, 'python'), folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Told {
  readonly seen: [string, number][];
  /** Most recent first. */
  readonly order: [string, number][];
  readonly all?: [string, number][];
  readonly skipped: unknown[];
}

interface Ran {
  readonly status: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

async function drive(python: Python, mode: string, module: string) {
  const output = join(folder, `${python.version}-${mode}-${module}.json`);
  const args = [join(fixtures, 'drive.py'), mode, agents, output, module];
  const env = { PATH: process.env.PATH, PYTHONHASHSEED: '0' };
  const ran = await new Promise<Ran>((done) => {
    execFile(python.executable, args, { cwd: folder, encoding: 'utf8', env }, (error, stdout, stderr) =>
      done({ status: error?.code ?? 0, stdout, stderr }),
    );
  });
  return { ran, output, told: JSON.parse(readFileSync(output, 'utf8')) as Told };
}

/** Without any probe, once for all that compare with it. */
function plainRun(python: Python, module: string) {
  const key = `${python.version} ${module}`;
  const run = plainRuns.get(key) ?? drive(python, 'plain', module);
  plainRuns.set(key, run);
  return run;
}
const plainRuns = new Map<string, ReturnType<typeof drive>>();

describe.each(presentPythons())('injected probes on CPython $version', (python) => {
  const runnable = modules.filter((name) => minor(python.version) >= Number(/_3(\d+)$/.exec(name)?.[1] ?? 0));

  it.concurrent.each(runnable)('leave what %s does, prints and raises as it is', async (module) => {
    const [plain, probed] = await Promise.all([plainRun(python, module), drive(python, 'probed', module)]);
    expect(probed.ran).toEqual(plain.ran);
    expect(probed.told.all?.length).toBeGreaterThan(0);
    const left = module === 'imports_error' ? [['broken.py', expect.stringContaining('SyntaxError')]] : [];
    expect(probed.told.skipped).toEqual(left);
  });
});

/** What a tracer of the target's own sees: the probes are statements, and it hears of their calls. */
const TRACED = /^\[\('call', 10\).*$/m;

describe.each(presentPythons())('value probes on every statement on CPython $version', (python) => {
  const runnable = modules.filter((name) => minor(python.version) >= Number(/_3(\d+)$/.exec(name)?.[1] ?? 0));

  it.concurrent.each(runnable)('leave what %s does, prints and raises as it is', async (module) => {
    const [plain, observed] = await Promise.all([plainRun(python, module), drive(python, 'observed', module)]);
    const shown = (ran: Ran) => ({ ...ran, stdout: ran.stdout.replace(TRACED, '') });
    expect(shown(observed.ran)).toEqual(shown(plain.ran));
    const { placed, notes } = readProbeEvents(
      readFileSync(join(`${observed.output}.events`, PROBE_EVENTS_FILE), 'utf8'),
    );
    expect(placed.length).toBeGreaterThan(0);
    expect(notes.filter((note) => !/is in the body of a class$|has no place for it/.test(note))).toEqual([]);
  });
});

// PEP 626 made line events exact: from 3.11 on a tracer is an oracle for the lines that ran.
const exact = presentPythons().filter(({ version }) => minor(version) >= 11);
/** One sets a tracer of its own, the other recurses to the limit, where CPython takes the tracer away. */
const NOT_TRACED = new Set(['introspection', 'local_order']);
/** Statements that compile to nothing have no line event. */
const SILENT = /^\s*(?:global|nonlocal|pass|unset: int)\b|^\s*\.\.\.|: \.\.\.$/;

describe.each(exact)('coverage on CPython $version', (python) => {
  it.concurrent.each(modules.filter((name) => !/_3\d+$/.test(name) && !NOT_TRACED.has(name)))(
    'of %s has the statements that a line tracer sees',
    async (module) => {
      const traced = new Set((await drive(python, 'traced', module)).told.seen.map(String));
      const { seen, all = [] } = (await drive(python, 'probed', module)).told;
      const loud = (entry: [string, number]) => !SILENT.test(sourceLine(entry));
      const wanted = all.filter((entry) => loud(entry) && traced.has(String(entry)));
      expect([...new Set(seen.filter(loud).map(String))]).toEqual([...new Set(wanted.map(String))]);
    },
  );
});

/** Lines whose last event is not their statement's last start: loop headers run again, statements of several lines come back. */
const RETURNS =
  /^\s*(?:for|while|async for|async with|with|@|return \(|print\(\[?chain|assert x)|[([,]$|^class|yield|await|lambda|^def only_docstring| for k in /;

describe.each(exact)('order on CPython $version', (python) => {
  it.concurrent.each([
    'control_flow',
    'decorators_and_closures',
    'classes',
    'generators_and_async',
    'fails_while_loading',
  ])('of %s is that of a line tracer', async (module) => {
    const [traced, probed] = await Promise.all([drive(python, 'traced', module), drive(python, 'probed', module)]);
    const known = new Set(probed.told.all?.map(String));
    const plain = (entry: [string, number]) =>
      known.has(String(entry)) && !SILENT.test(sourceLine(entry)) && !RETURNS.test(sourceLine(entry));
    const ours = probed.told.order.filter(plain).map(String);
    expect(ours.length).toBeGreaterThan(2);
    expect(ours).toEqual(traced.told.order.filter(plain).map(String));
  });
});

function sourceLine([file, line]: [string, number]): string {
  return readFileSync(join(fixtures, 'python', file), 'latin1').split('\n')[line - 1] ?? '';
}
