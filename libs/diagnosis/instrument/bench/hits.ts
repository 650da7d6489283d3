// What a million hits of sixteen points cost, beside a tracer of one's own, coverage.py and V8's inspector; and the worst of the hostile values.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProbeInjector, nodeAgent, type ProbeSpec } from '@h/agents';
import { HOSTILE } from '../../../base/agents/test/fixtures/hostile-values.ts';

type Row = (fields: Record<string, unknown>) => void;

const HITS = 1_000_000;
const NAMES = [...'abcdefgh'];
const PAIRS = Array.from({ length: 16 }, (_, n) => [NAMES[(n + 1) % 8] ?? '', NAMES[n % 8] ?? ''] as const);
const agents = join(import.meta.dirname, '../../../base/agents');
const round = (value: number) => Math.round(value * 1000) / 1000;

export async function benchHits(row: Row): Promise<void> {
  for (const version of ['3.11.7', '3.13.0', '3.8.18']) benchPython(row, version);
  await benchNode(row);
  hostilePython(row);
  await hostileNode(row);
}

/** `H_PYTHON`: a Python with coverage.py, for its row. */
function benchPython(row: Row, version: string): void {
  const python = join(homedir(), `.pyenv/versions/${version}/bin/python`);
  const seconds = (mode: string, executable = python) => {
    const args = [join(import.meta.dirname, 'hits.py'), mode, join(agents, 'agents/python')];
    const { stdout } = spawnSync(executable, args, { encoding: 'utf8' });
    return stdout === '' || stdout === null ? undefined : (JSON.parse(stdout) as { seconds: number }).seconds;
  };
  const [plain, probed, traced] = [seconds('plain'), seconds('probed'), seconds('settrace')];
  const recorded = seconds('recorded');
  if (plain === undefined || probed === undefined || traced === undefined || recorded === undefined) return;
  const peer = { peer: 'settrace, repr from f_locals, nothing written', peer_us: round((traced - plain) / 2) };
  for (const [how, spent] of [
    ['every hit recorded', recorded],
    ['thinned', probed],
  ] as const)
    row({
      work: `a million hits of 16 points, ${how}, CPython ${version}`,
      values: 2 * HITS,
      ours_us_per_value: round((spent - plain) / 2),
      ...peer,
      ratio: round((spent - plain) / (traced - plain)),
    });
  const other = process.env.H_PYTHON;
  const [covered, bare] = other === undefined ? [] : [seconds('coverage', other), seconds('plain', other)];
  if (version === '3.11.7' && covered !== undefined && bare !== undefined)
    row({
      work: `a million hits of 16 points, every hit recorded, CPython ${version}`,
      values: 2 * HITS,
      ours_us_per_value: round((recorded - plain) / 2),
      peer: 'coverage.py, lines without values',
      peer_us: round((covered - bare) / 2),
      ratio: round((recorded - plain) / (covered - bare)),
    });
}

const SCRIPT = `export function work(turns) {
  let ${NAMES.map((name) => `${name} = 1`).join(', ')};
  for (let turn = 0; turn < turns; turn += 1) {
${PAIRS.map(([source, target], n) => `    ${target} = ${source} + ${n % 2 ? 1 : -1};`).join('\n')}
  }
  return a;
}
`;

