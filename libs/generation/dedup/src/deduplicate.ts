import { type Collapse, canonicalJson, type Sha, sha256Hex } from '@h/contracts';
import { mixedSnapshots } from './errors.ts';
import { type BytesReason, type ProgramParser, readProgram } from './read-program.ts';

/** A candidate as `@h/edit-apply` gives it: the files it changes, before and after. All candidates start from the same snapshot. */
export interface DedupCandidate {
  readonly candidate_id: Sha;
  readonly files: readonly {
    readonly path: string;
    /** Absent where there was no file. */
    readonly before?: string | Uint8Array;
    /** Absent where no file is left. */
    readonly after?: string | Uint8Array;
  }[];
}

export interface DedupOptions {
  /** Of `@h/syntax`; languages it has not loaded are compared byte by byte. */
  readonly parser: ProgramParser;
  /** `tokens` (default): the same tokens are the same program. `seed`: the literal rule of seed 09, which is unsafe; for ablation. */
  readonly profile?: 'tokens' | 'seed';
}

export interface DedupResult<C extends DedupCandidate> {
  /** One a class, the first in the given order; none that equals the snapshot. */
  readonly kept: readonly C[];
  /** One entry for each candidate dropped for a kept one, in the given order. */
  readonly collapsed: readonly Collapse[];
  /** By the id of each kept candidate: how many candidates it stands for, itself included. */
  readonly votes: Readonly<Record<Sha, number>>;
  /** Candidates that are the snapshot again, in the given order. */
  readonly no_ops: readonly { readonly candidate_id: Sha; readonly rung: Collapse['rung']; readonly witness: Sha }[];
  /** Files that no parser read whole, so that only equal bytes were taken as equal. */
  readonly compared_as_bytes: readonly {
    readonly candidate_id: Sha;
    readonly path: string;
    readonly why: BytesReason;
  }[];
}

type Rung = Collapse['rung'];

/**
 * Collapses candidates that are the same program.
 *
 * Two candidates are the same when every file they touch has the same normal form; the same tokens in another file, or elsewhere in one,
 * are another program. The classes do not depend on the order of the candidates, only which member is kept does. Throws
 * `mixed_snapshots` when two candidates start from different contents of one path.
 */
export function deduplicate<C extends DedupCandidate>(candidates: Iterable<C>, options: DedupOptions): DedupResult<C> {
  const readForm = formReader(options);
  const rung: Rung = options.profile ?? 'tokens';
  const classes = new Map<string, C>();
  const collapsed: Collapse[] = [];
  const votes: Record<Sha, number> = {};
  const no_ops: DedupResult<C>['no_ops'][number][] = [];
  const compared_as_bytes: DedupResult<C>['compared_as_bytes'][number][] = [];
  for (const candidate of candidates) {
    const { candidate_id } = candidate;
    const { changed, asBytes } = readForm(candidate);
    compared_as_bytes.push(...asBytes.map(({ path, why }) => ({ candidate_id, path, why })));
    const key = canonicalJson(changed);
    const witness = () => sha256Hex(key);
    const kept = classes.get(key);
    if (changed.length === 0) {
      no_ops.push({ candidate_id, rung: isUntouched(candidate) ? 'bytes' : rung, witness: witness() });
    } else if (kept === undefined) {
      classes.set(key, candidate);
      votes[candidate_id] = 1;
    } else {
      collapsed.push({
        kept: kept.candidate_id,
        dropped: candidate_id,
        rung: sameFiles(kept, candidate) ? 'bytes' : rung,
        witness: witness(),
      });
      votes[kept.candidate_id] = (votes[kept.candidate_id] ?? 0) + 1;
    }
  }
  return { kept: [...classes.values()], collapsed, votes, no_ops, compared_as_bytes };
}

/** Per changed file, sorted by path: how its normal form differs from the snapshot's. */
type ChangedForm = readonly [path: string, ...form: (string | number)[]];

interface CandidateForm {
  /** Without files whose normal form is the snapshot's. */
  readonly changed: readonly ChangedForm[];
  readonly asBytes: readonly { readonly path: string; readonly why: BytesReason }[];
}

/** Reads candidates against one snapshot, whose files are read once. */
function formReader({ parser, profile = 'tokens' }: DedupOptions): (candidate: DedupCandidate) => CandidateForm {
  const snapshot = new Map<string, { bytes: Uint8Array | undefined; words: readonly string[] }>();
  const baseOf = (path: string, bytes: Uint8Array | undefined, candidate: string) => {
    const known = snapshot.get(path);
    if (known !== undefined) {
      if (!sameBytes(known.bytes, bytes)) throw mixedSnapshots(path, candidate);
      return known.words;
    }
    const program = bytes === undefined ? undefined : readProgram(path, bytes, parser, profile);
    const words = program !== undefined && 'words' in program ? program.words : [];
    snapshot.set(path, { bytes, words });
    return words;
  };
  return ({ candidate_id, files }) => {
    const changed: ChangedForm[] = [];
    const asBytes: { path: string; why: BytesReason }[] = [];
    for (const { path, ...file } of [...files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
      const before = asByteArray(file.before);
      const after = asByteArray(file.after);
      const base = baseOf(path, before, candidate_id);
      if (sameBytes(before, after)) continue;
      const program = after === undefined ? undefined : readProgram(path, after, parser, profile);
      if (after === undefined || program === undefined) changed.push([path, 'deleted']);
      else if ('why' in program) {
        asBytes.push({ path, why: program.why });
        changed.push([path, 'bytes', sha256Hex(after)]);
      } else if (before === undefined) changed.push([path, 'created', ...program.words]);
      else {
        const difference = differenceOf(base, program.words);
        if (difference !== undefined) changed.push([path, ...difference]);
      }
    }
    return { changed, asBytes };
  };
}

/** Words both sides share at the start and at the end, and the new ones between; undefined when there is no difference. */
function differenceOf(base: readonly string[], words: readonly string[]): (string | number)[] | undefined {
  const shorter = Math.min(base.length, words.length);
  let start = 0;
  while (start < shorter && base[start] === words[start]) start++;
  if (start === base.length && start === words.length) return undefined;
  let end = 0;
  while (end < shorter - start && base[base.length - 1 - end] === words[words.length - 1 - end]) end++;
  return ['edited', start, end, ...words.slice(start, words.length - end)];
}

function asByteArray(content: string | Uint8Array | undefined): Uint8Array | undefined {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function isUntouched({ files }: DedupCandidate): boolean {
  return files.every(({ before, after }) => sameBytes(asByteArray(before), asByteArray(after)));
}

function sameFiles(a: DedupCandidate, b: DedupCandidate): boolean {
  const others = new Map(b.files.map(({ path, after }) => [path, asByteArray(after)]));
  return (
    a.files.length === others.size &&
    a.files.every(({ path, after }) => others.has(path) && sameBytes(asByteArray(after), others.get(path)))
  );
}
