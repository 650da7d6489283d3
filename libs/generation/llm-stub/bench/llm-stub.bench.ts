// What one question costs beside the model that answers it. Each row is one JSON line.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashRecord } from '@h/contracts';
import { buildRequest, callOnce, openAiCompatible, scriptedModel, searchReplaceEntry } from '../src/index.ts';

const values = {
  intent_package: {
    target: { entity: 'discount', file: 'cart.py', span: [5, 44] },
    requirement: 'A discount of 20 % is 20 %. '.repeat(36),
    dependencies: Array.from({ length: 16 }, (_, n) => ({ name: `f${n}`, signature: `def f${n}(a, b)`.repeat(8) })),
    constraints: Array.from({ length: 16 }, (_, n) => `total() number ${n} stays as it is`),
    validation: ['tests/test_cart.py::test_discount'],
  },
  edit_format: { format: 'search_replace', target_text: '    total = total * 0.9\n'.repeat(40) },
  n_candidates: 4,
};
const answer = JSON.stringify({
  candidates: Array.from({ length: 10 }, (_, n) => ({ search: 'total * 0.9\n'.repeat(20), replace: `total * 0.${n}` })),
});
const completion = JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content: answer } }] });

/** Fastest of each, run in turns: on a busy machine a median measures the neighbours. */
async function measure(work: string, times: number, ours: () => unknown, peer: string, theirs: () => unknown) {
  let [our, their] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let n = 0; n < times; n += 1) {
    const start = performance.now();
    await ours();
    const between = performance.now();
    await theirs();
    our = Math.min(our, between - start);
    their = Math.min(their, performance.now() - between);
  }
  console.log(JSON.stringify({ work, ours_ms: round(our), peer, peer_ms: round(their), ratio: round(our / their) }));
}

const round = (value: number) => Math.round(value * 1000) / 1000;
const ask = () => callOnce(searchReplaceEntry, values, { call: scriptedModel([answer]).call });
const build = () => {
  const built = buildRequest(searchReplaceEntry, values);
  return built.status === 'built' ? hashRecord(built.request) : '';
};

const first = performance.now();
await ask();
const firstMs = round(performance.now() - first);
console.log(JSON.stringify({ work: 'first call of a process: ajv loaded, schema compiled', ours_ms: firstMs }));
await measure('build one request and its digest', 1000, build, 'JSON.stringify of the values', () =>
  JSON.stringify(values),
);
await measure('one call, model of 0 ms', 1000, ask, 'JSON.parse of the answer', () => JSON.parse(answer));

const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(completion));
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const model = openAiCompatible({ url, model: 'none' });
const body = JSON.stringify(values);
const bare = async () => (await fetch(url, { method: 'POST', body, headers: { connection: 'close' } })).text();
await measure(
  'one call over loopback',
  300,
  () => callOnce(searchReplaceEntry, values, { call: model }),
  'bare fetch',
  bare,
);
server.close();
