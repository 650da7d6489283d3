import type { IsolationPolicy, IsolationProperty } from '@h/contracts';

/** What can be counted about a run from outside, by name. */
export type Measure = 'processes' | 'zombies' | 'retained' | 'collected' | 'settled_ms' | 'cpu_ms';

/**
 * How success shows. All but `said` are looked at from outside: a bait file made or changed, a canary in what came out, bytes at a
 * listener, text on the caller's terminal or in the kernel's log, a changed bystander, a signal at the caller, a host name, a process
 * that lives on, a count above a limit. `said` is for what leaves no trace outside, such as a system call that was let through.
 */
export type Effect =
  | 'written'
  | 'damaged'
  | 'leaked'
  | 'contacted'
  | 'typed'
  | 'logged'
  | 'bystander'
  | 'caller'
  | 'renamed'
  | 'alive'
  | 'said'
  | { readonly over: Measure; readonly limit: number };

/** One attempt to get out of a sandbox or past a limit. Harmless where it succeeds: it touches bait only, and limits are small. */
export interface Attack {
  readonly name: string;
  readonly effect: Effect;
  readonly language: 'python' | 'sh' | 'node';
  /** Has `B`, the bait, and what `payloads.ts` puts before it. */
  readonly code: string;
  /** Limits of the run inside; outside there are none. */
  readonly policy?: Partial<IsolationPolicy>;
  /** The limit it tries to pass. Where the receipt says that it is `unmet` here, nothing is said of the attack: it is untested. */
  readonly property?: IsolationProperty;
  /** What the sandbox is asked to collect; outside a collector that follows links reads the same. */
  readonly collect?: readonly string[];
  /** Outside it runs in a mount namespace of its own, so that what it mounts is gone with it. */
  readonly mounts?: true;
  /** Run twice with the same bait: the second time it looks for what the first left. */
  readonly twice?: true;
  /** Outside, a cleaner that follows links goes over the run's folder. */
  readonly cleaned?: true;
  /** Run while nothing else does. */
  readonly alone?: true;
  /** Part of the short run in the tests. */
  readonly slice?: true;
}

type More = Partial<Omit<Attack, 'name' | 'effect' | 'language' | 'code'>>;

export const python = (name: string, effect: Effect, code: string, more: More = {}): Attack => ({
  name,
  effect,
  language: 'python',
  code,
  ...more,
});
export const sh = (name: string, effect: Effect, code: string, more: More = {}): Attack => ({
  name,
  effect,
  language: 'sh',
  code,
  ...more,
});
export const node = (name: string, effect: Effect, code: string, more: More = {}): Attack => ({
  name,
  effect,
  language: 'node',
  code,
  ...more,
});
