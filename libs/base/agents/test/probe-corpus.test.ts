// Behaviour preserved: programs of hard cases run plain, with every statement probed and recorded, and with the probes idle.
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProbeInjector, nodeAgent, readProbeEvents } from '../src/index.ts';
import { languageOf, planEverything, tableOf } from './plan-everything.ts';

const fixtures = join(import.meta.dirname, 'fixtures/javascript');
const packages = join(import.meta.dirname, '../../../../node_modules');
const files = readdirSync(fixtures).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
const injector = await createProbeInjector();
const START = `import { isMainThread } from 'node:worker_threads'
import { startProbes } from './.h-agent/node-probes.mjs'
if (isMainThread) startProbes(new URL('./.h-agent', import.meta.url).pathname).test('the program')
`;

const SKIPPED = new Set(['globalthis-bound.cjs']);
const NO_STATEMENT = new Set(['types.ts']);

let plain = '';
const probed = new Map<string, string>();
beforeAll(() => {
  plain = folderOf('plain');
  for (const name of files) {
    const folder = folderOf('probed');
    probed.set(name, folder);
    mkdirSync(join(folder, '.h-agent'));
    for (const { path, text } of nodeAgent()) writeFileSync(join(folder, path), text);
    writeFileSync(join(folder, 'start.mjs'), START);
    const tables = files.map((file, index) => {
      const text = readFileSync(join(fixtures, file), 'utf8');
      const probes = planEverything(text, file, index * 1000);
      const result = injector.inject(text, languageOf(file), { path: file, probes });
      if (!('skipped' in result)) writeFileSync(join(folder, file), result.text);
      return tableOf(file, probes);
    });
    const table = { ...tables[0], files: tables.flatMap((each) => each.files) };
    writeFileSync(join(folder, '.h-agent/probe-table.json'), JSON.stringify(table));
  }
});
afterAll(() => {
  for (const folder of [plain, ...probed.values()]) rmSync(folder, { recursive: true, force: true });
});

function folderOf(kind: string): string {
  const folder = mkdtempSync(join(tmpdir(), `h-agents-${kind}-`));
  cpSync(fixtures, folder, { recursive: true });
  symlinkSync(packages, join(folder, 'node_modules'));
  return folder;
}

function run(folder: string, name: string, preload: string[]) {
  return new Promise((done) => {
    const args = [...preload.flatMap((module) => ['--import', module]), name];
    execFile(process.execPath, args, { cwd: folder, encoding: 'utf8' }, (error, stdout, stderr) =>
      done({ status: error?.code ?? 0, stdout, stderr: error === null ? stderr : '' }),
    );
  });
}

describe('value probes in JavaScript and TypeScript', () => {
  it.concurrent.each(files)('leave what %s does and prints as it is', async (name) => {
    const folder = probed.get(name) ?? '';
    const loader = /ts|tsx$/.test(name) ? ['tsx'] : [];
    const [before, idle, after] = await Promise.all([
      run(plain, name, loader),
      run(folder, name, loader), // `__hp` is not defined there: nothing may happen
      run(folder, name, [...loader, './start.mjs']),
    ]);
    expect(after).toEqual(before);
    expect(idle).toEqual(before);
    if (SKIPPED.has(name) || NO_STATEMENT.has(name)) return;
    const path = join(folder, '.h-agent/probe-events.ndjson');
    const { events, notes, truncated } = readProbeEvents(existsSync(path) ? readFileSync(path, 'utf8') : '');
    expect(notes).toEqual([]);
    expect(truncated).toBe(false);
    expect(events.length).toBeGreaterThan(1);
    expect(events.every(({ after, before }) => !('notBoundAnywhere' in { ...after, ...before }))).toBe(true);
  });
});
