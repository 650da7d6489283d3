// The one protocol that agents of every language speak: NDJSON events, appended and flushed as things happen.
import type { FileLines, Loc, RepoPath, SubtestResult, TestFailure, TestId, TestOutcome } from '@h/contracts';
import {
  type Environment,
  isEnvironment,
  isModuleGraph,
  isPackages,
  isReads,
  type ModuleGraph,
  type Packages,
  type Reads,
} from './dependency-events.ts';
import { unsupportedProtocol } from './errors.ts';

/** Major version of the protocol, written by each agent in its first event. */
export const AGENT_PROTOCOL = 1;

/** A test that a runner found. */
export interface CollectedTest {
  readonly test: TestId;
  readonly file: RepoPath;
}

export interface RunStart {
  readonly event: 'run-start';
  readonly protocol: number;
  readonly runner: string;
  readonly runner_version: string;
  readonly language: 'python' | 'node';
  readonly language_version: string;
  readonly mode: 'run' | 'list';
  readonly coverage: boolean;
}

export interface TestEnd {
  readonly event: 'test-end';
  readonly test: TestId;
  readonly file: RepoPath;
  readonly outcome: TestOutcome;
  /** Milliseconds, set-up and tear-down of the test included. */
  readonly duration_ms: number;
  readonly failure?: TestFailure;
  readonly coverage?: FileLines[];
  /** Most recent first. */
  readonly last_lines?: Loc[];
  /** It failed and then passed in the same run. */
  readonly flaky?: boolean;
  /** Parts that the runner judges apart, in the order in which they ended. */
  readonly subtests?: readonly SubtestResult[];
  /** Only where coverage is taken. */
  readonly reads?: Reads;
}

/** What one line of an agent's report says. A later `test-end` of a test replaces an earlier one. */
export type AgentEvent =
  | RunStart
  | { readonly event: 'collected'; readonly tests: readonly CollectedTest[] }
  | { readonly event: 'test-start'; readonly test: TestId; readonly file: RepoPath }
  | TestEnd
  | { readonly event: 'collection-error'; readonly file?: RepoPath; readonly failure: TestFailure }
  | { readonly event: 'import-coverage'; readonly files: readonly FileLines[] }
  | ModuleGraph
  | Environment
  | Packages
  /** For whoever watches the run: which file is being loaded or run, and by which process. */
  | {
      readonly event: 'progress';
      readonly state: 'file-start' | 'file-loaded' | 'file-end' | 'all-end';
      readonly file?: RepoPath;
    }
  | { readonly event: 'skipped-instrumentation'; readonly file: RepoPath; readonly reason: string }
  | { readonly event: 'note'; readonly message: string }
  | { readonly event: 'run-end' }
  /** A line that is no event of this protocol: the target wrote into the report, or the last line was cut. `line` is 1-based. */
  | { readonly event: 'unreadable'; readonly line: number; readonly cut: boolean };

const OUTCOMES = new Set(['passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed', 'timeout', 'not_run']);

/**
 * Events of an agent's report, in the order they were written. A line that is no event, and a last line cut by the death
 * of the process, become `unreadable` events. Throws `unsupported_protocol` when the first event is of another major.
 */
export function readAgentEvents(text: string): AgentEvent[] {
  const events: AgentEvent[] = [];
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    line += 1;
    if (end > start) events.push(readEvent(text.slice(start, end)) ?? { event: 'unreadable', line, cut: found === -1 });
    start = end + 1;
  }
  const first = events[0];
  if (first?.event === 'run-start' && first.protocol !== AGENT_PROTOCOL) throw unsupportedProtocol(first.protocol);
  return events;
}

function readEvent(line: string): AgentEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value.event !== 'string') return undefined;
  const isWell = Object.hasOwn(SHAPES, value.event) ? SHAPES[value.event] : undefined;
  return isWell?.(value) ? (value as unknown as AgentEvent) : undefined;
}

type Fields = Record<string, unknown>;

const SHAPES: Record<string, ((event: Fields) => boolean) | undefined> = {
  'run-start': (event) => typeof event.protocol === 'number' && isText(event.runner),
  collected: (event) => isList(event.tests, (test) => isObject(test) && isText(test.test) && isText(test.file)),
  'test-start': (event) => isText(event.test) && isText(event.file),
  'test-end': isTestEnd,
  'collection-error': (event) => (event.file === undefined || isText(event.file)) && isFailure(event.failure),
  'import-coverage': (event) => isFileLines(event.files),
  'module-graph': isModuleGraph,
  environment: isEnvironment,
  packages: isPackages,
  progress: (event) => typeof event.state === 'string' && (event.file === undefined || isText(event.file)),
  'skipped-instrumentation': (event) => isText(event.file) && typeof event.reason === 'string',
  note: (event) => typeof event.message === 'string',
  'run-end': () => true,
};

function isTestEnd(event: Fields): boolean {
  return (
    isText(event.test) &&
    isText(event.file) &&
    OUTCOMES.has(event.outcome as string) &&
    typeof event.duration_ms === 'number' &&
    event.duration_ms >= 0 &&
    (event.failure === undefined || isFailure(event.failure)) &&
    (event.coverage === undefined || isFileLines(event.coverage)) &&
    (event.last_lines === undefined || isList(event.last_lines, isLoc)) &&
    (event.flaky === undefined || typeof event.flaky === 'boolean') &&
    (event.subtests === undefined || isList(event.subtests, isSubtest)) &&
    (event.reads === undefined || isReads(event.reads))
  );
}

function isSubtest(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.name === 'string' &&
    OUTCOMES.has(value.outcome as string) &&
    (value.failure === undefined || isFailure(value.failure))
  );
}

function isFailure(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.class === 'string' &&
    typeof value.message === 'string' &&
    isList(value.frames, isLoc) &&
    (value.location === undefined || isLoc(value.location)) &&
    (value.expected === undefined || typeof value.expected === 'string') &&
    (value.actual === undefined || typeof value.actual === 'string')
  );
}

function isFileLines(value: unknown): boolean {
  return isList(value, (entry) => isObject(entry) && isText(entry.file) && typeof entry.lines === 'string');
}

function isLoc(value: unknown): boolean {
  return typeof value === 'string' && /^[^\n]+:[1-9][0-9]*$/.test(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
