// Ranked statements → candidate edits → applied, parsing, distinct candidates.
import { createHash } from 'node:crypto';
import type {
  AppliedCandidate,
  ApplyRejection,
  ArtifactStore,
  CandidateBatch,
  CandidateSet,
  EditPackage,
  ModelCall,
  ObservedRun,
  ProgressEvent,
  ProposedEdit,
  TreeChange,
} from '@h/contracts';
import { type DedupOptions, deduplicate } from '@h/dedup';
import { applyEdits, createGate, openSnapshot } from '@h/edit-apply';
import { languageOf, type Parser } from '@h/syntax';
import { type AskedCandidates, askForCandidates } from './ask-model.ts';
import type { Diagnosis } from './diagnose-failure.ts';
import type { Session } from './open-session.ts';
import { failuresOf, rankEdits, targetsOf } from './rank-edits.ts';
import type { Repository } from './read-repository.ts';

export interface ProposeOptions {
  /** Proposals from templates to look at, in budget order. */
  readonly limit: number;
  /** Asked once for candidates, which are tried first. */
  readonly model?: ModelCall;
  /** What the change must do, in the caller's words. */
  readonly requirement?: string;
  /** The failing run with the values that were seen in it: what they show raises and lowers candidates. */
  readonly observed?: ObservedRun;
  /** Candidates may be lists of blocks. */
  readonly multiEdit?: boolean;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ProgressEvent) => void;
}

/** A distinct candidate, ready to be run. */
export interface Candidate {
  readonly record: AppliedCandidate;
  readonly changes: readonly TreeChange[];
  readonly origin: string;
  readonly path: string;
  /** First changed line, 1-based. */
  readonly line: number;
}

export interface Proposal {
  /** What templates proposed and is looked at, one batch a statement; none for candidates of the caller's. */
  readonly batches: readonly CandidateBatch[];
  readonly proposed: number;
  readonly candidates: readonly Candidate[];
  readonly set: CandidateSet;
  /** Brought by the caller. */
  readonly external?: boolean;
  /** What a model was asked, and what became of it; absent without a model. */
  readonly asked?: Omit<AskedCandidates, 'candidates'>;
}

/** Candidates from repair templates, best first; those of a model, where there is one, before them. */
export async function proposeCandidates(
  session: Session,
  diagnosis: Diagnosis,
  options: ProposeOptions,
): Promise<Proposal> {
  options.onEvent?.({ kind: 'stage', message: 'proposing candidates from repair templates' });
  const { batches, proposals } = rankEdits({
    sources: diagnosis.sources,
    targets: targetsOf(diagnosis),
    failures: failuresOf(diagnosis),
    parser: session.parser,
    limit: options.limit,
    ...(options.observed === undefined ? {} : { observed: options.observed }),
    ...(options.multiEdit === undefined ? {} : { multiEdit: options.multiEdit }),
  });
  const asked =
    options.model === undefined ? undefined : await askForCandidates(session, diagnosis, options.model, options);
  const settled = await settle(sourcesOf(session), [...(asked?.candidates ?? []), ...proposals]);
  const merged = describeMerges(settled.set);
  if (merged !== undefined) options.onEvent?.({ kind: 'stage', message: merged });
  if (asked === undefined) return { ...settled, batches };
  const { candidates: _, ...rest } = asked;
  return { ...settled, batches, asked: rest };
}

/** Candidates the caller brings: a batch of proposed edits, or one package. */
export async function adoptCandidates(session: Session, given: CandidateBatch | EditPackage): Promise<Proposal> {
  const settled = await settle(sourcesOf(session), 'candidates' in given ? given.candidates : [given]);
  return { ...settled, batches: [], external: true };
}

/** What candidates are applied to. */
export interface CandidateSources {
  readonly repository: Repository;
  readonly parser: Parser;
  /** Where changed files are kept. */
  readonly artifacts: ArtifactStore;
  readonly pythonVersion?: `3.${number}`;
}

function sourcesOf({ repository, parser, home, pythonVersion }: Session): CandidateSources {
  return { repository, parser, artifacts: home.artifacts, ...(pythonVersion === undefined ? {} : { pythonVersion }) };
}

