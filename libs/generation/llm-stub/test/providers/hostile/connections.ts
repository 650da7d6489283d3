// Replies that are broken as HTTP, as a stream, or in time.
import type { Socket } from 'node:net';
import {
  ANSWER,
  answers,
  drips,
  events,
  finish,
  GOOD,
  type HostileCase,
  piece,
  response,
  STREAM,
  sends,
} from './case.ts';

const one = (
  name: string,
  kind: HostileCase['kind'],
  behave: HostileCase['behave'],
  options?: HostileCase['options'],
): HostileCase => ({ name, kind, behave, ...(options === undefined ? {} : { options }) });
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
/** Too short for an answer that never comes, long enough for the question to arrive. */
const soon = { timeoutMs: 400 };
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunked = (body: string) => sends(`${HEAD}transfer-encoding: chunked\r\n\r\n${body}`);
const stream = (text: string) => answers(text, '200 OK', STREAM);
const halves = [ANSWER.slice(0, 20), ANSWER.slice(20)];

const HTTP: readonly HostileCase[] = [
  one('a hang-up before a byte', 'transport', (socket) => void socket.destroy()),
  one('a reset', 'transport', (socket) => void socket.resetAndDestroy()),
  one('an end before a byte', 'transport', (socket) => void socket.end()),
  one('half a head', 'transport', sends('HTTP/1.1 200 OK\r\ncontent-ty')),
  one('a head and nothing', 'transport', sends(`${HEAD}content-length: 50\r\n\r\n`)),
  one('half a body', 'transport', sends(`${HEAD}content-length: 9999\r\n\r\n${GOOD}`)),
  one('half a body and a reset', 'transport', (socket) => {
    socket.write(`${HEAD}content-length: 9999\r\n\r\n${GOOD}`);
    setTimeout(() => socket.resetAndDestroy(), 20);
  }),
  one('no HTTP at all', 'transport', sends('SSH-2.0-OpenSSH_9.2\r\n')),
  one('JSON without a head', 'transport', sends(GOOD)),
  one('a TLS alert', 'transport', sends(Buffer.from([0x15, 3, 1, 0, 2, 2, 0x28]))),
  one('HTTP/2', 'transport', sends(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]))),
  one('HTTP/1.0', 'ok', sends(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${GOOD}`)),
  one('a body up to the end of the connection', 'ok', sends(`${HEAD}connection: close\r\n\r\n${GOOD}`)),
  one('a body up to the end, cut', 'transport', sends(`${HEAD}connection: close\r\n\r\n${GOOD.slice(0, 99)}`)),
  one('a length below zero', 'transport', sends(`${HEAD}content-length: -1\r\n\r\n${GOOD}`)),
  one('a length that is no number', 'transport', sends(`${HEAD}content-length: many\r\n\r\n${GOOD}`)),
  one(
    'two lengths that differ',
    'transport',
    sends(`${HEAD}content-length: 5\r\ncontent-length: ${Buffer.byteLength(GOOD)}\r\n\r\n${GOOD}`),
  ),
  one(
    'a length and chunks',
    'transport',
    sends(`${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n${chunk(GOOD)}0\r\n\r\n`),
  ),
  one(
    'a length that is too short',
    'transport',
    sends(`${HEAD}content-length: 100\r\nconnection: close\r\n\r\n${GOOD}`),
  ),
  one('a length beyond the bound', 'budget', (socket) => void socket.write(`${HEAD}content-length: 99999999\r\n\r\n{`)),
  one('a header of 200 kB', 'transport', sends(`${HEAD}x: ${'a'.repeat(200_000)}\r\n\r\n`)),
  one('a header with a bare line feed', 'transport', sends(`HTTP/1.1 200 OK\r\nx: a\n y\0: b\r\n\r\n${GOOD}`)),
  one(
    'a second response after the first',
    'ok',
    (socket) => void socket.end(Buffer.concat([response(GOOD), response('{}')])),
  ),
  one('chunks', 'ok', chunked(`${chunk(GOOD.slice(0, 50))}${chunk(GOOD.slice(50))}0\r\n\r\n`)),
  one('chunks without end', 'transport', chunked(chunk(GOOD))),
  one('a chunk that is cut', 'transport', chunked(`fff\r\n${GOOD}`)),
  one('a chunk size that is none', 'transport', chunked(`zz\r\n${GOOD}\r\n0\r\n\r\n`)),
  one('a chunk size beyond all', 'transport', chunked(`ffffffffffffffffff\r\n${GOOD}`)),
  one('chunks with trailers', 'ok', chunked(`${chunk(GOOD)}0\r\nx: y\r\n\r\n`)),
  one('a body byte by byte', 'ok', drips(Buffer.from(GOOD), 1, ['content-type: application/json'])),
  one(
    'an upgrade',
    'transport',
    sends('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
  ),
];

const STREAMS: readonly HostileCase[] = [
  one('a stream nobody asked for', 'ok', stream(events(halves))),
  one('a stream split inside every character', 'ok', drips(Buffer.from(events(halves)), 1, STREAM)),
  one('a stream of single characters', 'ok', stream(events([...ANSWER]))),
  one('a stream with CR LF', 'ok', stream(events(halves).replaceAll('\n', '\r\n'))),
  one('a stream with CR', 'ok', stream(events(halves).replaceAll('\n', '\r'))),
  one('a stream with comments', 'ok', stream(`: hello\n\n${events(halves)}: bye\n\n`)),
  one('a stream with names and ids', 'ok', stream(events(halves).replaceAll('data:', 'event: x\nid: 1\ndata:'))),
  one('a stream without blanks after the colon', 'ok', stream(events(halves).replaceAll('data: ', 'data:'))),
  one(
    'a stream with usage at its end',
    'ok',
    stream(
      events(halves, [finish('stop'), '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}', '[DONE]']),
    ),
  ),
  one('a stream without [DONE]', 'transport', stream(events(halves, [finish('stop')]))),
  one('a stream without finish_reason', 'transport', stream(events(halves, ['[DONE]']))),
  one('a stream without either', 'transport', stream(events(halves, []))),
  one('a stream that is cut inside an event', 'transport', stream(events(halves).slice(0, 150))),
  one(
    'a stream that is cut inside a character',
    'transport',
    drips(Buffer.from(events(['👍'])).subarray(0, 55), 9, STREAM),
  ),
  one('a stream that goes on after its end', 'transport', stream(events(halves) + events(halves))),
  one(
    'a stream with an error in it',
    'transport',
    stream(events(halves, ['{"error":{"message":"overloaded"}}', '[DONE]'])),
  ),
  one(
    'a stream with an event that is no JSON',
    'transport',
    stream(events(halves, ['oops', finish('stop'), '[DONE]'])),
  ),
  one('a stream of length', 'truncated', stream(events([halves[0] ?? ''], [finish('length'), '[DONE]']))),
  one('a stream that refuses', 'refusal', stream(events([], [piece({ refusal: 'no' }), finish('stop'), '[DONE]']))),
  one('a stream that is filtered', 'refusal', stream(events(halves, [finish('content_filter'), '[DONE]']))),
  one(
    'a stream that calls a tool',
    'tool_call',
    stream(events([], [piece({ tool_calls: [{ index: 0 }] }), finish('stop'), '[DONE]'])),
  ),
  one('a stream of prose', 'json', stream(events(['I am ', 'only a model.']))),
  one(
    'a stream with two choices',
    'transport',
    stream(events(halves, ['{"choices":[{},{}]}', finish('stop'), '[DONE]'])),
  ),
  one('a stream of nothing', 'transport', stream('')),
  one('a stream of a whole completion', 'transport', stream(`data: ${GOOD}\n\n`)),
  one('a stream that claims to be JSON', 'transport', answers(events(halves))),
  one('JSON that claims to be a stream', 'transport', answers(GOOD, '200 OK', STREAM)),
  one(
    'a stream of eleven candidates',
    'schema',
    stream(events([JSON.stringify({ candidates: Array.from({ length: 11 }, () => ({ search: 'a', replace: 'b' })) })])),
  ),
  one('a stream beyond the bound', 'budget', stream(events(Array.from({ length: 20_000 }, () => ' '.repeat(50))))),
  one('a stream that never ends', 'budget', (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${STREAM[0]}\r\n\r\n`);
    const bytes = events(
      Array.from({ length: 200 }, () => 'a'),
      [],
    );
    const pump = () => {
      while (!socket.destroyed && socket.write(bytes));
      if (!socket.destroyed) socket.once('drain', pump);
    };
    pump();
  }),
];

