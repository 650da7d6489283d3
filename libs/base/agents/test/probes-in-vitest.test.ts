// Probes under vitest: its own loading, mocks and pools; the test under way is told.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createProbeInjector, nodeAgent, readAgentEvents, readProbeEvents } from '../src/index.ts';
import { planEverything, tableOf } from './plan-everything.ts';

const injector = await createProbeInjector();
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const SOURCE = `import { rate } from './rate.ts'
export const LIMIT: number = 2
export function price(items: number[], { express = false }: { express?: boolean } = {}): number {
  let total = 0
  for (const item of items) total += item * rate()
  if (items.length > LIMIT) return total * 0.9
  return express ? total + 5 : total
}
`;
const RATE = 'export const rate = (): number => 1\n';
const TEST = `import { expect, it, vi } from 'vitest'
import { price } from './price.ts'
vi.mock('./rate.ts', () => { const value = 3; return { rate: () => value } })
it('adds', () => { const got = price([1, 2]); expect(got).toBe(9) })
it('fails', () => { expect(price([1], { express: true })).toBe(3) })
it.concurrent('other', async () => { expect(price([])).toBe(0) })
`;
const OTHER = `import { price } from './price.ts'\nimport { it } from 'vitest'\nit('never', () => { price([]) })\n`;

function run(pool: string, probed: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'h-agents-vitest-'));
  folders.push(folder);
  mkdirSync(join(folder, '.h-agent'));
  symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const { path, text } of nodeAgent()) writeFileSync(join(folder, path), text);
  const sources = { 'price.ts': SOURCE, 'rate.ts': RATE, 'a.test.ts': TEST, 'b.test.ts': OTHER };
  const tables = Object.entries(sources).map(([name, text], index) => {
    const probes = planEverything(text, name, index * 100);
    const result = injector.inject(text, 'typescript', { path: name, probes });
    if ('skipped' in result) throw new Error(result.skipped);
    writeFileSync(join(folder, name), probed ? result.text : text);
    return tableOf(name, probes);
  });
  const table = { ...tables[0], files: tables.flatMap(({ files }) => files) };
  if (probed) writeFileSync(join(folder, '.h-agent/probe-table.json'), JSON.stringify(table));
  const plan = { tests: ['a.test.ts > fails', 'a.test.ts > other'], report: '.h-agent/report.ndjson' };
  const args = ['.h-agent/vitest-entry.mjs', 'run', `--pool=${pool}`];
  const env = { ...process.env, VITEST: undefined, H_AGENT_PLAN: JSON.stringify(plan) };
  spawnSync(process.execPath, args, { cwd: folder, env, timeout: 50_000 });
  const report = readAgentEvents(readFileSync(join(folder, '.h-agent/report.ndjson'), 'utf8'));
  const ends = report.flatMap((event) =>
    event.event === 'test-end' ? [[event.test, event.outcome, event.failure?.location]] : [],
  );
  return { folder, ends };
}

describe('probes under vitest', () => {
  it.concurrent.each(['forks', 'threads', 'vmThreads'])(
    'observe the wanted tests, and change nothing: %s',
    async (pool) => {
      const plain = run(pool, false);
      const { folder, ends } = run(pool, true);
      expect(plain.ends.length).toBeGreaterThanOrEqual(2);
      expect(ends).toEqual(plain.ends);
      const { events, notes, truncated } = readProbeEvents(
        readFileSync(join(folder, '.h-agent/probe-events.ndjson'), 'utf8'),
      );
      expect([notes, truncated]).toEqual([[], false]);
      const seen = new Set(events.map(({ test }) => test));
      expect(seen).toEqual(new Set([undefined, 'a.test.ts > fails', 'a.test.ts > other']));
      const entry = events.find(({ after }) => after?.items !== undefined && after.express !== undefined);
      expect(entry).toMatchObject({
        test: 'a.test.ts > fails',
        after: { items: { text: '[1]' }, express: { text: 'true' } },
      });
      const returns = events.filter(({ returned }) => returned !== undefined).map(({ returned }) => returned?.text);
      expect(returns).toContain('8');
      expect(events.some(({ before }) => before?.LIMIT?.text === '2')).toBe(true);
    },
  );
});
