import { type ExecutionRequest, type ExecutionResult, type Executor, memoryArtifacts } from '@h/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDeterminism, type DeterminismOptions, defaultPolicy, discoverPython } from '../../src/index.ts';
import { type Opened, openSandbox, requireTools, treeOf } from '../open-sandbox.ts';

const artifacts = memoryArtifacts();
const stream = (text: string, dropped_bytes = 0) => ({
  text,
  observed_bytes: text.length + dropped_bytes,
  retained_bytes: text.length,
  dropped_bytes,
});
const result = (changes: Partial<ExecutionResult> = {}): ExecutionResult => ({
  execution_id: 'a'.repeat(64),
  ended_by: 'exit',
  exit_code: 0,
  stdout: stream('same\n'),
  stderr: stream(''),
  files: [],
  ...changes,
});
const file = async (path: string, text: string) => ({
  path,
  sha: await artifacts.put(new TextEncoder().encode(text)),
  bytes: text.length,
});

async function check(results: readonly ExecutionResult[], options: DeterminismOptions = {}) {
  const ordinals: number[] = [];
  const executor: Executor = {
    capabilities: { concurrency: 1, persistent: false, enforces: [] },
    run: async ({ ordinal }) => {
      ordinals.push(ordinal);
      return results[ordinals.length - 1] ?? result();
    },
  };
  const request = { mode: 'verdict', argv: ['x'], cwd: '', policy: defaultPolicy(), tree: 'b'.repeat(64) } as const;
  const full: ExecutionRequest = { ...request, argv: ['x'], artifact_version: request.tree, ordinal: 3, collect: [] };
  const { verdict } = await checkDeterminism(executor, full, { artifacts, ...options });
  return { ...verdict, ordinals };
}

it('finds nothing where nothing but what is measured differs', async () => {
  const seen = await check([result({ wall_ms: 1, cpu_ms: 2 }), result({ wall_ms: 9 }), result()], { runs: 3 });
  expect(seen).toEqual({ verdict: 'deterministic', runs: 3, ordinals: [3, 4, 5] });
});

it.each<[string, Partial<ExecutionResult>, string]>([
  ['ended_by', { ended_by: 'signal', signal: 'SIGSEGV' }, 'exit | signal'],
  ['exit_code', { exit_code: 1 }, '0 | 1'],
  ['stdout', { stdout: stream('samt\n') }, 'line 1, character 4: "same" | "samt"'],
  ['stdout', { stdout: stream('same\nx') }, 'line 2, character 1: "" | "x"'],
  ['stdout', { stdout: stream('same\n', 7) }, 'line 1, character 1: "0 bytes over the cap" | "7 bytes over the cap"'],
  ['stderr', { stderr: stream('x') }, 'line 1, character 1: "" | "x"'],
])('names %s for %j', async (field, changes, first_difference) => {
  expect(await check([result(), result(changes)])).toMatchObject({
    verdict: 'nondeterministic',
    runs: 2,
    field,
    first_difference,
  });
});

it('names a file that is there once, and the place in one that differs', async () => {
  const [a, b, c] = [await file('out/a', 'x\n1 2'), await file('out/a', 'x\n1 3'), await file('out/b', '')];
  expect(await check([result({ files: [a] }), result({ files: [a, c] })])).toMatchObject({
    field: 'files',
    first_difference: 'line 1, character 6: "out/a" | "out/a"',
  });
  expect(await check([result({ files: [a, c] }), result({ files: [b, c] })])).toMatchObject({
    field: 'files: out/a',
    first_difference: 'line 2, character 3: "1 2" | "1 3"',
  });
});

it('stops at the first difference, and sees one that comes late', async () => {
  const other = result({ exit_code: 1 });
  expect(await check([result(), other], { runs: 9 })).toMatchObject({ runs: 2, ordinals: [3, 4] });
  expect(await check([result(), result(), result(), other], { runs: 9 })).toMatchObject({
    verdict: 'nondeterministic',
    runs: 4,
  });
});

