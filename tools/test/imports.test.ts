// Invariants 11 and 13: importing the libraries prints nothing, changes nothing of the process, keeps nothing alive and
// loads no engine.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listLibraries, readJson } from '../workspace.ts';

const root = resolve(import.meta.dirname, '../..');
const names = listLibraries(root).map(({ name }) => name);
const engines =
  /node_modules\/(?:web-tree-sitter|tree-sitter-[a-z]+|@astral-sh|oxc-[a-z]+|@oxc-[a-z]+|typescript|pyright|libsql)\//;

const script = `
  const listenersOf = () => process.eventNames().map((event) => [String(event), process.listenerCount(event)]);
  const state = () => ({
    globals: Reflect.ownKeys(globalThis).map(String).filter((name) => !/^__zod_|signal-exit/.test(name)), // of zod and execa
    env: { ...process.env },
    listeners: listenersOf(),
  });
  const seen = {};
  for (const name of process.argv.slice(1)) {
    const before = state();
    const exports = Object.keys(await import(name)).length;
    seen[name] = { exports, before, after: state() };
  }
  process.stdout.write(JSON.stringify(seen));
`;

interface Seen {
  readonly exports: number;
  readonly before: unknown;
  readonly after: unknown;
}

/** Imports the libraries one after the other in a fresh process; V8's coverage files tell which files that loaded. */
function importAll(): { stdout: string; stderr: string; status: number | null; loaded: string[] } {
  const coverage = mkdtempSync(join(tmpdir(), 'h-imports-'));
  try {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--conditions=@h/source', '--import', 'tsx', '--input-type=module', '-e', script, ...names],
      { cwd: root, encoding: 'utf8', timeout: 50_000, env: { ...process.env, NODE_V8_COVERAGE: coverage } },
    );
    const loaded = readdirSync(coverage).flatMap((file) =>
      readJson<{ result: { url: string }[] }>(join(coverage, file)).result.map(({ url }) => url),
    );
    return { stdout, stderr, status, loaded };
  } finally {
    rmSync(coverage, { recursive: true, force: true });
  }
}

describe('importing every library', () => {
  const { stdout, stderr, status, loaded } = importAll();

  it('prints nothing and lets the process end', () => {
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  it.each(names)('leaves the process as it was: %s', (name) => {
    const seen: Record<string, Seen> = JSON.parse(stdout);
    expect(seen[name]?.exports).toBeGreaterThan(0);
    expect(seen[name]?.after).toEqual(seen[name]?.before);
  });

  it('loads no engine', () => {
    expect(loaded.filter((url) => url.includes('/libs/')).length).toBeGreaterThan(names.length);
    expect(loaded.filter((url) => engines.test(url))).toEqual([]);
  });
});
