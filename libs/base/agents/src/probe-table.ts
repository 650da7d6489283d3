// What the host tells the probes that run inside the target: a file beside the agents.
import type { RepoPath } from '@h/contracts';

/** Name of the probe table, beside the agent files (`AGENT_FOLDER`). Without it the agents place no value probe. */
export const PROBE_TABLE_FILE = 'probe-table.json';

/** Name of the events file that the probes write, beside the agent files (`AGENT_FOLDER`). */
export const PROBE_EVENTS_FILE = 'probe-events.ndjson';

/** Major version of the probe table and of the probe events. */
export const PROBE_PROTOCOL = 1;

/** The probes of one run. No variable that it does not name is ever recorded. */
export interface ProbeTable {
  readonly protocol: typeof PROBE_PROTOCOL;
  /** Bytes of the events file; when the next event would exceed them, recording stops and says so. */
  readonly max_bytes: number;
  /** Executed statements recorded as they come; when they are reached, recording stops or, with `keep`, thins, and says so. */
  readonly max_events: number;
  /**
   * Hits of each probe that are kept once the stream is as long as it may be, from then on: its first ones, and its last ones until the test or
   * the process ends. After two million hits of all probes more recording stops. Absent: it stops at once.
   */
  readonly keep?: { readonly first: number; readonly last: number };
  /** "shown": secrets are written as they are; absent: they are masked. */
  readonly secrets?: 'shown';
  readonly files: readonly { readonly file: RepoPath; readonly probes: readonly ProbeSpec[] }[];
}

/** One statement to observe. */
export interface ProbeSpec {
  /** Unique over the whole table, from 0. */
  readonly n: number;
  /** First line of the statement, 1-based; of a function (role entry) the first line of its definition, decorators included. */
  readonly line: number;
  /** entry: a function starts. branch: if, elif, while, for, match, switch. return: a return statement or an arrow's expression. */
  readonly role: 'entry' | 'statement' | 'branch' | 'return';
  /** Plain identifiers whose values are recorded before the statement, sorted. */
  readonly before: readonly string[];
  /** Plain identifiers whose values are recorded after it completed, sorted; of an entry the parameters. */
  readonly after: readonly string[];
  /**
   * hook: no probe is put into the source, the interpreter itself tells of the statement (Python: `sys.monitoring` or a trace function; JavaScript: a
   * logpoint of V8's inspector). For sources that cannot be rewritten, and bodies of Python's classes. Absent: a probe in the source.
   */
  readonly method?: 'hook';
  /** With method hook: last line of the statement, of a compound one of its header; absent: `line`. */
  readonly last?: number;
  /** Of a return: bare name of the function, which may say that what it gives is a secret; absent: it has none. */
  readonly function?: string;
  /** UTF-16 offset of the statement's start, from 0; tells two statements of a line apart. */
  readonly start?: number;
}
