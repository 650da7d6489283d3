import { hashRecord, type ModelCall, type ModelOutcome, type ModelRequest } from '@h/contracts';
import { scriptExhausted } from '../errors.ts';

/** The text of an answer, or how else the call ended. */
export type ScriptedAnswer = string | Readonly<Pick<ModelOutcome, 'kind' | 'value' | 'usage'>>;

export interface ScriptedModel {
  readonly call: ModelCall;
  /** Every request so far, in order. */
  readonly requests: readonly ModelRequest[];
}

/** Gives the answers in order, whatever is asked, and counts. Rejects with `script_exhausted` when asked once more. */
export function scriptedModel(answers: readonly ScriptedAnswer[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  const call: ModelCall = async (request) => {
    const answer = answers[requests.push(request) - 1];
    if (answer === undefined) throw scriptExhausted(request.entry, answers.length);
    const ended = typeof answer === 'string' ? { kind: 'ok' as const, value: answer } : answer;
    return { ...ended, sent: { ...request.requested }, request_digest: hashRecord(request) };
  };
  return { call, requests };
}
