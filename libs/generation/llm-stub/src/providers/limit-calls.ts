import { hashRecord, type ModelCall } from '@h/contracts';
import { invalidProvider } from '../errors.ts';

/** The same model, asked at most `most` times in all; after that every call ends with kind `budget` and nothing is sent. */
export function limitCalls(model: ModelCall, most: number): ModelCall {
  if (!Number.isSafeInteger(most) || most < 0) throw invalidProvider('a limit of calls is a whole number from 0');
  let asked = 0;
  return async (request, options) => {
    if (asked >= most) return { kind: 'budget', sent: {}, request_digest: hashRecord(request) };
    asked += 1;
    return model(request, options);
  };
}
