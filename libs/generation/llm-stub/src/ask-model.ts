import { hashRecord, type ModelOutcome, type ModelRequest } from '@h/contracts';
import type { ModelClient } from './call-once.ts';

export type Reply =
  | { readonly status: 'replied'; readonly outcome: ModelOutcome }
  | { readonly status: 'cancelled' }
  | {
      readonly status: 'failed';
      readonly kind: 'transport' | 'timeout';
      readonly reason: string;
      readonly cause?: unknown;
    };

/** The one place that calls a model. Settles with the signal; a call that rejects is a failed transport, told by the error's name alone. */
export function ask(model: ModelClient, request: ModelRequest, signal?: AbortSignal): Promise<Reply> {
  if (signal === undefined) return reply(model, request);
  if (signal.aborted) return Promise.resolve(ended(signal));
  return new Promise((resolve, reject) => {
    const stop = () => resolve(ended(signal));
    signal.addEventListener('abort', stop, { once: true });
    reply(model, request, signal)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

async function reply(model: ModelClient, request: ModelRequest, signal?: AbortSignal): Promise<Reply> {
  try {
    const outcome = await model(request, signal === undefined ? {} : { signal });
    return { status: 'replied', outcome: typeof outcome === 'string' ? outcomeOf(outcome, request) : outcome };
  } catch (cause) {
    if (isOurs(cause)) throw cause;
    const name = cause instanceof Error ? cause.name : typeof cause;
    return { status: 'failed', kind: 'transport', reason: `the model call rejected (${name})`, cause };
  }
}

/** The text of an answer as an outcome. */
function outcomeOf(value: string, request: ModelRequest): ModelOutcome {
  return { kind: 'ok', value, sent: { ...request.requested }, request_digest: hashRecord(request) };
}

/** Misuse of this library is not a bad network. Told by name: two copies of a library have two classes. */
function isOurs(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'LlmStubError';
}

function ended({ reason }: AbortSignal): Reply {
  if ((reason as { name?: unknown } | undefined)?.name !== 'TimeoutError') return { status: 'cancelled' };
  return { status: 'failed', kind: 'timeout', reason: "the caller's deadline passed" };
}
