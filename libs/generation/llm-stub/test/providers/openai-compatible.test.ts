import { gzipSync } from 'node:zlib';
import type { ModelRequest } from '@h/contracts';
import { callOnce, openAiCompatible, type ProviderOptions, searchReplaceEntry } from '@h/llm-stub';
import { afterEach, describe, expect, it } from 'vitest';
import { candidatesAnswer, intentPackage } from '../examples.ts';
import { type Behaviour, completion, type LoopbackServer, loopbackServer, sendJson } from './loopback-server.ts';

const key = 'sk-canary-0123456789';
const values = { intent_package: intentPackage, edit_format: { format: 'search_replace' }, n_candidates: 4 };
const answer = candidatesAnswer(2);
const good = JSON.stringify(answer);
let server: LoopbackServer | undefined;
const consoles: string[] = [];

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function run(behave: Behaviour, options: Partial<ProviderOptions> = {}, signal?: AbortSignal) {
  server = await loopbackServer(behave);
  const model = openAiCompatible({ url: server.url, model: 'tiny', apiKey: key, timeoutMs: 5_000, ...options });
  const result = await callOnce(searchReplaceEntry, values, {
    call: model,
    ...(signal === undefined ? {} : { signal }),
  });
  consoles.push(JSON.stringify(result));
  return { result, received: server.received };
}

const send =
  (body: string, status?: number): Behaviour =>
  (response) =>
    sendJson(response, body, status);

