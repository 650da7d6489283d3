import { type CancelOptions, hashRecord, type ModelCall, type ModelRequest } from '@h/contracts';

/** A model client of your own as a model call: takes the request, gives the text of the answer. What it rejects with becomes a no-op. */
export function textModel(ask: (request: ModelRequest, options: CancelOptions) => Promise<string>): ModelCall {
  return async (request, options = {}) => ({
    kind: 'ok',
    value: await ask(request, options),
    sent: { ...request.requested },
    request_digest: hashRecord(request),
  });
}
