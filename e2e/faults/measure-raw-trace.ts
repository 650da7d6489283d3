// The raw trace that a pack is compared with (seed 12 §7, "full raw trace injected directly"): each executed statement of the repository's code that was
// traced, test code too, with every variable of its call that has a value by then, as a tracer that prints locals at each step writes it down.
import type { ObservedRun, ValueText } from '@h/contracts';

/** Bytes of that trace as JSON, of all runs together. Variables that the program never names in the traced code are not in it: it is rather too small. */
export function measureRawTrace(runs: readonly ObservedRun[]): number {
  return runs.reduce((sum, run) => sum + measureRun(run), 0);
}

interface Locals {
  readonly bytes: Map<string, number>;
  total: number;
}

function measureRun({ rows, events, execution_id }: ObservedRun): number {
  const frames = new Map<number, Locals>();
  let sum = 0;
  for (const [index, { frame, location, sequence }] of rows.entries()) {
    const locals = frames.get(frame) ?? { bytes: new Map<string, number>(), total: 0 };
    frames.set(frame, locals);
    const { variables = {}, state_delta, ...rest } = events[index]?.payload ?? {};
    for (const [name, value] of Object.entries({ ...variables, ...state_delta?.to })) note(locals, name, value);
    sum += bytesOf({ execution_id, sequence, location, variables: {}, ...rest }) + locals.total + 1;
  }
  return sum;
}

function note(locals: Locals, name: string, value: ValueText): void {
  const size = bytesOf({ [name]: value }) - 1;
  locals.total += size - (locals.bytes.get(name) ?? 0);
  locals.bytes.set(name, size);
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
