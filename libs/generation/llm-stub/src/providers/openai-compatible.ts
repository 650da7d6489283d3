import { hashRecord, type ModelCall, type ModelOutcome, type ModelRequest } from '@h/contracts';
import { invalidProvider } from '../errors.ts';
import { readBoundedText } from './read-bounded-text.ts';
import { type Completion, readCompletion } from './read-completion.ts';

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
  /** Parameters that this server or model refuses. What was sent is in the outcome. */
  readonly omit?: readonly ('temperature' | 'seed' | 'response_format')[];
  /** Sent besides; not recorded. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A server that speaks OpenAI's chat completions, as a model call: exactly one POST, no retry, no redirect, no stream, no tools.
 * The outcome's value is the text of the answer, unparsed. Throws `invalid_provider`.
 */
export function openAiCompatible(options: ProviderOptions): ModelCall {
  const address = addressOf(options.url);
  const headers = headersOf(options);
  const { timeoutMs = 120_000, maxResponseBytes = 1_048_576 } = options;
  if (options.model === '') throw invalidProvider('the model has no name');
  if (!(timeoutMs > 0 && timeoutMs <= 0x7fff_ffff)) throw invalidProvider('timeoutMs is no time above 0');
  if (!(maxResponseBytes > 0)) throw invalidProvider('maxResponseBytes is not above 0');
  return async (request, { signal } = {}) => {
    const body = bodyOf(request, options);
    const { response_format, messages: _messages, ...parameters } = body;
    const ended = await post(address, { headers, body: JSON.stringify(body) }, { timeoutMs, maxResponseBytes, signal });
    return {
      ...ended,
      sent: {
        ...parameters,
        ...(response_format === undefined ? {} : { response_format: 'json_schema' }),
        url: `${address.origin}${address.pathname}`,
      },
      request_digest: hashRecord(request),
    };
  };
}

type Body = { [parameter: string]: NonNullable<ModelOutcome['value']> };

function bodyOf({ entry, messages, schema, requested }: ModelRequest, options: ProviderOptions): Body {
  const { tokensField = 'max_completion_tokens', omit = [] } = options;
  const { temperature, max_tokens, seed } = requested;
  const name = entry.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
  return {
    model: options.model,
    messages,
    ...(omit.includes('temperature') ? {} : { temperature }),
    ...(omit.includes('seed') ? {} : { seed }),
    [tokensField]: max_tokens,
    ...(omit.includes('response_format')
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } }),
  };
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
    const refused = kindOfStatus(response.status);
    if (refused !== undefined) return { kind: refused };
    const text = await readBoundedText(response, maxResponseBytes);
    return text.status === 'read' ? readCompletion(text.text) : { kind: text.kind };
  } catch {
    // What fetch rejects with may quote the address or a header; the kind says enough.
    signal?.throwIfAborted();
    return { kind: deadline.aborted ? 'timeout' : 'transport' };
  } finally {
    signal?.removeEventListener('abort', onAbort);
    deadline.removeEventListener('abort', onDeadline);
    stop.abort();
  }
}

function kindOfStatus(status: number): Exclude<ModelOutcome['kind'], 'ok'> | undefined {
  if (status === 200) return undefined;
  if (status === 401 || status === 403) return 'auth';
  if (status === 402 || status === 413) return 'budget';
  if (status === 408 || status === 504) return 'timeout';
  return status === 429 ? 'rate' : 'transport';
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