describe('openAiCompatible, asked', () => {
  it('sends exactly one POST with the request, the bounds, the schema and the key', async () => {
    const { result, received } = await run(send(completion(good)));
    expect(result).toMatchObject({ status: 'answered', answer });
    expect(received).toHaveLength(1);
    const [{ method, path, headers, body } = { body: '' }] = received;
    expect({ method, path }).toEqual({ method: 'POST', path: '/v1/chat/completions' });
    expect(headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    });
    const request = result.status === 'answered' ? result.request : undefined;
    expect(JSON.parse(body)).toEqual({
      model: 'tiny',
      messages: request?.messages,
      temperature: 0.8,
      seed: 0,
      max_completion_tokens: 4096,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'candidates_search_replace_1', strict: true, schema: searchReplaceEntry.schema },
      },
    });
  });

  it('records what was sent and what it cost', async () => {
    const { result } = await run(send(completion(good)));
    const url = `${server?.url}/chat/completions`;
    expect(result).toMatchObject({
      outcome: {
        kind: 'ok',
        sent: {
          model: 'tiny',
          temperature: 0.8,
          seed: 0,
          max_completion_tokens: 4096,
          response_format: 'json_schema',
          url,
        },
        usage: { prompt_tokens: 120, completion_tokens: 30 },
      },
    });
  });

  it('says so where a parameter was left out or is called otherwise', async () => {
    const refuses = ['temperature', 'seed', 'response_format'] as const;
    const { result, received } = await run(send(completion(good)), { tokensField: 'max_tokens', refuses });
    expect(Object.keys(JSON.parse(received[0]?.body ?? ''))).toEqual(['model', 'messages', 'max_tokens']);
    const url = `${server?.url}/chat/completions`;
    expect(result).toMatchObject({ outcome: { sent: { model: 'tiny', max_tokens: 4096, url } } });
    expect(Object.keys(result.status === 'answered' ? result.outcome.sent : {})).toEqual([
      'model',
      'max_tokens',
      'url',
    ]);
  });

  it('sends nothing where a refused parameter is not to be left out (15b, unsupported: fail)', async () => {
    server = await loopbackServer(send(completion(good)));
    const call = openAiCompatible({ url: server.url, model: 'tiny', refuses: ['temperature'], unsupported: 'fail' });
    await expect(callOnce(searchReplaceEntry, values, { call })).rejects.toMatchObject({
      code: 'unsupported_parameter',
    });
    expect(server.received).toEqual([]);
  });

  it('allows reasoning apart from the answer, and records both (15b)', async () => {
    const reasoning = { tokens: 10_000, effort: 'low' };
    const { result, received } = await run(send(completion(good)), { reasoning });
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      max_completion_tokens: 14_096,
      reasoning_effort: 'low',
    });
    expect(result).toMatchObject({
      request: { requested: { max_tokens: 4096 } },
      outcome: { sent: { max_completion_tokens: 14_096, reasoning_tokens: 10_000, reasoning_effort: 'low' } },
    });
  });

  it('asks for any JSON where the server has no schemas, and checks the answer all the same', async () => {
    const { result, received } = await run(send(completion('{"answer":42}')), { format: 'json_object' });
    expect(JSON.parse(received[0]?.body ?? '').response_format).toEqual({ type: 'json_object' });
    expect(result).toMatchObject({ kind: 'schema', outcome: { sent: { response_format: 'json_object' } } });
  });

  it.each([
    ['the price given', { prompt: 2, completion: 10 }, {}, 0.00054],
    ['what the server says', { prompt: 2, completion: 10 }, { cost: 0.25 }, 0.25],
    ['nothing', undefined, {}, undefined],
    ['nothing, of a cost below zero', undefined, { cost: -1 }, undefined],
  ])('records the cost by %s', async (_by, price, said, cost) => {
    const usage = { prompt_tokens: 120, completion_tokens: 30, ...said };
    const body = JSON.stringify({ ...JSON.parse(completion(good)), usage });
    const { result } = await run(send(body), price === undefined ? {} : { price });
    expect(result.status === 'answered' ? result.outcome.usage?.cost : 'none').toEqual(cost);
  });

  it('takes the full address too, keeps its query and does not record it; sends no key where there is none', async () => {
    server = await loopbackServer(send(completion(good)));
    const model = openAiCompatible({
      url: `${server.url}/chat/completions/?api-version=1&token=${key}`,
      model: 'tiny',
    });
    const result = await callOnce(searchReplaceEntry, values, { call: model });
    expect(server.received[0]?.path).toBe(`/v1/chat/completions?api-version=1&token=${key}`);
    expect(server.received[0]?.headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(result)).not.toContain(key);
  });

  it('takes content that comes in text parts', async () => {
    const parts = [
      { type: 'text', text: good.slice(0, 9) },
      { type: 'text', text: good.slice(9) },
    ];
    const { result } = await run(send(completion(parts)));
    expect(result).toMatchObject({ status: 'answered', answer });
  });

  it('puts a body together that is split inside a character', async () => {
    const text = completion(JSON.stringify({ candidates: [{ search: 'größe 👍', replace: 'ü' }] }));
    const bytes = Buffer.from(text);
    const { result } = await run((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const byte of bytes) response.write(Buffer.from([byte]));
      response.end();
    });
    expect(result).toMatchObject({
      status: 'answered',
      answer: { candidates: [{ search: 'größe 👍', replace: 'ü' }] },
    });
  });

  it('drops usage that is none', async () => {
    for (const usage of [
      null,
      {},
      { prompt_tokens: -1, completion_tokens: 1 },
      { prompt_tokens: '9', completion_tokens: 1 },
    ]) {
      const body = JSON.stringify({ ...JSON.parse(completion(good)), usage });
      const { result } = await run(send(body));
      expect(result).toMatchObject({ status: 'answered' });
      expect(result).not.toHaveProperty('outcome.usage');
      await server?.close();
    }
  });
});

