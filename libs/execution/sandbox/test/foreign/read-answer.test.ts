import { memoryArtifacts } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { createExecutor, defaultPolicy, type ForeignSystem, type ForeignWhole } from '../../src/index.ts';
import { treeOf } from '../open-sandbox.ts';

const artifacts = memoryArtifacts();
const text = (content: string) => new TextEncoder().encode(content);
const capabilities = { concurrency: 1, persistent: false, enforces: [] };

async function run(answer: unknown, call: (job: Parameters<ForeignWhole['run']>[0]) => void = () => undefined) {
  const whole = {
    name: 'far',
    capabilities,
    run: async (job: Parameters<ForeignWhole['run']>[0]) => {
      call(job);
      return answer as never;
    },
  };
  const tree = await treeOf(artifacts, { a: 'a' });
  const request = { mode: 'verdict' as const, argv: ['tool'], cwd: '', policy: defaultPolicy(), tree, ordinal: 0 };
  return createExecutor(whole, { artifacts }).run({ ...request, artifact_version: tree, collect: ['**'] });
}

const trap = {
  get exitCode() {
    throw new Error('trap');
  },
};
const NONSENSE: [field: string, answer: unknown][] = [
  ['null', null],
  ['42', 42],
  ['exitCode', { exitCode: '0' }],
  ['exitCode', { exitCode: -1 }],
  ['exitCode', { exitCode: 256 }],
  ['exitCode', { exitCode: 1.5 }],
  ['exitCode', { exitCode: Number.NaN }],
  ['exitCode that cannot be read', trap],
  ['exitCode', new Proxy({}, { get: () => 10n })],
  ['signal', { signal: '' }],
  ['signal', { signal: 'SIGFOO' }],
  ['signal', { signal: 9 }],
  ['without exitCode', { endedBy: 'exit' }],
  ['without signal', { endedBy: 'signal', exitCode: 0 }],
  ['nobody cancelled', { endedBy: 'cancelled' }],
  ['endedBy', { endedBy: 'boredom', exitCode: 0 }],
  ['stdout', { exitCode: 0, stdout: 42 }],
  ['stderr', { exitCode: 0, stderr: null }],
  ['cpuMs', { exitCode: 0, cpuMs: -1 }],
  ['peakMemoryBytes', { exitCode: 0, peakMemoryBytes: 1.5 }],
  ['properties', { exitCode: 0, properties: { foo: 'enforced' } }],
  ['files', { exitCode: 0, files: 'no' }],
  ['files[0]', { exitCode: 0, files: [null] }],
  ['files[0].bytes', { exitCode: 0, files: [{ path: 'a' }] }],
  [
    'files[1].path',
    {
      exitCode: 0,
      files: [
        { path: 'a', bytes: text('a') },
        { path: '\ud800', bytes: text('a') },
      ],
    },
  ],
  ['files[0].mode', { exitCode: 0, files: [{ path: 'a', mode: '644', bytes: text('a') }] }],
];

describe('an answer', () => {
  it.each(NONSENSE)('that is nonsense is told with its field: %s', async (field, answer) => {
    await expect(run(answer)).rejects.toMatchObject({
      code: 'foreign_executor',
      retryable: false,
      message: expect.stringContaining(field),
    });
  });
  it.each([{ signal: 'SIGRTMIN+3' }, { exitCode: 255 }, { exitCode: 137, signal: 'SIGKILL' }])(
    'that makes sense is taken: %o',
    async (answer) => {
      expect((await run(answer)).exit_code).toBe('exitCode' in answer ? answer.exitCode : undefined);
    },
  );
  it('may fill its buffer anew', async () => {
    const result = await run({ exitCode: 0 }, ({ onStdout }) => {
      const buffer = Buffer.from('AAAA');
      onStdout(buffer);
      buffer.fill('B');
      onStdout(buffer);
    });
    expect(result.stdout.text).toBe('AAAABBBB');
  });
  it('may give output that is none, without harm to the callback that does', async () => {
    await expect(run({ exitCode: 0 }, ({ onStderr }) => onStderr(42 as never))).rejects.toMatchObject({
      code: 'foreign_executor',
      message: 'executor "far": onStderr was given 42, neither text nor bytes',
    });
  });
});

describe('a system that is not whole, or claims what there is not', () => {
  const whole = { capabilities, run: async () => ({ exitCode: 0 }) };
  const claiming = (changes: object) => ({ ...whole, capabilities: { ...capabilities, ...changes } });
  it.each<[string, unknown, number?]>([
    ['concurrency is undefined', claiming({ concurrency: undefined })],
    ['concurrency is NaN', claiming({ concurrency: Number.NaN })],
    ['concurrency is 0', claiming({ concurrency: 0 })],
    ['concurrency is -1', claiming({ concurrency: -1 })],
    ['concurrency is 1.5', claiming({ concurrency: 1.5 })],
    ['concurrency is "2"', claiming({ concurrency: '2' })],
    ['"foo"', claiming({ enforces: ['foo'] })],
    ['"undefined"', claiming({ enforces: [undefined] })],
    ['enforces is no list', claiming({ enforces: undefined })],
    ['capabilities are missing', { ...whole, capabilities: undefined }],
    ['put is no function', { capabilities }],
    ['run is no function', { capabilities, run: 1 }],
    ['drop is no function', { ...whole, drop: true }],
    ['name', { ...whole, name: 1 }],
    ['no object', undefined],
    ['transferMs is NaN', whole, Number.NaN],
  ])('is refused at once: %s', (what, system, transferMs) => {
    const make = () =>
      createExecutor(system as ForeignSystem, { artifacts, ...(transferMs !== undefined && { transferMs }) });
    expect(make).toThrow(expect.objectContaining({ code: 'bad_request', message: expect.stringContaining(what) }));
  });
});