/** "3 candidates are another one again (2 by tokens, 1 by tree)"; undefined where there is none. */
export function describeMerges({ collapsed }: Pick<CandidateSet, 'collapsed'>): string | undefined {
  if (collapsed.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const { rung } of collapsed) counts.set(rung, (counts.get(rung) ?? 0) + 1);
  const byRung = [...counts].map(([rung, count]) => `${count} by ${rung}`).join(', ');
  return `${collapsed.length} candidate${collapsed.length === 1 ? ' is' : 's are'} another one again (${byRung})`;
}

/**
 * Applies edits to the snapshot, each on its own, and keeps one of those that are the same program at `rung`. One that is the snapshot
 * again is rejected as `no_change`.
 */
export async function settle(
  sources: CandidateSources,
  proposals: readonly (ProposedEdit | EditPackage)[],
  { isDeduplicated = true, rung }: { readonly isDeduplicated?: boolean; readonly rung?: DedupOptions['rung'] } = {},
): Promise<Pick<Proposal, 'proposed' | 'candidates' | 'set'>> {
  const files = await readFiles(sources, [...new Set(proposals.flatMap(pathsOf))]);
  const { applied, rejected } = await applyAll(sources, files, proposals);
  const distinct = deduplicate(
    applied.map((candidate) => ({
      candidate_id: candidate.record.candidate_id,
      files: candidate.changes.map(({ path, bytes }) => beforeAndAfter(path, files[path], bytes)),
      candidate,
    })),
    { parser: sources.parser, ...(rung === undefined ? {} : { rung }) },
  );
  const noChange = distinct.no_ops.map(
    ({ candidate_id }): ApplyRejection => ({ candidate_id, stage: 'apply', reason: 'no_change' }),
  );
  const candidates = isDeduplicated ? distinct.kept.map(({ candidate }) => candidate) : applied;
  const set: CandidateSet = {
    snapshot: sources.repository.tree,
    candidates: candidates.map(({ record }) => record),
    rejected: isDeduplicated ? [...rejected, ...noChange] : rejected,
    collapsed: [...distinct.collapsed],
    votes: { ...distinct.votes },
  };
  return { proposed: proposals.length, candidates, set };
}

function beforeAndAfter(path: string, before: Uint8Array | undefined, after: Uint8Array | null) {
  return { path, ...(before === undefined ? {} : { before }), ...(after === null ? {} : { after }) };
}

async function applyAll(sources: CandidateSources, files: Files, proposals: readonly (ProposedEdit | EditPackage)[]) {
  const languages = [...new Set(Object.keys(files).map(languageOf))].filter((language) => language !== undefined);
  const { pythonVersion } = sources;
  const gate = await createGate(languages, pythonVersion === undefined ? {} : { pythonVersion });
  const snapshot = openSnapshot(files);
  const applied: Candidate[] = [];
  const rejected: ApplyRejection[] = [];
  for (const proposal of proposals) {
    const result = applyEdits(snapshot, proposal, { gate, sha256 });
    if (result.status === 'rejected') rejected.push(result.rejection);
    else applied.push(await toCandidate(sources, proposal, result));
  }
  gate.dispose();
  return { applied, rejected };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

type AppliedResult = Extract<ReturnType<typeof applyEdits>, { status: 'applied' }>;

async function toCandidate(
  { artifacts }: CandidateSources,
  proposal: ProposedEdit | EditPackage,
  { record, files }: AppliedResult,
): Promise<Candidate> {
  for (const { after } of files) if (after !== undefined) await artifacts.put(after);
  const [first] = record.files;
  return {
    record,
    changes: files.map(({ path, after }) => ({ path, bytes: after ?? null })),
    origin: 'candidate_id' in proposal ? (proposal.template ?? proposal.origin) : 'external',
    path: first?.path ?? '',
    line: first?.hunks[0]?.before[0] ?? 1,
  };
}

function pathsOf(proposal: ProposedEdit | EditPackage): string[] {
  if ('candidate_id' in proposal) return [proposal.file];
  return proposal.files.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]));
}

type Files = Record<string, Uint8Array>;

/** Bytes of those paths that the repository has. */
async function readFiles({ repository }: CandidateSources, paths: readonly string[]): Promise<Files> {
  const files: Files = {};
  for (const path of paths) {
    const bytes = await repository.reader.read(path).catch(() => undefined);
    if (bytes !== undefined) files[path] = bytes;
  }
  return files;
}
