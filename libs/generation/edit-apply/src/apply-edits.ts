import {
  type AppliedCandidate,
  type ApplyRejection,
  type GateState,
  type MatchTier,
  type Sha,
  sha256Hex,
} from '@h/contracts';
import { candidateId, packageId } from './candidate-id.ts';
import { type EditedFile, editFile } from './edit-file.ts';
import { openQuery, refuse } from './locate/block-query.ts';
import { explainMiss } from './locate/explain-miss.ts';
import { markEnd, once, openSnapshot, type Sha256, type Snapshot, type SourceFiles } from './open-snapshot.ts';
import { type EditInput, type FileRefusal, isPackage, planFiles } from './plan-files.ts';
import { decodeUtf8, toByteString } from './write/byte-strings.ts';
import { writeDiffs } from './write/write-diff.ts';

/** A file of the repository before and after: what a tree needs to change. A moved file is two of them. */
export interface ChangedFile {
  readonly path: string;
  /** Absent where there was no file. */
  readonly before?: Uint8Array;
  /** Absent where no file is left. */
  readonly after?: Uint8Array;
}

/** Hashes and diffs are computed when `record` or `rejection` is first read: leave the byte arrays as they are until then. */
export type ApplyResult =
  | { readonly status: 'applied'; readonly record: AppliedCandidate; readonly files: readonly ChangedFile[] }
  | { readonly status: 'rejected'; readonly rejection: ApplyRejection };

/** Judges texts; see `createGate`. Bring another one to gate languages that it does not know. */
export interface Gate {
  readonly check: (change: GateChange) => GateVerdict;
}

export interface GateChange {
  readonly path: string;
  /** The text before; absent for a created file. Without a byte order mark; bytes that are not UTF-8 stand as one character each. */
  readonly before?: string;
  readonly after: string;
  /** False: do not judge names, only syntax. */
  readonly lint: boolean;
}

/** What a gate found. `not_run` says that it does not know the language, or was told not to look. */
export type GateVerdict =
  | { readonly status: 'passed'; readonly syntax: GateState; readonly lint: GateState }
  | ({ readonly status: 'refused' } & Pick<ApplyRejection, 'stage' | 'reason' | 'diagnostics' | 'already_broken'>);

