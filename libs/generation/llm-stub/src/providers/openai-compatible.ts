import { hashRecord, type ModelCall, type ModelOutcome, type ModelRequest } from '@h/contracts';
import { invalidProvider, unsupportedParameter } from '../errors.ts';
import { type Pricing, withCost } from './price-usage.ts';
import { readBoundedText } from './read-bounded-text.ts';
import { type Completion, readCompletion } from './read-completion.ts';
import { readEventStream } from './read-event-stream.ts';
import { kindOfStatus, refusedParameter } from './read-refusal.ts';

/** What some models refuse to be told. */
export type Parameter = 'temperature' | 'seed' | 'response_format';

export interface ProviderOptions {
  /** Base address, "https://host/v1", or the full address of `…/chat/completions`; a query is kept. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token and nowhere else: in no record, no error and no event. */
  readonly apiKey?: string;
  /** From the first byte sent to the last one read; 120 000 when absent. */
  readonly timeoutMs?: number;
  /** Bytes of the response after decompression; beyond them reading stops with kind `budget`. 1 MiB when absent. */
  readonly maxResponseBytes?: number;
  /** What an old or small server calls the bound of the answer; `max_completion_tokens` when absent. */
  readonly tokensField?: 'max_completion_tokens' | 'max_tokens';
  /** How the schema is asked for: `json_schema` (default), or `json_object` where the server has no more. */
  readonly format?: 'json_schema' | 'json_object';
  /** Parameters that this server or model refuses. */
  readonly refuses?: readonly Parameter[];
  /** What becomes of a request that has one of them: `omit` (default) leaves it out, `fail` sends nothing and throws. */
  readonly unsupported?: 'omit' | 'fail';
  /** For a model that reasons: tokens it may spend on that besides those of the answer, and how hard it should try. */
  readonly reasoning?: { readonly tokens: number; readonly effort?: string };
  /** To know the cost where the server does not say it. */
  readonly price?: Pricing;
  /** Sent besides; not recorded. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A server that speaks OpenAI's chat completions, as a model call: exactly one POST, no retry, no redirect, no tools. A stream is not
 * asked for; a server that sends one all the same is read. The outcome's value is the text of the answer, unparsed.
 *
 * Throws `invalid_provider`; the call throws `unsupported_parameter` where that was asked for.
 */
export function openAiCompatible(options: ProviderOptions): ModelCall {
  const address = addressOf(options.url);
  const headers = headersOf(options);
  const { timeoutMs = 120_000, maxResponseBytes = 1_048_576, reasoning, apiKey } = options;
  if (options.model === '') throw invalidProvider('the model has no name');
  if (!(timeoutMs > 0 && timeoutMs <= 0x7fff_ffff)) throw invalidProvider('timeoutMs is no time above 0');
  if (!(maxResponseBytes > 0)) throw invalidProvider('maxResponseBytes is not above 0');
  if (reasoning !== undefined && !(Number.isSafeInteger(reasoning.tokens) && reasoning.tokens >= 0)) {
    throw invalidProvider('reasoning.tokens is no whole number from 0');
  }
  return async (request, { signal } = {}) => {
    const body = bodyOf(request, options);
    const { response_format, messages: _messages, ...parameters } = body;
    const init = { headers, body: JSON.stringify(body) };
    const ended = await post(address, init, { timeoutMs, maxResponseBytes, signal });
    return {
      ...withoutKey(withCost(ended, options.price), apiKey),
      sent: {
        ...parameters,
        ...(response_format === undefined ? {} : { response_format: options.format ?? 'json_schema' }),
        ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning.tokens }),
        url: `${address.origin}${address.pathname}`,
      },
      request_digest: hashRecord(request),
    };
  };
}

type Body = { [parameter: string]: NonNullable<ModelOutcome['value']> };

