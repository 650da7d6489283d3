// Scripted executors: what a run may leave behind, and what is said of it.
import {
  type ExecutionRequest,
  type ExecutionResult,
  type Executor,
  memoryArtifacts,
  ObservedRun,
  parseRecord,
  putTree,
  REGULAR_FILE,
} from '@h/contracts';
import { expect, test } from 'vitest';
import { observeTest, planProbes, planTrace } from '../src/index.ts';
import { parser, ranked, shapeOf } from './program-of.ts';

const CODE = 'def half(n):\n    m = n // 2\n    return m\n';
const test_id = 'test_a.py::test_half';
const policy = {
  cpu_cores: 1,
  memory_bytes: 1,
  wall_ms: 1,
  pids_max: 1,
  stream_bytes: 1,
  disk_bytes: 1,
  inodes_max: 1,
  network: 'deny' as const,
  filesystem: { workspace: 'private_copy' as const, scratch: 'rw' as const, extra_ro: [] },
  env_allow: [],
  env_set: { PYTHONPATH: 'lib', A: '1' },
  determinism: { hash_seed: '0', tz: 'UTC', locale: 'C.UTF-8', no_aslr: false },
  require: [],
};
const stream = (text: string) => ({ text, observed_bytes: 0, retained_bytes: 0, dropped_bytes: 0 });
const line = (value: unknown) => `${JSON.stringify(value)}\n`;

const START =
  line({ event: 'run-start', protocol: 1, runner: 'pytest' }) +
  line({ event: 'test-start', test: test_id, file: 'test_a.py' });
const FAILED = {
  event: 'test-end',
  test: test_id,
  file: 'test_a.py',
  outcome: 'failed',
  duration_ms: 1,
  failure: { class: 'E', message: '<X object at 0x7f0011223344> \ud800', frames: ['a.py:2'], location: 'a.py:2' },
};
const EVENTS =
  line(['h', 1, 'python']) +
  line(['p', 0, [], ['n']]) +
  line(['p', 1, ['n'], ['m']]) +
  line(['t', test_id]) +
  line(['e', 0, 0, 0, [['int', '3']]]) +
  line(['b', 1, 1, 0, [['int', '3']]]) +
  line(['a', 1, [['int', '1']]]);

interface Script {
  readonly report?: string;
  readonly events?: string;
  readonly ended?: Partial<ExecutionResult>;
}

async function watch(script: Script, more: { signal?: AbortSignal } = {}) {
  const artifacts = memoryArtifacts();
  const put = (text: string) => artifacts.put(new TextEncoder().encode(text));
  const tree = await putTree([{ path: 'src/a.py', mode: REGULAR_FILE, sha: await put(CODE) }], artifacts);
  const shape = shapeOf({ 'src/a.py': CODE });
  const plan = planProbes({ ...shape, candidates: ranked('src/a.py:2') });
  const requests: ExecutionRequest[] = [];
  const executor: Executor = {
    capabilities: { concurrency: 1, persistent: false, enforces: [] },
    async run(request) {
      requests.push(request);
      const files = [];
      for (const [path, text] of [
        ['src/out.ndjson', script.report],
        ['src/.h-agent/probe-events.ndjson', script.events],
      ])
        if (path !== undefined && text !== undefined) files.push({ path, sha: await put(text), bytes: text.length });
      const ended = { execution_id: 'e'.repeat(64), ended_by: 'exit' as const, exit_code: 1 };
      return { ...ended, stdout: stream(''), stderr: stream('boom at 0x7f0011223344'), files, ...script.ended };
    },
  };
  const command = {
    argv: ['/usr/bin/py', '-m', 'x'],
    cwd: 'src',
    env_set: { PYTHONPATH: '.h-agent', B: '2' },
    report_path: 'src/out.ndjson',
  };
  const run = await observeTest(
    {
      executor,
      artifacts,
      policy,
      command,
      agentFiles: [],
      tree,
      test: test_id,
      ordinal: 3,
      parser,
      plan,
      trace: planTrace(plan, shape),
    },
    more,
  );
  return { run: parseRecord(ObservedRun, run), requests, tree };
}

