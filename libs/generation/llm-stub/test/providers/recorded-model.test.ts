import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashRecord, type ModelCall, type ModelRequest } from '@h/contracts';
import {
  buildRequest,
  callOnce,
  directoryRecordings,
  explainMiss,
  memoryRecordings,
  openAiCompatible,
  proposeCandidates,
  type Recordings,
  recordModel,
  replayModel,
  scriptedModel,
  searchReplaceEntry,
} from '@h/llm-stub';
import { afterAll, describe, expect, it } from 'vitest';
import { candidatesAnswer, candidatesInput, intentPackage } from '../examples.ts';
import { completion, loopbackServer, sendJson } from './loopback-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'h-recordings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const values = { intent_package: intentPackage, edit_format: { format: 'search_replace' }, n_candidates: 4 };
const ask = (model: ModelCall, seed = 0) => callOnce(searchReplaceEntry, values, { call: model, seed });
const requestOf = (given: Record<string, unknown> = values, seed = 0): ModelRequest => {
  const built = buildRequest(searchReplaceEntry, given, { seed });
  if (built.status !== 'built') throw new Error(built.status);
  return built.request;
};
const stores: readonly (readonly [string, () => Recordings])[] = [
  ['memory', memoryRecordings],
  ['a folder', () => directoryRecordings(join(folder, 'made', 'on-demand'))],
];

describe.each(stores)('recordings in %s', (_where, open) => {
  it('replay what was recorded, byte for byte, without a network', async () => {
    const recordings = open();
    const usage = { prompt_tokens: 5, completion_tokens: 6 };
    const model = scriptedModel([{ kind: 'ok', value: ` ${JSON.stringify(candidatesAnswer(3))}\n`, usage }]);
    const recorded = await ask(recordModel(model.call, recordings));
    expect(recorded.status).toBe('answered');
    const replayed = await ask(replayModel(recordings));
    expect(JSON.stringify(replayed)).toBe(JSON.stringify(recorded));
    expect(JSON.stringify(await ask(replayModel(recordings)))).toBe(JSON.stringify(recorded));
    expect(await recordings.list()).toContain(hashRecord(requestOf()));
  });

  it('miss any other request', async () => {
    expect(await ask(replayModel(open()), 99)).toMatchObject({
      status: 'no_op',
      kind: 'replay_miss',
      reason: expect.stringMatching(
        /^the model call ended with replay_miss: (?:\/requested\/seed differs from|this entry was never)/,
      ),
    });
  });

  it('replay a bad answer as the same no-op', async () => {
    const recordings = open();
    for (const [seed, answer] of [
      'prose',
      { kind: 'refusal' },
      { kind: 'truncated' },
      { kind: 'tool_call' },
    ].entries()) {
      const model = scriptedModel([answer as string]);
      const recorded = await ask(recordModel(model.call, recordings), seed + 10);
      expect(recorded.status).toBe('no_op');
      expect(await ask(replayModel(recordings), seed + 10)).toEqual(recorded);
    }
  });

  it('keep no failure of the network', async () => {
    const recordings = open();
    for (const kind of ['transport', 'timeout', 'rate', 'auth', 'budget', 'replay_miss'] as const) {
      expect(await ask(recordModel(scriptedModel([{ kind }]).call, recordings), 50)).toMatchObject({ kind });
      expect(await ask(replayModel(recordings), 50)).toMatchObject({ kind: 'replay_miss' });
    }
  });
});

describe('a recording', () => {
  it('is a file that a person can read, and holds no key', async () => {
    const key = 'sk-canary-42';
    const server = await loopbackServer((response) => sendJson(response, completion('{"candidates":[]}')));
    const dir = join(folder, 'keys');
    try {
      const model = openAiCompatible({ url: server.url, model: 'tiny', apiKey: key });
      await proposeCandidates(candidatesInput, recordModel(model, directoryRecordings(dir)));
    } finally {
      await server.close();
    }
    const [name = ''] = readdirSync(dir);
    const text = readFileSync(join(dir, name), 'utf8');
    expect(readdirSync(dir)).toEqual([`${JSON.parse(text).outcome.request_digest}.json`]);
    expect(text).toContain('  "outcome": {\n    "kind": "ok",');
    expect(text).not.toContain('canary');
  });

  it('may be edited in its answer, and is refused where its request was changed or it is damaged', async () => {
    const digest = hashRecord(requestOf());
    const recordings = memoryRecordings();
    await ask(recordModel(scriptedModel(['{"candidates":[]}']).call, recordings));
    const text = (await recordings.get(digest)) ?? '';
    await recordings.put(digest, text.replace('{\\"candidates\\":[]}', '{ \\"candidates\\": [] }'));
    expect(await ask(replayModel(recordings))).toMatchObject({ status: 'answered' });
    const damaged = [
      text.replace('"seed": 0', '"seed": 1'),
      text.replace('"recording": 1', '"recording": 2'),
      text.replace(`"request_digest": "${digest}"`, `"request_digest": "${'0'.repeat(64)}"`),
      text.slice(0, 50),
      text.replace('"kind": "ok"', '"kind": "fine"'),
      '',
      'null',
    ];
    for (const broken of damaged) {
      expect(broken).not.toBe(text);
      await recordings.put(digest, broken);
      await expect(ask(replayModel(recordings))).rejects.toMatchObject({ code: 'damaged_recording' });
      expect(await recordings.get(digest)).toBe(broken);
    }
  });

  it('is looked for in a folder by its digest alone', async () => {
    const dir = mkdtempSync(join(folder, 'other-'));
    writeFileSync(join(dir, 'README.md'), 'x');
    writeFileSync(join(dir, 'abc.json'), '{}');
    expect(await directoryRecordings(dir).list()).toEqual([]);
    expect(await directoryRecordings(join(dir, 'none')).list()).toEqual([]);
  });
});

describe('explainMiss', () => {
  it('names the first field that differs from the nearest recording', async () => {
    const recordings = memoryRecordings();
    for (const seed of [1, 2]) await ask(recordModel(scriptedModel(['{"candidates":[]}']).call, recordings), seed);
    const far = requestOf({ ...values, intent_package: { ...intentPackage, requirement: 'Other.' } }, 1);
    expect(await explainMiss(requestOf(values, 3), recordings)).toMatchObject({ field: '/requested/seed' });
    const explained = await explainMiss(far, recordings);
    expect(explained).toMatchObject({ field: '/messages/1/content', offset: expect.any(Number) });
    const near = JSON.parse((await recordings.get(explained?.nearest ?? '')) ?? '');
    const [ours = '', theirs = ''] = [far, near.request].map(({ messages }) =>
      messages[1].content.slice(explained?.offset),
    );
    expect(ours.startsWith('Other.')).toBe(true);
    expect(theirs.startsWith(intentPackage.requirement)).toBe(true);
  });

  it('says nothing where the entry was never recorded', async () => {
    expect(await explainMiss(requestOf(), memoryRecordings())).toBeUndefined();
  });
});