function bodyOf({ entry, messages, schema, requested }: ModelRequest, options: ProviderOptions): Body {
  const { tokensField = 'max_completion_tokens', refuses = [], unsupported = 'omit', format, reasoning } = options;
  if (unsupported === 'fail' && refuses[0] !== undefined) throw unsupportedParameter(options.model, refuses[0]);
  const { temperature, max_tokens, seed } = requested;
  const name = entry.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
  const response_format =
    format === 'json_object'
      ? { type: 'json_object' }
      : { type: 'json_schema', json_schema: { name, strict: true, schema } };
  return {
    model: options.model,
    messages,
    ...(refuses.includes('temperature') ? {} : { temperature }),
    ...(refuses.includes('seed') ? {} : { seed }),
    [tokensField]: max_tokens + (reasoning?.tokens ?? 0),
    ...(reasoning?.effort === undefined ? {} : { reasoning_effort: reasoning.effort }),
    ...(refuses.includes('response_format') ? {} : { response_format }),
  };
}

/** A reply that repeats the key is not kept: it would carry the key into records. */
function withoutKey(ended: Completion, apiKey: string | undefined): Completion {
  if (apiKey === undefined || ended.value === undefined) return ended;
  const text = JSON.stringify(ended.value);
  const { value: _repeated, ...rest } = ended;
  if (!text.includes(apiKey) && !unescaped(text).includes(apiKey)) return ended;
  return { ...rest, kind: 'transport', detail: 'the reply repeats the key' };
}

/** An answer may hold the key in escapes of JSON within JSON. */
function unescaped(text: string): string {
  return text.replace(/\\+u([0-9a-f]{4})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

interface Limits {
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal | undefined;
}

async function post(
  address: URL,
  init: { headers: Headers; body: string },
  { timeoutMs, maxResponseBytes, signal }: Limits,
): Promise<Completion> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const deadline = AbortSignal.timeout(timeoutMs);
  const onAbort = () => stop.abort(signal?.reason);
  const onDeadline = () => stop.abort(deadline.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  deadline.addEventListener('abort', onDeadline, { once: true });
  try {
    const response = await fetch(address, { ...init, method: 'POST', redirect: 'error', signal: stop.signal });
    return await readResponse(response, maxResponseBytes);
  } catch {
    // What fetch rejects with may quote the address or a header; the kind says enough.
    signal?.throwIfAborted();
    return deadline.aborted ? { kind: 'timeout', detail: `no reply in ${timeoutMs} ms` } : { kind: 'transport' };
  } finally {
    signal?.removeEventListener('abort', onAbort);
    deadline.removeEventListener('abort', onDeadline);
    stop.abort();
  }
}

/** A status says enough; what its body adds is not waited for longer than this, nor read further. */
const REFUSAL_MS = 1_000;
const REFUSAL_BYTES = 65_536;

async function readResponse(response: Response, maxBytes: number): Promise<Completion> {
  const kind = kindOfStatus(response.status);
  if (kind !== undefined) {
    const parameter = refusedParameter(await readRefusal(response));
    return { kind, detail: `HTTP ${response.status}${parameter === undefined ? '' : `, ${parameter} refused`}` };
  }
  const text = await readBoundedText(response, maxBytes);
  if (text.status === 'refused') return { kind: text.kind };
  const isStream = /^\s*text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
  return isStream ? readEventStream(text.text) : readCompletion(text.text);
}

async function readRefusal(response: Response): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), REFUSAL_MS);
  });
  const text = await Promise.race([readBoundedText(response, REFUSAL_BYTES).catch(() => undefined), late]);
  clearTimeout(timer);
  return text?.status === 'read' ? text.text : '';
}

function addressOf(given: string): URL {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw invalidProvider('the address is no URL');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw invalidProvider('the address is not http(s)');
  if (url.username !== '' || url.password !== '') throw invalidProvider('the address holds a user name or password');
  url.hash = '';
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`;
  return url;
}

function headersOf({ apiKey, headers = {} }: ProviderOptions): Headers {
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalidProvider('the key holds characters a header cannot hold, or none');
  }
  try {
    return new Headers({
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      connection: 'close',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    });
  } catch {
    throw invalidProvider('a header holds what a header cannot hold');
  }
}