test('the request is that of an instrumented run of the copy', async () => {
  const { requests, tree } = await watch({});
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    mode: 'instrumented',
    argv: ['/usr/bin/py', '-m', 'x'],
    cwd: 'src',
    interpreter: '/usr/bin/py',
    artifact_version: tree,
    ordinal: 3,
    collect: ['src/out.ndjson', 'src/.h-agent/probe-events.ndjson'],
  });
  expect(requests[0]?.policy.env_set).toEqual({ A: '1', B: '2', PYTHONPATH: '.h-agent:lib' });
  expect(requests[0]?.tree).not.toBe(tree);
});

test('outcome and failure are the report’s, without addresses', async () => {
  const { run } = await watch({ report: START + line(FAILED), events: EVENTS });
  expect(run).toMatchObject({
    execution_id: 'e'.repeat(64),
    test: test_id,
    outcome: 'failed',
    truncated: false,
    notes: [],
  });
  expect(run.failure).toEqual({
    class: 'E',
    message: '<X object at 0x…> \u{FFFD}',
    frames: ['a.py:2'],
    location: 'a.py:2',
  });
  expect(run.events.map(({ probe_id, payload }) => [probe_id, payload.variables])).toEqual([
    ['trace', { n: { type: 'int', text: '3', truncated: false } }],
    ['PP1', { m: { type: 'int', text: '1', truncated: false }, n: { type: 'int', text: '3', truncated: false } }],
  ]);
  expect(run.rows.map(({ defs, uses, control_parent }) => [defs, uses, control_parent])).toEqual([
    [['n'], [], undefined],
    [['m'], ['n'], 0],
  ]);
});

test('notes of the agents and of the events are passed on', async () => {
  const report =
    START +
    line({ event: 'note', message: 'slow disk' }) +
    line({ event: 'skipped-instrumentation', file: 'b.py', reason: 'odd' }) +
    line(FAILED);
  const { run } = await watch({ report, events: `${EVENTS}${line(['n', 'a note'])}${line(['c'])}["b",` });
  expect(run.truncated).toBe(true);
  expect(run.notes).toEqual([
    'slow disk',
    'No probe in b.py: odd',
    'a note',
    '1 line could not be read',
    'A limit of the events was reached: what came later is missing.',
  ]);
});

const ENDS: [what: string, script: Script, outcome: string, notes: string[]][] = [
  [
    'nothing at all',
    {},
    'not_run',
    [
      'The test did not run. exit code 1\nboom at 0x…',
      'The run left no events: no planned file was loaded, or it ended before one was.',
    ],
  ],
  [
    'a test that hangs',
    { report: START, events: EVENTS, ended: { ended_by: 'wall_limit', signal: 'SIGKILL' } },
    'timeout',
    ['The run was stopped: wall_limit (SIGKILL).'],
  ],
  ['a process that dies', { report: START, events: EVENTS, ended: { exit_code: 139 } }, 'error', []],
  [
    'memory',
    { report: START, events: EVENTS, ended: { ended_by: 'memory_limit' } },
    'error',
    ['The run was stopped: memory_limit.'],
  ],
  [
    'a file that does not load',
    {
      report:
        line({ event: 'run-start', protocol: 1, runner: 'pytest' }) +
        line({ event: 'collection-error', failure: { class: 'SyntaxError', message: 'bad', frames: [] } }),
    },
    'not_run',
    [
      'The test did not run. SyntaxError: bad',
      'The run left no events: no planned file was loaded, or it ended before one was.',
    ],
  ],
  [
    'no statement of the plan',
    { report: START + line(FAILED), events: line(['h', 1, 'python']) },
    'failed',
    ['No planned statement was executed by the test.'],
  ],
];
test.each(ENDS)('%s', async (_, script, outcome, notes) => {
  const { run } = await watch(script);
  expect(run.outcome).toBe(outcome);
  expect(run.notes).toEqual(notes);
});

test('events of other tests and unknown probes are left out', async () => {
  const { run } = await watch({
    report: START + line(FAILED),
    events: EVENTS + line(['t', 'other']) + line(['b', 2, 1, 1, []]),
  });
  expect(run.rows).toHaveLength(2);
  expect(run.notes).toEqual(['1 event of other tests left out.']);
});

test('aborted before the start, nothing runs', async () => {
  await expect(watch({}, { signal: AbortSignal.abort() })).rejects.toThrow('abort');
});

test('the same run gives the same bytes', async () => {
  const script = { report: START + line(FAILED), events: EVENTS };
  expect(JSON.stringify((await watch(script)).run)).toBe(JSON.stringify((await watch(script)).run));
});
