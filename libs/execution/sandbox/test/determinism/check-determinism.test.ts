import { type ExecutionRequest, type ExecutionResult, type Executor, memoryArtifacts } from '@h/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeProgram } from '../../check/determinism/judge-program.ts';
import { STABLE } from '../../check/determinism/stable-programs.ts';
import { UNSTABLE } from '../../check/determinism/unstable-programs.ts';
import {
  checkDeterminism,
  type DeterminismOptions,
  defaultPolicy,
  discoverPython,
  STABLE_MASKS,
} from '../../src/index.ts';
import { type Opened, openSandbox, requireTools } from '../open-sandbox.ts';

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

it.each<[string, object]>([
  ['vary', { vary: ['nope'] }],
  ['masks', { masks: /x/ }],
  ['masks', { masks: ['x'] }],
  ['runs', { runs: Number.NaN }],
  ['runs', { runs: 2.5 }],
  ['ignoreFields', { ignoreFields: 'wall_ms' }],
  ['records', { records: {} }],
])('refuses %s that are %j before anything runs', async (name, options) => {
  await expect(check([], options)).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining(`: ${name} is not usable`),
  });
});

it('runs twice at the least', async () => {
  expect(await check([], { runs: 1 })).toMatchObject({ verdict: 'deterministic', runs: 2 });
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

describe('records', () => {
  const report = (outcome: string, ms: number, id = 'a') => ({
    execution_ids: [id.repeat(64)],
    tests: [{ test: 'x/y', outcome, duration_ms: ms, seen: `<A at 0x7f00${ms}>` }],
  });
  const checkRecords = (records: readonly unknown[], options: DeterminismOptions = {}) => {
    let turn = -1;
    const left = [...records];
    return check([], { ...options, records: () => (++turn % 2 === 0 ? left[0] : left.splice(1, 1)[0]) });
  };
  it('are compared but for what measures or names the run', async () => {
    const masks = [STABLE_MASKS.address, /0x7f00\d+/];
    expect(await checkRecords([report('passed', 1), report('passed', 2, 'b')], { masks })).toMatchObject({
      verdict: 'deterministic',
      runs: 2,
    });
    expect(await checkRecords([report('passed', 1), report('failed', 1)], { masks })).toMatchObject({
      verdict: 'nondeterministic',
      field: 'records: /tests/0/outcome',
      first_difference: '"passed" | "failed"',
    });
  });
  it.each<[unknown, unknown, string, string]>([
    [[1, 2], [1], 'records: /1', '2 | (absent)'],
    [{ 'a/b': { '~': 1 } }, { 'a/b': { '~': 2 } }, 'records: /a~1b/~0', '1 | 2'],
    [{ a: 1 }, { a: '1' }, 'records: /a', '1 | "1"'],
    [[], {}, 'records: /', '[] | {}'],
    [null, {}, 'records: /', 'null | {}'],
  ])('%j against %j', async (one, two, field, first_difference) => {
    expect(await checkRecords([one, two])).toMatchObject({ field, first_difference });
  });
  it('leave out further fields by name, and come after what is shown', async () => {
    expect(
      await checkRecords(
        [
          { a: 1, b: 1 },
          { a: 2, b: 1 },
        ],
        { ignoreFields: ['a'] },
      ),
    ).toMatchObject({
      verdict: 'deterministic',
    });
    expect(await check([result(), result({ exit_code: 1 })], { records: () => Math.random() })).toMatchObject({
      field: 'exit_code',
    });
  });
});

describe('conditions that are varied', () => {
  const seeds: (string | undefined)[] = [];
  const varied = async (texts: readonly string[]) => {
    seeds.length = 0;
    const executor: Executor = {
      capabilities: { concurrency: 1, persistent: false, enforces: [] },
      run: async ({ policy }) => {
        seeds.push(policy.determinism.hash_seed);
        return result({ stdout: stream(texts[seeds.length - 1] ?? 'a') });
      },
    };
    const policy = defaultPolicy({ env_set: { PYTHONHASHSEED: '0' } });
    const tree = 'b'.repeat(64);
    const request = { mode: 'verdict' as const, argv: ['x'], cwd: '', policy, tree, artifact_version: tree };
    return (await checkDeterminism(executor, { ...request, ordinal: 0, collect: [] }, { vary: ['hash_seed'] })).verdict;
  };
  it('are named as the cause when without them all is as before', async () => {
    expect(await varied(['a', 'a', 'b', 'a'])).toMatchObject({
      verdict: 'nondeterministic',
      runs: 4,
      likely_cause: expect.stringMatching(/^hash order/),
    });
    expect(seeds).toEqual(['0', '0', '1', '0']);
  });
  it('are not blamed for what differs without them too', async () => {
    const verdict = await varied(['1 x', '1 x', '2 x', '3 x']);
    expect(verdict).toMatchObject({ verdict: 'nondeterministic', runs: 4, likely_cause: 'random: a number' });
  });
  it('cost one run each where nothing differs', async () => {
    expect(await varied([])).toEqual({ verdict: 'deterministic', runs: 3 });
  });
});

describe('real programs', () => {
  const programs = [...UNSTABLE, ...STABLE];
  let opened: Opened;
  let python: string;
  beforeAll(async () => {
    requireTools();
    const found = await discoverPython(['python3']);
    if ('reason' in found) throw new Error(`Python 3 is needed for these programs: ${found.reason}`);
    python = found.executable;
    const readOnlyPaths = [found.prefix, found.base_prefix, process.execPath];
    opened = await openSandbox({ artifacts, readOnlyPaths, concurrency: 3 });
  });
  afterAll(async () => {
    await opened?.sandbox.close();
  });
  it('are at least 40 of each kind, with names of their own', () => {
    expect(UNSTABLE.length).toBeGreaterThanOrEqual(40);
    expect(STABLE.length).toBeGreaterThanOrEqual(40);
    expect(new Set(programs.map(({ name }) => name)).size).toBe(programs.length);
  });
  it.concurrent.each(programs.filter(({ slice }) => slice))(
    '$name: told as it is',
    { timeout: 60_000 },
    async (program) => {
      const { wrong, causeNamed, verdict } = await judgeProgram(
        { sandbox: opened.sandbox, artifacts, python },
        program,
      );
      expect({ wrong, causeNamed, verdict }).toEqual({
        wrong: undefined,
        causeNamed: program.differs && true,
        verdict,
      });
    },
  );
});
