import { hashRecord, type ModelCall, ModelOutcome, ModelRequest, parseRecord } from '@h/contracts';
import { damagedRecording } from '../errors.ts';
import type { Recordings } from './recordings.ts';

/** What a model did is kept; what a network did is not, since a failure that passes would be replayed for ever. */
const lasting: ReadonlySet<ModelOutcome['kind']> = new Set(['ok', 'truncated', 'refusal', 'tool_call']);

/** The same model, each of its replies kept under the digest of the request. A key is in neither: it is no part of a request. */
export function recordModel(model: ModelCall, recordings: Recordings): ModelCall {
  return async (request, options) => {
    const outcome = await model(request, options);
    if (lasting.has(outcome.kind)) {
      const text = JSON.stringify({ recording: 1, request, outcome }, null, 2);
      await recordings.put(hashRecord(request), `${text}\n`);
    }
    return outcome;
  };
}

/**
 * Answers from recordings alone, byte for byte as they were, without a connection; `replay_miss` where there is none, with the first
 * field that differs from the nearest one. Throws `damaged_recording`.
 */
export function replayModel(recordings: Recordings): ModelCall {
  return async (request) => {
    const digest = hashRecord(request);
    const text = await recordings.get(digest);
    if (text === undefined) {
      const detail = describeMiss(await explainMiss(request, recordings));
      return { kind: 'replay_miss', detail, sent: {}, request_digest: digest };
    }
    return readRecording(digest, text).outcome;
  };
}

function describeMiss(miss: MissExplanation | undefined): string {
  if (miss === undefined) return 'this entry was never recorded';
  const { field, offset, nearest } = miss;
  const at = offset === undefined ? '' : ` at character ${offset}`;
  return `${field.slice(0, 200)} differs${at} from the recording ${nearest.slice(0, 12)}`;
}

/** How a request differs from the most similar recording of its entry. */
export interface MissExplanation {
  /** Digest of that recording. */
  readonly nearest: string;
  /** JSON Pointer of the first field that differs: "/messages/1/content". */
  readonly field: string;
  /** For a text, the offset in UTF-16 units at which it differs. */
  readonly offset?: number;
}

/** Why a request has no recording; undefined where its entry was never recorded. Reads every recording. */
export async function explainMiss(request: ModelRequest, recordings: Recordings): Promise<MissExplanation | undefined> {
  let best: (MissExplanation & { agreed: number }) | undefined;
  for (const digest of await recordings.list()) {
    const text = await recordings.get(digest);
    const recorded = text === undefined ? undefined : readRecording(digest, text).request;
    if (recorded?.entry !== request.entry) continue;
    const { agreed, ...difference } = firstDifference(request, recorded);
    if (best === undefined || agreed > best.agreed) best = { nearest: digest, ...difference, agreed };
  }
  if (best === undefined) return undefined;
  const { agreed: _counted, ...explanation } = best;
  return explanation;
}

function readRecording(digest: string, text: string): { request: ModelRequest; outcome: ModelOutcome } {
  let read: { request: ModelRequest; outcome: ModelOutcome };
  try {
    const { recording, request, outcome } = JSON.parse(text);
    if (recording !== 1) throw new TypeError(`version ${JSON.stringify(recording)} of a recording, not 1`);
    read = { request: parseRecord(ModelRequest, request), outcome: parseRecord(ModelOutcome, outcome) };
  } catch (cause) {
    throw damagedRecording(digest, (cause as Error).message, cause);
  }
  if (hashRecord(read.request) !== digest) throw damagedRecording(digest, 'its request has another digest');
  if (read.outcome.request_digest !== digest) throw damagedRecording(digest, 'its outcome is of another request');
  return read;
}

interface Difference {
  readonly field: string;
  readonly offset?: number;
  /** How far the two agree, to choose the nearest. */
  readonly agreed: number;
}

function firstDifference(request: ModelRequest, recorded: ModelRequest): Difference {
  const [ours, theirs] = [leavesOf(request), leavesOf(recorded)];
  let agreed = 0;
  for (const [field, value] of ours) {
    const other = theirs.get(field);
    if (other === value) {
      agreed += typeof value === 'string' ? value.length : 1;
      continue;
    }
    if (typeof value !== 'string' || typeof other !== 'string') return { field, agreed };
    const offset = sharedLength(value, other);
    return { field, offset, agreed: agreed + offset };
  }
  const field = [...theirs.keys()].find((key) => !ours.has(key)) ?? '';
  return { field, agreed };
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at += 1) if (one[at] !== other[at]) return at;
  return most;
}

/** Every scalar by its JSON Pointer, keys in code-unit order, an empty container as its own text. */
function leavesOf(value: unknown, at = ''): Map<string, unknown> {
  if (value === null || typeof value !== 'object') return new Map([[at, value]]);
  const keys = Object.keys(value).sort((a, b) => (Array.isArray(value) ? Number(a) - Number(b) : a < b ? -1 : 1));
  if (keys.length === 0) return new Map([[at, JSON.stringify(value)]]);
  return new Map(
    keys.flatMap((key) => [
      ...leavesOf((value as Record<string, unknown>)[key], `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ]),
  );
}