async function benchNode(row: Row): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'h-bench-'));
  try {
    mkdirSync(join(folder, '.h-agent'));
    for (const { path, text } of nodeAgent()) writeFileSync(join(folder, path), text);
    const probes = PAIRS.map(([source, target], n): ProbeSpec => {
      return { n, line: n + 4, role: 'statement', before: [source], after: [target] };
    });
    const injected = (await createProbeInjector()).inject(SCRIPT, 'javascript', { path: 'a.mjs', probes });
    if ('skipped' in injected) throw new Error(injected.skipped);
    writeFileSync(join(folder, 'plain.mjs'), SCRIPT);
    writeFileSync(join(folder, 'probed.mjs'), injected.text);
    const table = { protocol: 1, max_bytes: 2 ** 26, max_events: 200_000, keep: { first: 100, last: 500 } };
    writeFileSync(
      join(folder, '.h-agent/probe-table.json'),
      JSON.stringify({ ...table, files: [{ file: 'a.mjs', probes }] }),
    );
    const all = { protocol: 1, max_bytes: 2 ** 30, max_events: 2 ** 40, files: [{ file: 'a.mjs', probes }] };
    mkdirSync(join(folder, 'all'));
    writeFileSync(join(folder, 'all/probe-table.json'), JSON.stringify(all));
    const start = `const { startProbes } = await import('./.h-agent/node-probes.mjs');
if (process.argv[2] === 'probed') startProbes('./.h-agent').test('t');
if (process.argv[2] === 'recorded') startProbes('./all').test('t');
if (process.argv[2] === 'logpoint') {
  const { Session } = await import('node:inspector/promises');
  globalThis.kept = [];
  const session = new Session();
  session.connect();
  await session.post('Debugger.enable');
  for (let line = 3; line < 19; line += 1)
    await session.post('Debugger.setBreakpointByUrl', { lineNumber: line, urlRegex: 'plain', condition: '(globalThis.kept.push(String(a)), false)' });
}
const hits = Number(process.argv[3]);
const { work } = await import(/^(?:probed|recorded)$/.test(process.argv[2]) ? './probed.mjs' : './plain.mjs');
const before = process.cpuUsage();
work(hits / 16);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / hits);
process.exit();
`;
    writeFileSync(join(folder, 'run.mjs'), start);
    const each = (mode: string, hits: number) =>
      Number(spawnSync(process.execPath, ['run.mjs', mode, String(hits)], { cwd: folder, encoding: 'utf8' }).stdout);
    const [plain, logged] = [each('plain', HITS), each('logpoint', 3200)];
    for (const [how, mode] of [
      ['every hit recorded', 'recorded'],
      ['thinned', 'probed'],
    ] as const) {
      const spent = each(mode, HITS) - plain;
      row({
        work: `a million hits of 16 points, ${how}, Node`,
        values: 2 * HITS,
        ours_us_per_value: round(spent / 2),
        peer: 'logpoints of the inspector, one value, in memory',
        peer_us: round(logged - plain),
        ratio: round(spent / 2 / (logged - plain)),
      });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function hostilePython(row: Row): void {
  for (const version of ['3.8.18', '3.11.7', '3.13.0']) {
    const python = join(homedir(), `.pyenv/versions/${version}/bin/python`);
    const script = join(agents, 'test/fixtures/hostile.py');
    const { stdout } = spawnSync(python, [script, join(agents, 'agents/python')], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    if (stdout === '' || stdout === null) continue;
    const seen = Object.entries(JSON.parse(stdout) as Record<string, { ms: number; bytes: number; tripped: string[] }>);
    const values = seen.filter(([, { tripped }]) => Array.isArray(tripped));
    worst(
      row,
      `hostile values, CPython ${version}`,
      values.map(([name, one]) => ({ name, ...one, ran: one.tripped.length })),
    );
  }
}

async function hostileNode(row: Row): Promise<void> {
  const { valueText } = (await import('../../../base/agents/agents/node/node-values.mjs' as string)) as {
    valueText(value: unknown): string;
  };
  const { ran } = (await import('../../../base/agents/test/fixtures/hostile-values.ts')) as { ran: string[] };
  const seen = HOSTILE.map(([name, value]) => {
    ran.length = 0;
    let ms = Number.POSITIVE_INFINITY;
    let wire = '';
    for (let turn = 0; turn < 5; turn += 1) {
      const before = process.cpuUsage();
      wire = valueText(value);
      const { user, system } = process.cpuUsage(before);
      ms = Math.min(ms, (user + system) / 1000);
    }
    return { name, ms, bytes: Buffer.byteLength((JSON.parse(wire) as string[])[1] ?? ''), ran: ran.length };
  });
  worst(row, 'hostile values, Node', seen);
}

interface Looked {
  readonly name: string;
  readonly ms: number;
  readonly bytes: number;
  readonly ran: number;
}

function worst(row: Row, work: string, seen: readonly Looked[]): void {
  const slowest = seen.reduce((a, b) => (b.ms > a.ms ? b : a));
  row({
    work,
    values: seen.length,
    target_code_run: seen.filter(({ ran }) => ran > 0).length,
    worst_ms: round(slowest.ms),
    worst: slowest.name,
    most_bytes: Math.max(...seen.map(({ bytes }) => bytes)),
    limit_ms: 1,
    limit_bytes: 4096,
    ratio: round(slowest.ms),
  });
}
