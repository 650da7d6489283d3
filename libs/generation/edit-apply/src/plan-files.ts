// From an edit or a package to one plan per file. Only the form is judged here, not the file's text.
import type { EditPackage, ProposedEdit } from '@h/contracts';
import { malformedEdit } from './errors.ts';
import { type BlockRequest, type Refusal, refuse } from './locate/block-query.ts';
import type { Snapshot, SnapshotFile } from './open-snapshot.ts';

/** A change of one file: a `ProposedEdit`, or what one holds without its bookkeeping. */
export type FileEdit = Pick<ProposedEdit, 'file'> &
  Partial<Pick<ProposedEdit, 'candidate_id' | 'span' | 'blocks' | 'content'>>;

export type EditInput = FileEdit | EditPackage;

/** What is to happen to one file. */
export interface FilePlan {
  readonly op: 'edit' | 'create' | 'delete' | 'move';
  readonly path: string;
  /** Where the file is afterwards; `path` but for a move. */
  readonly to: string;
  /** Absent for a create. */
  readonly file?: SnapshotFile;
  readonly blocks: readonly PlannedBlock[];
  /** The whole new text, in place of blocks. */
  readonly content?: string;
}

/** A block with its place in the list it was given in. */
export type PlannedBlock = BlockRequest & { readonly index: number };

/** A refusal that names the file, and the block where one is to blame. */
export type FileRefusal = Refusal & { readonly path?: string; readonly block?: number };

type PackageFile = EditPackage['files'][number];

export function isPackage(edit: EditInput): edit is EditPackage {
  return 'files' in edit;
}

/** The plans, one a path, sorted by path in code-unit order; edits of one path are joined. Throws `malformed_edit` for what no record says. */
export function planFiles(edit: EditInput, snapshot: Snapshot): FilePlan[] | FileRefusal {
  const plans: FilePlan[] = [];
  for (const entry of isPackage(edit) ? edit.files : [asPackageFile(edit)]) {
    checkForm(entry);
    const plan = planFile(entry, snapshot);
    if ('status' in plan) return { ...plan, path: entry.path };
    const refusal = addPlan(plans, plan);
    if (refusal !== undefined) return { ...refusal, path: entry.path };
  }
  return plans.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function asPackageFile({ file, span, blocks, content }: FileEdit): PackageFile {
  return {
    path: file,
    op: 'edit',
    ...(span === undefined ? {} : { span }),
    ...(blocks === undefined ? {} : { blocks }),
    ...(content === undefined ? {} : { content }),
  };
}

function checkForm({ path, op, to, blocks, content }: PackageFile): void {
  const given = `${blocks === undefined ? '' : 'b'}${content === undefined ? '' : 'c'}`;
  if (given === 'bc') throw malformedEdit(path, 'has both blocks and content');
  if (blocks?.length === 0) throw malformedEdit(path, 'has an empty list of blocks');
  if (op === 'edit' && given === '') throw malformedEdit(path, 'has neither blocks nor content');
  if (op === 'create' && given !== 'c') throw malformedEdit(path, 'creates a file without its content');
  if (op === 'delete' && given !== '') throw malformedEdit(path, 'deletes the file and changes it too');
  if ((op === 'move') !== (to !== undefined))
    throw malformedEdit(path, op === 'move' ? 'moves nowhere' : 'has `to` but is no move');
}

function planFile(entry: PackageFile, snapshot: Snapshot): FilePlan | Refusal {
  const { path, op, to = path, span, blocks = [], content, expected_sha } = entry;
  if (!isRepositoryPath(path) || !isRepositoryPath(to)) return refuse('locate', 'path_outside_repo');
  const file = snapshot.file(path);
  if (op === 'create') {
    return isTaken(path, snapshot) ? refuse('locate', 'exists') : { op, path, to, blocks: [], content: content ?? '' };
  }
  if (expected_sha !== undefined && file?.sha() !== expected_sha) return refuse('locate', 'stale_file');
  if (file === undefined) return refuse('locate', 'not_found');
  if (to !== path && isTaken(to, snapshot)) return refuse('locate', 'exists');
  return {
    op: op === 'move' && to === path ? 'edit' : op,
    path,
    to,
    file,
    blocks: blocks.map((block, index) => ({ ...(span === undefined ? {} : { span }), ...block, index })),
    ...(content === undefined ? {} : { content }),
  };
}

/** True when the path, or one above it, is a file already. */
function isTaken(path: string, snapshot: Snapshot): boolean {
  const segments = path.split('/');
  return segments.some((_, i) => snapshot.file(segments.slice(0, i + 1).join('/')) !== undefined);
}

/** Adds a plan, or joins it to the edit of the same file; two other fates of one path are refused. */
function addPlan(plans: FilePlan[], plan: FilePlan): Refusal | undefined {
  const same = plans.findIndex(({ path }) => path === plan.path);
  const target = plans.find(({ path, to }) => to === plan.to && path !== plan.path);
  if (target !== undefined) return refuse('locate', 'exists');
  const earlier = plans[same];
  if (earlier === undefined) {
    plans.push(plan);
    return undefined;
  }
  const joinable = [earlier, plan].every(({ op, content }) => op === 'edit' && content === undefined);
  if (!joinable) return refuse('apply', 'overlapping_edits');
  plans[same] = { ...earlier, blocks: [...earlier.blocks, ...plan.blocks] };
  return undefined;
}

// Symbolic links and case-insensitive disks are the file adapter's to refuse: here a path is only text.

/** Code points that HFS+ ignores in names, so that `.g\u200cit` is `.git` there. */
const IGNORED_IN_NAMES = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/**
 * True for a plain path below the repository root: segments joined by `/`, none empty, `.`, `..` or only dots and blanks, no backslash, no NUL, no drive
 * letter, and none that names the version control folder on any file system (`.GIT`, `.git.`, `GIT~1`, `.git:stream`, `.g\u200cit`).
 */
export function isRepositoryPath(path: string): boolean {
  if (path === '' || path.includes('\\') || path.includes('\0') || /^[A-Za-z]:/.test(path)) return false;
  if (/\p{Surrogate}/u.test(path)) return false;
  return path.split('/').every((segment) => !/^[. ]*$/.test(segment) && !namesGitFolder(segment));
}

function namesGitFolder(segment: string): boolean {
  const name = segment
    .replace(IGNORED_IN_NAMES, '')
    .normalize('NFKC')
    .split(':')[0]
    ?.replace(/[. ]+$/, '')
    .toUpperCase();
  return name === '.GIT' || /^GIT~[0-9]+$/.test(name ?? '');
}
