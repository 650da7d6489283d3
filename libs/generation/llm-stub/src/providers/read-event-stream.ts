import { asObject, type Completion, completionOf, isFilled, tryParse } from './read-completion.ts';

/**
 * A completion that came as server-sent events: the pieces of its one choice put together. Only a stream that names its end counts
 * (`finish_reason`, then `[DONE]`), so that a broken one is no answer.
 */
export function readEventStream(text: string): Completion {
  const message: { content?: string; refusal?: string; tool_calls?: true } = {};
  let finish: unknown;
  let usage: unknown;
  let isDone = false;
  for (const data of dataOf(text)) {
    if (isDone) return { kind: 'transport', detail: 'events after the end of the stream' };
    if (data === '[DONE]') {
      isDone = true;
      continue;
    }
    const event = asObject(tryParse(data));
    const choices = event?.choices;
    if (event === undefined || isFilled(event.error) || !Array.isArray(choices) || choices.length > 1) {
      return { kind: 'transport', detail: 'an event that is no piece of a completion' };
    }
    usage = event.usage ?? usage;
    const choice = asObject(choices[0]);
    const delta = asObject(choice?.delta);
    if (typeof delta?.content === 'string') message.content = (message.content ?? '') + delta.content;
    if (typeof delta?.refusal === 'string') message.refusal = (message.refusal ?? '') + delta.refusal;
    if (isFilled(delta?.tool_calls) || isFilled(delta?.function_call)) message.tool_calls = true;
    finish = choice?.finish_reason ?? finish;
  }
  if (!isDone) return { kind: 'transport', detail: 'a stream without end' };
  return completionOf(finish, message, usage);
}

/** The data of each event: lines that start with `data:` up to an empty one. */
function dataOf(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/(?:\r\n|\r|\n){2,}/)
    .map((event) =>
      event
        .split(/\r\n|\r|\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n'),
    )
    .filter((data) => data !== '');
}
