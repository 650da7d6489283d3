// Many programs in one process of their language, watched by the agents as H watches a test; then one run of rows a program.
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type DefUseRow,
  memoryArtifacts,
  type ObservedRun,
  parseLoc,
  putTree,
  type RawEvent,
  REGULAR_FILE,
  type SourceReader,
} from '@h/contracts';
import { observeTest, planTrace } from '@h/instrument';
import { createSandbox, defaultPolicy, discoverNode, discoverPython } from '@h/sandbox';
import { createParser, languageOf, type Parser } from '@h/syntax';
import { detectRunners, planTestRun } from '@h/test-runners';
import type { Language } from './write-program.ts';

/** The rows of one program, numbered anew. */
export interface ProgramRun {
  readonly rows: readonly DefUseRow[];
  readonly events: readonly RawEvent[];
}

export interface Observer {
  /** Calls `main()` of each text, all in one process; nothing where a program left no rows. */
  observe(texts: readonly string[]): Promise<ProgramRun[]>;
  close(): Promise<void>;
}

export async function openObserver(language: Language): Promise<Observer> {
  const artifacts = memoryArtifacts();
  const parser = await createParser({ languages: [language] });
  const isPython = language === 'python';
  const python = isPython ? await findPython() : undefined;
  const node = discoverNode();
  const policy = defaultPolicy({ wall_ms: 300_000, memory_bytes: 2 ** 31 });
  const readOnlyPaths = python === undefined ? [node.prefix] : [python.prefix, python.base_prefix];
  const sandbox = await createSandbox(policy, { artifacts, readOnlyPaths, concurrency: 1 });
  const executables = python === undefined ? { node: node.executable } : { python: python.executable };
  return {
    close: () => sandbox.close(),
    async observe(texts) {
      const files = filesOf(language, texts);
      const entries = [];
      for (const [path, text] of Object.entries(files))
        entries.push({ path, mode: REGULAR_FILE, sha: await artifacts.put(new TextEncoder().encode(text)) });
      const [detection] = await detectRunners(readerOf(files));
      if (detection === undefined) throw new Error('no runner found');
      const test = isPython ? 'test_all.py::All::test_all' : 'all.test.mjs > all';
      const { command, agent_files } = planTestRun(detection, { tests: [test], mode: 'run', ...executables });
      const run = await observeTest({
        executor: sandbox,
        artifacts,
        policy,
        command,
        agentFiles: agent_files,
        tree: await putTree(entries, artifacts),
        test,
        plan: { probe_points: [] },
        trace: traceOf(files, parser),
        parser,
        maxEvents: 2_000_000,
      });
      if (run.outcome !== 'passed' || run.truncated)
        throw new Error(`The programs were not observed: ${run.outcome} ${run.failure?.message ?? ''} ${run.notes}`);
      return splitRun(
        run,
        texts.map((_, at) => nameOf(language, at)),
      );
    },
  };
}

function nameOf(language: Language, at: number): string {
  return language === 'python' ? `p${at}.py` : `p${at}.mjs`;
}

function filesOf(language: Language, texts: readonly string[]): Record<string, string> {
  const isPython = language === 'python';
  const programs = texts.map((text, at) => [nameOf(language, at), isPython ? text : `${text}export { main };\n`]);
  const numbers = texts.map((_, at) => at);
  const test = isPython
    ? `import unittest\n${numbers.map((at) => `import p${at}`).join('\n')}\n\nclass All(unittest.TestCase):\n    def test_all(self):\n${numbers.map((at) => `        p${at}.main()`).join('\n')}\n`
    : `import { test } from 'node:test';\n${numbers.map((at) => `import * as p${at} from './p${at}.mjs';`).join('\n')}\ntest('all', () => {\n${numbers.map((at) => `  p${at}.main();`).join('\n')}\n});\n`;
  const manifest = { 'package.json': '{"type":"module","scripts":{"test":"node --test"}}' };
  return {
    ...Object.fromEntries(programs),
    ...(isPython ? { 'test_all.py': test } : { 'all.test.mjs': test, ...manifest }),
  };
}

function traceOf(files: Record<string, string>, parser: Parser) {
  const sources = Object.entries(files).filter(([path]) => /^p\d+\.(?:py|mjs)$/.test(path));
  const outlines = new Map(sources.map(([path, text]) => [path, parser.outline(text, languageOf(path) ?? 'python')]));
  const names = new Map(sources.map(([path, text]) => [path, parser.names(text, languageOf(path) ?? 'python')]));
  const frames = [...outlines].flatMap(([file, { statements }]) => statements.map(({ first }) => `${file}:${first}`));
  return planTrace({ probe_points: [] }, { outlines, names, frames, maxBytes: 2 ** 30 });
}

/** Frames of a program are called by its own or by the test, so that its rows say all there is of them. */
function splitRun({ rows, events }: ObservedRun, files: readonly string[]): ProgramRun[] {
  const parts = new Map(files.map((file) => [file, { rows: [] as DefUseRow[], events: [] as RawEvent[] }]));
  const places = new Int32Array(rows.length);
  for (const [at, row] of rows.entries()) {
    const part = parts.get(parseLoc(row.location).file);
    const event = events[at];
    if (part === undefined || event === undefined) continue;
    const sequence = part.rows.length;
    places[at] = sequence;
    const { control_parent, caller } = row;
    part.rows.push({
      ...row,
      sequence,
      ...(control_parent === undefined ? {} : { control_parent: places[control_parent] ?? 0 }),
      ...(caller === undefined ? {} : { caller: places[caller] ?? 0 }),
    });
    part.events.push({ ...event, sequence });
  }
  return [...parts.values()];
}

/** The interpreter that both the observed and the plain runs use. */
export async function findPython() {
  const versions = join(homedir(), '.pyenv/versions');
  const names = existsSync(versions) ? readdirSync(versions) : [];
  for (const candidate of [...names.map((name) => join(versions, name, 'bin/python')), 'python3']) {
    const found = await discoverPython([candidate]);
    if ('executable' in found) return found;
  }
  throw new Error('No Python is here.');
}

function readerOf(files: Readonly<Record<string, string>>): SourceReader {
  return {
    async read(path) {
      return new TextEncoder().encode(files[path] ?? '');
    },
    async *list() {
      yield* Object.keys(files).sort();
    },
  };
}