const sse = `data: {"choices":[{"delta":{"content":"{"}}]}\n\ndata: [DONE]\n\n`;
const misbehaving: readonly (readonly [what: string, kind: string, behave: Behaviour])[] = [
  ['401', 'auth', send('{"error":{"message":"bad key"}}', 401)],
  ['403', 'auth', send('', 403)],
  ['402', 'budget', send('', 402)],
  ['413', 'budget', send('', 413)],
  ['429', 'rate', (response) => response.writeHead(429, { 'retry-after': '0' }).end('slow down')],
  ['408', 'timeout', send('', 408)],
  ['504', 'timeout', send('', 504)],
  ['400 that refuses the schema', 'transport', send('{"error":{"message":"Invalid schema"}}', 400)],
  ['404', 'transport', send('not found', 404)],
  ['500 with a good body', 'transport', send(completion(good), 500)],
  ['503', 'transport', send('', 503)],
  ['201 with a good body', 'transport', send(completion(good), 201)],
  ['204', 'transport', (response) => response.writeHead(204).end()],
  [
    'a redirect to itself',
    'transport',
    (response) => response.writeHead(307, { location: '/v1/chat/completions' }).end(),
  ],
  [
    'a redirect elsewhere',
    'transport',
    (response) => response.writeHead(301, { location: 'http://127.0.0.1:9/' }).end(),
  ],
  [
    'an HTML page',
    'transport',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>login</html>'),
  ],
  ['an empty body', 'transport', send('')],
  [
    'a stream of events',
    'transport',
    (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(sse),
  ],
  ['half a body', 'transport', send(completion(good).slice(0, 80))],
  ['two bodies', 'transport', send(completion(good) + completion(good))],
  ['a list', 'transport', send('[]')],
  ['null', 'transport', send('null')],
  ['no choices', 'transport', send('{"choices":[]}')],
  ['choices that are none', 'transport', send('{"choices":{"0":{}}}')],
  [
    'two choices',
    'transport',
    send(
      JSON.stringify({ choices: [...JSON.parse(completion(good)).choices, ...JSON.parse(completion(good)).choices] }),
    ),
  ],
  ['an error with status 200', 'transport', send('{"error":{"message":"overloaded"}}')],
  ['no message', 'transport', send('{"choices":[{"finish_reason":"stop"}]}')],
  [
    'bytes that are not UTF-8',
    'transport',
    (response) => response.end(Buffer.concat([Buffer.from(completion(good)), Buffer.from([0xff])])),
  ],
  ['a hang-up before the header', 'transport', (response) => response.destroy()],
  [
    'a hang-up within the body',
    'transport',
    (response) => {
      response.writeHead(200, { 'content-length': '9999' });
      response.write('{"choices":');
      setTimeout(() => response.destroy(), 20);
    },
  ],
  ['no finish_reason', 'transport', send(completion(good, { finish_reason: null }))],
  ['a finish_reason nobody knows', 'transport', send(completion(good, { finish_reason: 'eos' }))],
  ['content of another kind', 'transport', send(completion({ text: good }))],
  ['an image among the parts', 'transport', send(completion([{ type: 'text', text: good }, { type: 'image_url' }]))],
  ['a good answer cut at the limit', 'truncated', send(completion(good, { finish_reason: 'length' }))],
  ['half an answer', 'truncated', send(completion(good.slice(0, 30), { finish_reason: 'length' }))],
  ['a filter', 'refusal', send(completion('', { finish_reason: 'content_filter' }))],
  ['a refusal beside content', 'refusal', send(completion(good, {}, { refusal: 'I cannot.' }))],
  ['a refusal among the parts', 'refusal', send(completion([{ type: 'refusal', refusal: 'no' }]))],
  ['a tool call', 'tool_call', send(completion(null, { finish_reason: 'tool_calls' }, { tool_calls: [{ id: 'c' }] }))],
  ['a tool call that claims to have stopped', 'tool_call', send(completion(good, {}, { tool_calls: [{ id: 'c' }] }))],
  ['a function call', 'tool_call', send(completion(good, {}, { function_call: { name: 'f' } }))],
  ['no content', 'json', send(completion(null))],
  ['empty content', 'json', send(completion(''))],
  ['prose', 'json', send(completion('I am only a language model.'))],
  ['prose around JSON', 'json', send(completion(`Here you are:\n${good}\nGood luck!`))],
  ['a fence around JSON', 'json', send(completion(`\`\`\`json\n${good}\n\`\`\``))],
  ['thinking before JSON', 'json', send(completion(`<think>hm</think>${good}`))],
  ['two JSON values', 'json', send(completion(`${good}\n${good}`))],
  ['a key twice', 'json', send(completion(`{"candidates":[],${good.slice(1)}`))],
  ['broken JSON', 'json', send(completion(`${good.slice(0, -1)},}`))],
  ['eleven candidates', 'schema', send(completion(JSON.stringify(candidatesAnswer(11))))],
  ['a key too many', 'schema', send(completion(`{"note":"hi",${good.slice(1)}`))],
  ['another object', 'schema', send(completion('{"answer":42}'))],
  ['a string of JSON within JSON', 'schema', send(completion(JSON.stringify(good)))],
  [
    'a body declared too large',
    'budget',
    (response) => {
      response.writeHead(200, { 'content-length': '99999999' });
      response.write('{');
    },
  ],
  [
    'a body without end',
    'budget',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const piece = ' '.repeat(65_536);
      const pump = () => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', pump);
      };
      pump();
    },
  ],
  [
    'a small body that unpacks to a large one',
    'budget',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(30_000_000, 32)));
    },
  ],
  [
    'a large answer',
    'budget',
    send(completion(JSON.stringify({ candidates: [{ search: 'a', replace: 'b'.repeat(270_000) }] }))),
  ],
];

