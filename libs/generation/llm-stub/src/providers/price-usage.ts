import type { Completion } from './read-completion.ts';

/** US dollars per million tokens. */
export interface Pricing {
  readonly prompt: number;
  readonly completion: number;
}

/** The same with what the call cost; what the server says it cost wins. */
export function withCost(ended: Completion, price: Pricing | undefined): Completion {
  const { usage } = ended;
  if (usage === undefined || usage.cost !== undefined || price === undefined) return ended;
  const cost = (usage.prompt_tokens * price.prompt + usage.completion_tokens * price.completion) / 1e6;
  return { ...ended, usage: { ...usage, cost } };
}
