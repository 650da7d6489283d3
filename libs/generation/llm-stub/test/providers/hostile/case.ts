import type { Socket } from 'node:net';
import type { ModelOutcome } from '@h/contracts';
import type { ProviderOptions } from '@h/llm-stub';

/** What a hostile server does with the one request it gets, and what that must be taken for. */
export interface HostileCase {
  readonly name: string;
  readonly kind: ModelOutcome['kind'];
  /** Writes raw bytes; the socket stays open where it does not end it. `key` is what the request was authorized with. */
  readonly behave: (socket: Socket, key: string) => void;
  readonly options?: Partial<ProviderOptions>;
}

/** What the request was authorized with, in behaviours that repeat it. */
export const KEY = 'sk-canary-9876543210';
export const ANSWER = JSON.stringify({ candidates: [{ search: 'größe 👍', replace: 'x' }] });

type Fields = { readonly [key: string]: unknown };

/** The body of a completion, well-formed but for what is given. */
export function completion(content: unknown, choice: Fields = {}, message: Fields = {}, body: Fields = {}): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, ...message }, ...choice }],
    usage: { prompt_tokens: 12, completion_tokens: 3 },
    ...body,
  });
}

export const GOOD = completion(ANSWER);

/** A whole HTTP/1.1 response with the length of its body. */
export function response(
  body: string | Buffer,
  status = '200 OK',
  headers: readonly string[] = ['content-type: application/json'],
): Buffer {
  const bytes = Buffer.from(body);
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${bytes.length}`, 'connection: close', '', ''].join(
    '\r\n',
  );
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

export const sends = (bytes: string | Buffer) => (socket: Socket) => void socket.end(bytes);

export const answers =
  (body: string | Buffer, status?: string, headers?: readonly string[]): HostileCase['behave'] =>
  (socket) =>
    void socket.end(response(body, status, headers));

/** Server-sent events of a completion, one piece of the answer each; `last` is what ends the stream. */
export function events(pieces: readonly string[], last: readonly string[] = [finish('stop'), '[DONE]']): string {
  return [...pieces.map((content) => piece({ content })), ...last].map((data) => `data: ${data}\n\n`).join('');
}

export const piece = (delta: Fields) => JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] });
export const finish = (reason: string | null) =>
  JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
export const STREAM = ['content-type: text/event-stream; charset=utf-8'];

/** A body without a length, in pieces of the given size, ended by the end of the connection. */
export function drips(body: Buffer, size: number, headers: readonly string[], everyMs = 0): HostileCase['behave'] {
  return (socket) => {
    socket.write(['HTTP/1.1 200 OK', ...headers, 'connection: close', '', ''].join('\r\n'));
    let at = 0;
    const next = () => {
      if (socket.destroyed) return;
      if (at >= body.length) return void socket.end();
      socket.write(body.subarray(at, at + size));
      at += size;
      if (everyMs === 0) setImmediate(next);
      else setTimeout(next, everyMs);
    };
    next();
  };
}