export interface ApplyOptions {
  /** Default `exact`. A tolerant tier counts only where a gate has parsed the result. */
  readonly match?: MatchTier;
  /** Absent: nothing is parsed, and the record says so. */
  readonly gate?: Gate;
  /** False switches the gate's name checks off. Default true. */
  readonly lint?: boolean;
  /** A faster SHA-256 than the one in JavaScript that comes with `@h/contracts`; what hashes is the larger part of a record. */
  readonly sha256?: Sha256;
  /** Files larger than this, before or after, are refused as `too_large`. Default 16 MiB. */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Applies one candidate to a snapshot, or says why not; the snapshot's bytes are never written to.
 *
 * Every block is located in the snapshot, inside its span, exactly once, so their order does not matter; all are applied or none. Work is
 * linear in the files named. Throws `malformed_edit` for an edit that no record can say, such as blocks and content at once.
 */
export function applyEdits(files: SourceFiles | Snapshot, edit: EditInput, options: ApplyOptions = {}): ApplyResult {
  const snapshot = isSnapshot(files) ? files : openSnapshot(files);
  const plans = planFiles(edit, snapshot);
  const shaOf = (path: string): Sha | undefined => snapshot.file(path)?.sha(options.sha256);
  const reject = ({ status: _, ...rest }: FileRefusal): ApplyResult => {
    const rejection = once((): ApplyRejection => ({ candidate_id: idOf(edit, shaOf), ...rest }));
    return {
      status: 'rejected',
      get rejection() {
        return rejection();
      },
    };
  };
  if (!Array.isArray(plans)) return reject(plans);
  const edited: EditedFile[] = [];
  for (const plan of plans) {
    const result = editFile(plan, { match: options.match ?? 'exact', maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES });
    if (result.status === 'refused') return reject(result);
    edited.push(result);
  }
  const isMoved = ({ plan }: EditedFile) => plan.path !== plan.to;
  if (!edited.some((file) => file.differs || isMoved(file))) return reject(refuse('apply', 'no_change'));
  const verdict = passGate(edited, options);
  if (verdict.status === 'refused') return reject(verdict);
  const record = once(() => recordOf(idOf(edit, shaOf), edited, verdict, options.sha256));
  return {
    status: 'applied',
    get record() {
      return record();
    },
    files: edited.flatMap(changedFiles),
  };
}

function isSnapshot(files: SourceFiles | Snapshot): files is Snapshot {
  return typeof files.file === 'function';
}

/** The edit's own id, or the one that its contents give it. */
export function idOf(edit: EditInput, shaOf: (path: string) => Sha | undefined): Sha {
  if (isPackage(edit)) return packageId(edit, shaOf);
  const before = shaOf(edit.file);
  return edit.candidate_id ?? candidateId(before === undefined ? edit : { ...edit, before });
}

type PassedVerdict = Extract<GateVerdict, { status: 'passed' }>;

/** The verdict over all files: `passed` where every changed text was judged, `not_run` where one was not. */
function passGate(edited: readonly EditedFile[], options: ApplyOptions): PassedVerdict | FileRefusal {
  let syntax: GateState | undefined;
  let lint: GateState | undefined;
  for (const file of edited) {
    if (file.after === undefined || !file.differs) continue;
    const verdict = judge(file, options);
    if (verdict.status === 'refused') return { ...verdict, path: file.plan.path };
    if (file.tolerant !== undefined && verdict.syntax !== 'passed') return refuseUnparsed(file);
    syntax = syntax === 'not_run' ? syntax : verdict.syntax;
    lint = lint === 'not_run' ? lint : verdict.lint;
  }
  return { status: 'passed', syntax: syntax ?? 'not_run', lint: lint ?? 'not_run' };
}

function judge({ plan, before, after }: EditedFile, { gate, lint = true }: ApplyOptions): GateVerdict {
  if (gate === undefined || after === undefined) return { status: 'passed', syntax: 'not_run', lint: 'not_run' };
  return gate.check({
    path: plan.to,
    ...(before === undefined ? {} : { before: textOf(before) }),
    after: textOf(after),
    lint,
  });
}

function textOf(bytes: Uint8Array): string {
  const text = bytes.subarray(markEnd(bytes));
  return decodeUtf8(text) ?? toByteString(text);
}

/** A tolerant tier is used only when the result parses; what nothing has parsed is the miss it was. */
function refuseUnparsed({ plan, tolerant }: EditedFile): FileRefusal {
  const block = plan.blocks.find((other) => other === tolerant)?.index ?? 0;
  const nearest = plan.file && tolerant && explainMiss(openQuery(plan.file, tolerant));
  return { ...refuse('locate', 'not_found', nearest === undefined ? {} : { nearest }), path: plan.path, block };
}

function recordOf(
  candidate_id: Sha,
  edited: readonly EditedFile[],
  { syntax, lint }: PassedVerdict,
  sha256: Sha256 = sha256Hex,
): AppliedCandidate {
  return {
    candidate_id,
    files: edited.map(({ plan, after, described }) => ({
      path: plan.path,
      op: plan.op,
      ...(plan.file === undefined ? {} : { before: plan.file.sha(sha256) }),
      ...(after === undefined ? {} : { after: sha256(after) }),
      hunks: [...described().hunks],
    })),
    ...writeDiffs(
      edited.map(({ plan, before = new Uint8Array(), described }) => ({ ...plan, before, ...described() })),
    ),
    gate: { syntax, lint },
  };
}

function changedFiles({ plan, before, after }: EditedFile): ChangedFile[] {
  const { path, to } = plan;
  const was = before === undefined ? {} : { before };
  const is = after === undefined ? {} : { after };
  return path === to
    ? [{ path, ...was, ...is }]
    : [
        { path, ...was },
        { path: to, ...is },
      ];
}
