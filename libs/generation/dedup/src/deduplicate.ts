import { type Collapse, canonicalJson, type Sha, sha256Hex } from '@h/contracts';
import type { CompiledForms } from './compile-python.ts';
import { nothingCompiled } from './errors.ts';
import { bytesForm, candidateForm, candidateReader, type FormRung, type ReadCandidate } from './read-candidate.ts';
import type { BytesReason, ProgramParser } from './read-program.ts';

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

/** Levels of equality, each of which joins what the ones before it join, and more. */
export type Rung = Exclude<Collapse['rung'], 'seed'>;

export interface DedupOptions {
  /** Of `@h/syntax`; languages it has not loaded are compared byte by byte. */
  readonly parser: ProgramParser;
  /** The highest rung that may join two candidates; `tokens` when absent. */
  readonly rung?: Rung;
  /** Of `compilePython`; needed by the rung `compiler` alone. */
  readonly compiled?: CompiledForms;
  /** `tokens` (default): the ladder. `seed`: the literal rule of seed 09 instead, which is unsafe; for ablation. */
  readonly profile?: 'tokens' | 'seed';
}

export interface DedupResult<C extends DedupCandidate> {
  /** One a class, the first in the given order; none that equals the snapshot. */
  readonly kept: readonly C[];
  /** One entry for each candidate dropped for a kept one, in the given order. */
  readonly collapsed: readonly Collapse[];
  /** By the id of each kept candidate: how many candidates it stands for, itself included. */
  readonly votes: Readonly<Record<Sha, number>>;
  /** By the id of each kept candidate that stands for others: these, as they were given, in the given order. */
  readonly dropped: Readonly<Record<Sha, readonly C[]>>;
  /** Candidates that are the snapshot again, in the given order. */
  readonly no_ops: readonly { readonly candidate_id: Sha; readonly rung: Collapse['rung']; readonly witness: Sha }[];
  /** Files that no parser read whole, so that only equal bytes were taken as equal. */
  readonly compared_as_bytes: readonly {
    readonly candidate_id: Sha;
    readonly path: string;
    readonly why: BytesReason;
  }[];
}

const RUNGS: readonly Rung[] = ['bytes', 'tokens', 'tree', 'names', 'compiler'];

/**
 * Collapses candidates that are the same program.
 *
 * Two candidates are the same when at one rung every file they touch has the same form; the same tokens in another file, or elsewhere
 * in one, are another program. The classes do not depend on the order of the candidates, only which member is kept does. Throws
 * `mixed_snapshots` when two candidates start from different contents of one path, `nothing_compiled` for the rung `compiler` alone.
 */
export function deduplicate<C extends DedupCandidate>(candidates: Iterable<C>, options: DedupOptions): DedupResult<C> {
  const { parser, rung = 'tokens', compiled, profile = 'tokens' } = options;
  if (rung === 'compiler' && compiled === undefined) throw nothingCompiled();
  const all = [...candidates];
  const read = candidateReader({ parser, profile });
  const forms = all.map(({ candidate_id, files }) => read(candidate_id, files));
  const form = (candidate: ReadCandidate, at: Rung) =>
    at === 'bytes' ? bytesForm(candidate) : candidateForm(candidate, at as FormRung, parser, compiled);
  const ladder = profile === 'seed' ? RUNGS.slice(0, 2) : RUNGS.slice(0, RUNGS.indexOf(rung) + 1);
  const steps = ladder.map((at) => ({
    rung: profile === 'seed' && at === 'tokens' ? ('seed' as const) : at,
    keys: forms.map((candidate) => canonicalJson(form(candidate, at))),
  }));
  return { ...classesOf(all, steps), compared_as_bytes: reasons(all, forms) };
}

interface Step {
  readonly rung: Collapse['rung'];
  /** One a candidate. */
  readonly keys: readonly string[];
}

/** What a candidate has that changes nothing. */
const UNCHANGED = '[]';

function classesOf<C extends DedupCandidate>(all: readonly C[], steps: readonly Step[]) {
  const roots = joinByKeys(all.length, steps);
  const last = roots[roots.length - 1] ?? [];
  const kept: C[] = [];
  const collapsed: Collapse[] = [];
  const no_ops: DedupResult<C>['no_ops'][number][] = [];
  const members = new Map<Sha, C[]>();
  for (const [index, candidate] of all.entries()) {
    const root = last[index + 1] as number;
    const at = roots.findIndex((ofStep) => ofStep[index + 1] === ofStep[root]);
    const { rung, keys } = steps[at] as Step;
    if (root === index + 1) {
      kept.push(candidate);
      members.set(candidate.candidate_id, []);
      continue;
    }
    const witness = sha256Hex(keys[index] as string);
    const { candidate_id } = candidate;
    if (root === 0) no_ops.push({ candidate_id, rung, witness });
    else {
      const keptId = (all[root - 1] as C).candidate_id;
      collapsed.push({ kept: keptId, dropped: candidate_id, rung, witness });
      members.get(keptId)?.push(candidate);
    }
  }
  const votes: Record<Sha, number> = {};
  const dropped: Record<Sha, readonly C[]> = {};
  for (const [id, others] of members) {
    votes[id] = others.length + 1;
    if (others.length > 0) dropped[id] = others;
  }
  return { kept, collapsed, votes, dropped, no_ops };
}

/** After each step the first member of each one's class: 0 is the snapshot, n the n-th candidate from 1. */
function joinByKeys(count: number, steps: readonly Step[]): number[][] {
  const parent = Array.from({ length: count + 1 }, (_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (parent[root] !== root) root = parent[root] as number;
    for (let at = index; at !== root; ) [at, parent[at]] = [parent[at] as number, root];
    return root;
  };
  return steps.map(({ keys }) => {
    const firsts = new Map<string, number>([[UNCHANGED, 0]]);
    for (const [index, key] of keys.entries()) {
      const first = firsts.get(key);
      if (first === undefined) firsts.set(key, index + 1);
      else {
        const [one, other] = [rootOf(first), rootOf(index + 1)];
        parent[Math.max(one, other)] = Math.min(one, other);
      }
    }
    return parent.map((_, index) => rootOf(index));
  });
}

function reasons(all: readonly DedupCandidate[], forms: readonly ReadCandidate[]) {
  return forms.flatMap(({ asBytes }, index) =>
    asBytes.map(({ path, why }) => ({ candidate_id: (all[index] as DedupCandidate).candidate_id, path, why })),
  );
}
