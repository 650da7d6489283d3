import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  AGENT_FOLDER,
  type AgentEvent,
  PROBE_EVENTS_FILE,
  PROBE_TABLE_FILE,
  type ProbeTable,
  pythonAgent,
  readAgentEvents,
  readProbeEvents,
} from '../src/index.ts';
import { hasPytest, type Python, samplePythons } from './present-pythons.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const TABLE: ProbeTable = {
  protocol: 1,
  max_bytes: 1 << 20,
  max_events: 1000,
  files: [
    {
      file: 'lib.py',
      probes: [
        { n: 0, line: 1, role: 'entry', before: [], after: ['a', 'b'] },
        { n: 1, line: 2, role: 'return', before: ['a', 'b'], after: [] },
      ],
    },
    {
      file: 'test_lib.py',
      probes: [
        { n: 2, line: 8, role: 'statement', before: [], after: ['total'] },
        { n: 3, line: 9, role: 'statement', before: ['total'], after: [] },
        { n: 4, line: 90, role: 'statement', before: ['total'], after: [] },
      ],
    },
  ],
};

const FILES = {
  'lib.py': 'def add(a, b):\n    return a - b\n',
  'test_lib.py':
    'import unittest\n\nfrom lib import add\n\n\nclass TestAdd(unittest.TestCase):\n    def test_bad(self):\n        total = add(2, 3)\n        assert total == 5\n\n    def test_good(self):\n        self.assertEqual(add(1, 0), 1)\n',
};

async function run(python: Python, args: string[], plan: object, table?: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'h-runner-'));
  folders.push(folder);
  mkdirSync(join(folder, AGENT_FOLDER));
  for (const { path, text } of pythonAgent()) writeFileSync(join(folder, path), text);
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(folder, path), text);
  if (table !== undefined) writeFileSync(join(folder, AGENT_FOLDER, PROBE_TABLE_FILE), JSON.stringify(table));
  const env = { PATH: process.env.PATH, PYTHONPATH: AGENT_FOLDER, H_AGENT_PLAN: JSON.stringify(plan) };
  const stdout = await new Promise<string>((done) => {
    execFile(python.executable, args, { cwd: folder, encoding: 'utf8', env }, (_, out, err) => done(out + err));
  });
  const read = (name: string) => {
    try {
      return readFileSync(join(folder, AGENT_FOLDER, name), 'utf8');
    } catch {
      return undefined;
    }
  };
  const events = readAgentEvents(read('report.ndjson') ?? '').map((event) => ({ ...event, duration_ms: 0 }));
  const probed = read(PROBE_EVENTS_FILE);
  return { stdout, events, reading: probed === undefined ? undefined : readProbeEvents(probed) };
}

const notesOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.event === 'note' ? event.message : []));
const int = (text: string) => ({ type: 'int', text, truncated: false });
const ids = { unittest: 'test_lib.py::TestAdd::test_bad', pytest: 'test_lib.py::TestAdd::test_bad' };

const runners: [string, string[]][] = [
  ['unittest', [`${AGENT_FOLDER}/h_agent_unittest.py`]],
  ['pytest', ['-m', 'pytest', '-q', '-p', 'h_agent_pytest', '-p', 'no:cacheprovider']],
  ['pytest without rewriting', ['-m', 'pytest', '-q', '-p', 'h_agent_pytest', '--assert=plain']],
];

describe.each(samplePythons())('on CPython $version', (python) => {
  const present = runners.filter(([runner]) => runner === 'unittest' || hasPytest(python));
  it.concurrent.each(present)('%s observes sources and tests, and which test it was', async (_, args) => {
    const plain = await run(python, args, {});
    const { reading, events, stdout } = await run(python, args, {}, TABLE);
    expect(events).toEqual(plain.events);
    const told = (text: string) => text.replace(/in \d\.\d+s|^.*h-runner-.*$/gm, '');
    expect(told(stdout)).toBe(told(plain.stdout));
    expect(plain.reading).toBeUndefined();
    const test = ids.unittest;
    const own = reading?.events.filter((event) => event.test === test);
    const [error] = (own ?? []).flatMap(({ raised }) => raised ?? []);
    expect(error?.type).toBe('AssertionError');
    expect(own).toEqual([
      { n: 2, frame: 0, test, after: { total: int('-1') }, completed: true },
      { n: 0, frame: 1, test, caller: 0, after: { a: int('2'), b: int('3') }, completed: true },
      { n: 1, frame: 1, test, before: { a: int('2'), b: int('3') }, returned: int('-1'), completed: true },
      { n: 3, frame: 0, test, before: { total: int('-1') }, completed: false, raised: error },
    ]);
    expect(reading).toMatchObject({
      truncated: false,
      placed: [0, 1, 2, 3],
      notes: ['probe 4: no statement starts at line 90'],
    });
    expect(reading?.events.filter((event) => event.test?.endsWith('test_good'))).toHaveLength(2);
  });

  it.concurrent('says why it records nothing', async () => {
    const args = runners[0]?.[1] ?? [];
    const other = await run(python, args, {}, { ...TABLE, protocol: 2 });
    expect(notesOf(other.events)).toEqual(['no values are recorded: the probe table is of protocol 2']);
    const broken = await run(python, args, {}, { protocol: 1 });
    expect(notesOf(broken.events)).toEqual([expect.stringContaining('no values are recorded: KeyError')]);
    const covered = await run(python, args, { coverage: true }, TABLE);
    expect(notesOf(covered.events)).toEqual(['no values are recorded: coverage is taken in this run']);
    const listed = await run(python, args, { mode: 'list' }, TABLE);
    expect(listed.reading).toBeUndefined();
  });
});
