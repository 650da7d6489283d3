import type { ModelOutcome } from '@h/contracts';

/** The kind of no-op that a status other than 200 is. */
export function kindOfStatus(status: number): Exclude<ModelOutcome['kind'], 'ok'> | undefined {
  if (status === 200) return undefined;
  if (status === 401 || status === 403) return 'auth';
  if (status === 402 || status === 413) return 'budget';
  if (status === 408 || status === 504) return 'timeout';
  return status === 429 ? 'rate' : 'transport';
}

const PARAMETERS = [
  'temperature',
  'seed',
  'response_format',
  'max_completion_tokens',
  'max_tokens',
  'reasoning_effort',
];

/** Which parameter the body of a refusal names, so that it can be left out the next time; nothing else of the body is passed on. */
export function refusedParameter(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: { param?: unknown; message?: unknown } };
    const named = PARAMETERS.find((parameter) => error?.param === parameter);
    const message = typeof error?.message === 'string' ? error.message : '';
    return named ?? PARAMETERS.find((parameter) => message.includes(parameter));
  } catch {
    return undefined;
  }
}
