// One Python module with every statement observed: what was seen of it, as short lines.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import {
  PROBE_EVENTS_FILE,
  type ProbeEvent,
  type ProbeReading,
  type ProbeTable,
  readProbeEvents,
} from '../src/index.ts';
import type { Python } from './present-pythons.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
const agents = join(import.meta.dirname, '../agents/python');
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Observed {
  readonly reading: ProbeReading;
  readonly shown: string[];
  readonly stdout: string;
  readonly stderr: string;
  readonly status: unknown;
  readonly bytes: number;
}

/** Runs a module with every statement observed, by probes or (`hooked`) by the interpreter. */
export async function observe(python: Python, source: string, limits: object = {}): Promise<Observed> {
  const folder = mkdtempSync(join(tmpdir(), 'h-probes-'));
  folders.push(folder);
  writeFileSync(join(folder, 'target.py'), source);
  const output = join(folder, 'out.json');
  const args = [join(fixtures, 'drive.py'), 'observed', agents, output, 'target'];
  const env = { PATH: process.env.PATH, PYTHONHASHSEED: '0', H_TABLE: JSON.stringify({ exact: true, ...limits }) };
  const ran = await new Promise<{ status: unknown; stdout: string; stderr: string }>((done) => {
    execFile(python.executable, args, { cwd: folder, encoding: 'utf8', env }, (error, stdout, stderr) =>
      done({ status: error === null ? 0 : (error.code ?? error.signal), stdout, stderr }),
    );
  });
  const text = readFileSync(join(`${output}.events`, PROBE_EVENTS_FILE), 'utf8');
  const table = JSON.parse(readFileSync(join(`${output}.events`, 'probe-table.json'), 'utf8')) as ProbeTable;
  const reading = readProbeEvents(text);
  return { ...ran, reading, shown: show(reading.events, table), bytes: Buffer.byteLength(text) };
}

/** `frame:line before → after`, then what else is known. */
function show(events: readonly ProbeEvent[], table: ProbeTable): string[] {
  const probes = new Map(table.files.flatMap(({ probes }) => probes.map((probe) => [probe.n, probe])));
  const values = (found: ProbeEvent['before']) =>
    Object.entries(found ?? {})
      .filter(([, { type }]) => !/function|^module$|^type$/.test(type))
      .map(([name, { text }]) => `${name}=${text}`)
      .join(' ');
  return events.map((event) => {
    const probe = probes.get(event.n);
    const parts = [
      `${event.frame}:${probe?.line}${probe?.role === 'entry' ? ' entry' : ''}`,
      values(event.before),
      event.after === undefined || values(event.after) === '' ? '' : `→ ${values(event.after)}`,
      event.branch ?? '',
      event.returned === undefined ? '' : `returns ${event.returned.text}`,
      event.raised === undefined ? '' : `raises ${event.raised.text}`,
      event.completed ? '' : 'incomplete',
      event.caller === undefined ? '' : `from #${event.caller}`,
    ];
    return parts.filter((part) => part !== '').join(' ');
  });
}