describe('openAiCompatible, answered badly', () => {
  it.each(misbehaving)('%s: %s, one request, nothing left open', async (_what, kind, behave) => {
    const { result, received } = await run(behave);
    expect(result).toMatchObject({ status: 'no_op', kind, outcome: { kind } });
    expect(result).not.toHaveProperty('outcome.value');
    expect(received).toHaveLength(1);
  });

  it.each([
    ['says nothing', () => undefined],
    ['sends headers and nothing more', (response) => response.writeHead(200).flushHeaders()],
    [
      'drips',
      (response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ] satisfies (readonly [string, Behaviour])[])('a server that %s: timeout', async (_what, behave) => {
    const start = performance.now();
    const { result, received } = await run(behave, { timeoutMs: 150 });
    expect(result).toMatchObject({ status: 'no_op', kind: 'timeout' });
    expect(performance.now() - start).toBeLessThan(3_000);
    expect(received).toHaveLength(1);
  });

  it('nobody listens: transport', async () => {
    server = await loopbackServer(() => undefined);
    const { url } = server;
    await server.close();
    const result = await callOnce(searchReplaceEntry, values, {
      call: openAiCompatible({ url, model: 'tiny', apiKey: key }),
    });
    expect(result).toMatchObject({ status: 'no_op', kind: 'transport' });
  });

  it('ends with the caller, and hangs up', async () => {
    const stop = new AbortController();
    let hungUp = false;
    const { result } = await run(
      (response) => {
        response.on('close', () => {
          hungUp = true;
        });
        setTimeout(() => stop.abort(), 30);
      },
      {},
      stop.signal,
    );
    expect(result).toEqual({ status: 'cancelled' });
    await expect.poll(() => hungUp).toBe(true);
  });

  it('keeps no connection after an answer', async () => {
    await run(send(completion(good)));
    await expect.poll(() => server?.connections()).toBe(0);
  });

  it('rejects with the reason where it is called without callOnce', async () => {
    server = await loopbackServer(() => undefined);
    const model = openAiCompatible({ url: server.url, model: 'tiny' });
    const request: ModelRequest = {
      entry: 'own/1',
      messages: [{ role: 'user', content: 'hi' }],
      schema: {},
      requested: { temperature: 0, max_tokens: 1, seed: 0 },
      payload_bytes: 2,
    };
    await expect(model(request, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    expect(server.received).toEqual([]);
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('enough')), 20);
    await expect(model(request, { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('put the key into no result', () => {
    expect(consoles.length).toBeGreaterThan(misbehaving.length);
    expect(consoles.join('\n')).not.toContain('canary');
  });
});

describe('openAiCompatible, set up', () => {
  const url = 'http://127.0.0.1:9/v1';
  it.each([
    ['no URL', { url: `not a url ${key}` }],
    ['another protocol', { url: `ftp://${key}@host/` }],
    ['a password in the address', { url: `https://user:${key}@host/v1` }],
    ['a key with a line break', { apiKey: `${key}\n` }],
    ['an empty key', { apiKey: '' }],
    ['a header that cannot be', { headers: { 'x-key': `${key}\r\nhost: other` } }],
    ['no model', { model: '' }],
    ['no time', { timeoutMs: 0 }],
    ['time without end', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['no room', { maxResponseBytes: 0 }],
    ['reasoning of half a token', { reasoning: { tokens: 0.5 } }],
  ])('refuses %s without quoting it', (_what, options) => {
    let thrown: unknown;
    try {
      openAiCompatible({ url, model: 'tiny', ...options });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'LlmStubError', code: 'invalid_provider' });
    expect(`${(thrown as Error).stack} ${JSON.stringify(thrown)}`).not.toContain(key);
  });
});
