// Issue 6, clause 16: a hostile loopback server of at least 150 cases; 0 misclassified, never a second request, secrets absent from
// files, errors and logs.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CallResult,
  callOnce,
  directoryRecordings,
  openAiCompatible,
  recordModel,
  searchReplaceEntry,
} from '@h/llm-stub';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { intentPackage } from '../examples.ts';
import { BODIES } from './hostile/bodies.ts';
import { KEY } from './hostile/case.ts';
import { CONNECTIONS } from './hostile/connections.ts';
import { STATUSES } from './hostile/statuses.ts';

const CASES = [...STATUSES, ...BODIES, ...CONNECTIONS];
const values = { intent_package: intentPackage, edit_format: { format: 'search_replace' }, n_candidates: 4 };
const requests = CASES.map(() => 0);
const sockets = new Set<Socket>();
const folder = mkdtempSync(join(tmpdir(), 'h-hostile-'));
const logged: string[] = [];
const results: (CallResult | Error)[] = [];

const server = createServer((socket) => {
  sockets.add(socket);
  let received = '';
  let isAnswered = false;
  socket.on('error', () => undefined);
  socket.on('close', () => sockets.delete(socket));
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    const [, length] = /content-length: (\d+)/i.exec(received) ?? [];
    const head = received.indexOf('\r\n\r\n');
    const [, number = ''] = /^\w+ \/(\d+)\//.exec(received) ?? [];
    if (isAnswered || head < 0 || received.length < head + 4 + Number(length ?? 0)) return;
    isAnswered = true;
    requests[Number(number)] = (requests[Number(number)] ?? 0) + 1;
    CASES[Number(number)]?.behave(socket, KEY);
  });
});

beforeAll(async () => {
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...all) => void logged.push(all.join(' ')));
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const queue = CASES.map((_, number) => number);
  const work = async () => {
    for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
      const url = `http://127.0.0.1:${port}/${number}/v1`;
      const provider = openAiCompatible({
        url,
        model: 'tiny',
        apiKey: KEY,
        timeoutMs: 20_000,
        ...CASES[number]?.options,
      });
      const call = recordModel(provider, directoryRecordings(join(folder, String(number))));
      results[number] = await callOnce(searchReplaceEntry, values, { call }).catch((error: Error) => error);
    }
  };
  await Promise.all(Array.from({ length: 24 }, work));
}, 60_000);

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((closed) => server.close(closed));
  rmSync(folder, { recursive: true, force: true });
  vi.restoreAllMocks();
});

test('there are at least 150 cases, each with a name of its own', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(150);
  expect(new Set(CASES.map(({ name }) => name)).size).toBeGreaterThan(CASES.length - 12); // some bodies come by two ways
});

test('none is misclassified', () => {
  const kindOf = (result: CallResult | Error | undefined) =>
    result instanceof Error || result === undefined
      ? `${result}`
      : result.status === 'answered'
        ? 'ok'
        : 'kind' in result
          ? result.kind
          : result.status;
  const wrong = CASES.flatMap(({ name, kind }, number) => {
    const found = kindOf(results[number]);
    const reason = (results[number] as { reason?: string } | undefined)?.reason;
    return found === kind ? [] : [{ name, kind, found, reason }];
  });
  expect(wrong).toEqual([]);
});

test('each was asked exactly once', () => {
  expect(
    CASES.flatMap(({ name }, number) => (requests[number] === 1 ? [] : [{ name, requests: requests[number] }])),
  ).toEqual([]);
});

test('the key is in no result, error, log or file', () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(20);
  const texts = [
    ...results.map((result) => (result instanceof Error ? `${result.stack}` : JSON.stringify(result))),
    ...files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')),
    ...logged,
  ];
  expect(texts.filter((text) => text.includes('canary') || text.includes(KEY.slice(3)))).toEqual([]);
});

test('a refused parameter is named', () => {
  const reasonOf = (name: string) =>
    (results[CASES.findIndex((one) => one.name === name)] as { reason?: string }).reason;
  expect(reasonOf('an unsupported value')).toBe('the model call ended with transport: HTTP 400, temperature refused');
  expect(reasonOf('a path that is not there')).toBe('the model call ended with transport: HTTP 404');
});
