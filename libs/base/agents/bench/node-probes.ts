// What a value probe of the Node agent costs: per hit with one primitive, idle, past its limit, and per rendered object.
// Milliseconds of processor time for 1,000 hits.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProbeInjector } from '../src/index.ts';

type Row = (work: string, ours: number, peer: string, theirs: number | undefined) => void;

const HITS = 200_000;
const TEXT = `export function run(size) {
  let total = 0;
  for (let index = 0; index < size; index += 1) {
    total += index & 7;
  }
  return total;
}
`;
const AGENT = '../agents/node/node-probes.mjs';
const VALUES = '../agents/node/node-values.mjs';

export async function benchNodeProbes(row: Row, cpuOf: (action: () => unknown) => number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'h-bench-'));
  const least = (action: () => unknown, hits: number) =>
    Math.min(...Array.from({ length: 7 }, () => cpuOf(action))) / (hits / 1000);
  try {
    const { inject } = await createProbeInjector();
    const probes = [{ n: 0, line: 4, role: 'statement' as const, before: [], after: ['total'] }];
    const injected = inject(TEXT, 'javascript', { path: 'a.mjs', probes });
    if ('skipped' in injected) throw new Error(injected.skipped);
    writeFileSync(join(folder, 'plain.mjs'), TEXT);
    writeFileSync(join(folder, 'probed.mjs'), injected.text);
    const table = { protocol: 1, max_bytes: 2 ** 31, max_events: HITS * 7, files: [{ file: 'a.mjs', probes }] };
    writeFileSync(join(folder, 'probe-table.json'), JSON.stringify(table));
    const load = async (name: string) => (await import(join(folder, name))) as { run(size: number): number };
    const [plain, idle] = [await load('plain.mjs'), await load('probed.mjs?idle')];
    const nothing = least(() => plain.run(HITS), HITS);
    row(
      'Node: 1,000 hits of a value probe, no runtime',
      least(() => idle.run(HITS), HITS),
      'without probes',
      nothing,
    );
    const { startProbes } = (await import(AGENT)) as { startProbes(folder: string): { test(name: string): void } };
    startProbes(folder).test('bench');
    const probed = await load('probed.mjs');
    const hit = least(() => probed.run(HITS), HITS);
    row(
      'Node: 1,000 hits of a value probe, one primitive, written',
      hit,
      'inspector logpoint, in memory',
      await logpoint(plain, cpuOf),
    );
    const full = least(() => probed.run(HITS), HITS);
    row('Node: 1,000 hits of a value probe, limit reached', full, 'without probes', nothing);
    await benchValues(row, least);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A breakpoint whose condition keeps the value and does not stop: what a debugger's logpoint is. */
async function logpoint(
  { run }: { run(size: number): number },
  cpuOf: (action: () => unknown) => number,
): Promise<number> {
  const hits = 500;
  const kept: unknown[] = [];
  Object.defineProperty(globalThis, '__kept', { value: kept, configurable: true });
  const session = new Session();
  session.connect();
  try {
    await session.post('Debugger.enable');
    const urlRegex = '/plain\\.mjs$';
    const condition = '(globalThis.__kept.push(String(total)), false)';
    const { locations } = await session.post('Debugger.setBreakpointByUrl', { lineNumber: 3, urlRegex, condition });
    if (locations.length !== 1) throw new Error('the logpoint is not bound');
    run(10);
    const spent = cpuOf(() => run(hits));
    if (kept.length < hits) throw new Error('the logpoint did not log');
    return spent / (hits / 1000);
  } finally {
    session.disconnect();
  }
}

async function benchValues(row: Row, least: (action: () => unknown, hits: number) => number): Promise<void> {
  const { valueText } = (await import(VALUES)) as { valueText(value: unknown): string };
  const { inspect } = await import('node:util');
  const cyclic: Record<string, unknown> = { id: 1, name: 'a', tags: ['x', 'y'], size: 2.5 };
  cyclic.self = cyclic;
  cyclic.child = { parent: cyclic, list: [1, 2, 3] };
  const times = (action: (value: unknown) => unknown) =>
    least(() => {
      for (let index = 0; index < 5000; index += 1) action(cyclic);
    }, 5000);
  row(
    'Node: 1,000 values, a cyclic object of ten slots',
    times(valueText),
    'util.inspect',
    times((value) => inspect(value)),
  );
}