it('compares what is left when masks are taken out', async () => {
  const [one, two] = ['Ran 2 tests in 0.001s\nOK', 'Ran 2 tests in 0.123s\nOK'].map((text) =>
    result({ stderr: stream(text) }),
  );
  if (one === undefined || two === undefined) throw new Error('two results');
  expect((await check([one, two])).verdict).toBe('nondeterministic');
  expect((await check([one, two], { masks: [/in \d+\.\d+s/] })).verdict).toBe('deterministic');
});

it('does not judge a run that was cut short, or was none', async () => {
  const cut = result({ ended_by: 'wall_limit', stdout: stream('1') });
  expect(await check([cut, result({ ...cut, stdout: stream('2') })])).toMatchObject({
    verdict: 'not_checked',
    runs: 1,
  });
  expect(await check([result(), result({ ended_by: 'cancelled' })])).toMatchObject({ verdict: 'not_checked', runs: 2 });
  expect((await check([result({ ended_by: 'policy_unmet' })])).verdict).toBe('not_checked');
  expect(await check([result(), cut])).toMatchObject({ verdict: 'nondeterministic', field: 'ended_by' });
});

describe('real programs', () => {
  const UNSTABLE: Record<string, [program: string, cause: RegExp]> = {
    'a clock': ['import time; print("at", time.time_ns())', /^time/],
    'a date': ['import datetime; print(datetime.datetime.now().isoformat())', /time/],
    'a duration': ['import time; print(f"took {time.perf_counter() % 1 * 1000:.6f} ms")', /^time/],
    'a random number': ['import random; print(random.random())', /random/],
    'a unique name': ['import uuid; print("id", uuid.uuid4())', /^random/],
    'a shuffled list': ['import random; x = list("abcdefghij"); random.shuffle(x); print(*x)', /^order in a line/],
    'shuffled lines': [
      'import random; x = list("abcdefghij"); random.shuffle(x); print(*x, sep="\\n")',
      /^order of lines/,
    ],
    'random bytes in a file': ['import os; open("out", "w").write(os.urandom(16).hex())', /^random/],
    'an exit code': ['import random, sys; sys.exit(random.randrange(1, 120))', /random/],
  };
  const STABLE: Record<string, string> = {
    'a set of strings': 'print({str(i) for i in range(50)})',
    'a hash': 'print(hash("text"))',
    'a seeded number': 'import random; random.seed(1); print(random.random())',
    'an address': 'print(id(object()) and object())',
    'its pid': 'import os; print(os.getpid() > 0, os.environ.get("TZ"))',
    'its folder and time zone': 'import os, time; print(os.getcwd(), time.tzname, os.uname().nodename)',
  };
  let opened: Opened;
  let python: string;
  beforeAll(async () => {
    requireTools();
    const found = await discoverPython(['python3']);
    if ('reason' in found) throw new Error(`Python 3 is needed for these programs: ${found.reason}`);
    python = found.executable;
    opened = await openSandbox({ artifacts, readOnlyPaths: [found.prefix, found.base_prefix] });
  });
  afterAll(async () => {
    await opened?.sandbox.close();
  });
  const judge = async (program: string) => {
    const tree = await treeOf(artifacts, { 'a.txt': 'a' });
    const request = { mode: 'verdict' as const, argv: [python, '-c', program], cwd: '', policy: defaultPolicy(), tree };
    const full = { ...request, artifact_version: tree, ordinal: 0, collect: ['out'] };
    return (await checkDeterminism(opened.sandbox, full, { artifacts, runs: 3 })).verdict;
  };

  it.each(Object.entries(UNSTABLE))('sees %s, and a likely cause', async (_name, [program, cause]) => {
    expect(await judge(program)).toMatchObject({
      verdict: 'nondeterministic',
      likely_cause: expect.stringMatching(cause),
    });
  });
  it.each(Object.entries(STABLE))('is content with %s', async (_name, program) => {
    expect(await judge(program)).toEqual({ verdict: 'deterministic', runs: 3 });
  });
});