const TIMES: readonly HostileCase[] = [
  one('silence', 'timeout', () => undefined, soon),
  one('a head and silence', 'timeout', (socket) => void socket.write(`${HEAD}content-length: 50\r\n\r\n`), soon),
  one('half a head and silence', 'timeout', (socket) => void socket.write('HTTP/1.1 200 OK\r\nconte'), soon),
  one(
    'half a body and silence',
    'timeout',
    (socket) => void socket.write(`${HEAD}content-length: 999\r\n\r\n${GOOD.slice(0, 50)}`),
    soon,
  ),
  one('a slow drip', 'timeout', drips(Buffer.alloc(10_000, 32), 1, ['content-type: application/json'], 10), soon),
  one('a slow drip of events', 'timeout', drips(Buffer.from(events([...ANSWER])), 1, STREAM, 10), soon),
  one(
    'a stream that stops',
    'timeout',
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${STREAM[0]}\r\n\r\n${events(halves, [])}`),
    soon,
  ),
  one('continue, which nobody asked for', 'transport', (socket) => void socket.write('HTTP/1.1 100 Continue\r\n\r\n')),
  one('a slow head', 'timeout', slowHead, soon),
];

export const CONNECTIONS: readonly HostileCase[] = [...HTTP, ...STREAMS, ...TIMES];

function slowHead(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nx: ');
  const timer = setInterval(() => socket.write('a'), 20);
  socket.on('close', () => clearInterval(timer));
}
