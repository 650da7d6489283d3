import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import type { ApplyReason, Sha } from '@h/contracts';
import { type ApplyOptions, type ApplyResult, applyEdits, idOf } from '../apply-edits.ts';
import { openSnapshot, type Snapshot } from '../open-snapshot.ts';
import { type EditInput, isPackage } from '../plan-files.ts';
import { type FileSystemPort, nodeFileSystem } from './file-system.ts';
import { type NamedFile, readNamedFiles } from './read-named-files.ts';
import { writePackage } from './write-package.ts';

export interface FolderOptions extends ApplyOptions {
  /** SHA-256 by path of the files as the edit's maker read them; a file that has other bytes is refused as `stale_file`. */
  readonly expected?: Readonly<Record<string, Sha>>;
  /** True: say what would be written, and write nothing. */
  readonly dryRun?: boolean;
  /** Until the files are touched an abort does nothing; from then on all are taken back. */
  readonly signal?: AbortSignal;
  readonly fileSystem?: FileSystemPort;
}

export type FolderResult =
  /** `journal` is `left` where the files are written and what was used for it could not be deleted: `recover` does that. */
  | (Extract<ApplyResult, { status: 'applied' }> & { readonly journal: 'cleared' | 'left' | 'none' })
  | Extract<ApplyResult, { status: 'rejected' }>;

const MAX_BYTES = 16 * 1024 * 1024;
const sha256 = (bytes: Uint8Array): Sha => createHash('sha256').update(bytes).digest('hex');

/**
 * Applies an edit to the files of a folder: all of it is written, or nothing is. What `applyEdits` refuses is refused here, and paths
 * that lead out of the folder, through a link or to anything but a file.
 *
 * Throws `unfinished_package`, `write_failed` (nothing was written), `undo_failed` (call `recover`), and what `applyEdits` throws.
 */
export async function applyToFolder(root: string, edit: EditInput, options: FolderOptions = {}): Promise<FolderResult> {
  const { fileSystem = nodeFileSystem, signal, expected = {}, maxBytes = MAX_BYTES } = options;
  signal?.throwIfAborted();
  const real = await realpath(root);
  const read = await readNamedFiles(real, edit, maxBytes, fileSystem);
  if (read.status === 'refused') return reject(edit, read);
  const snapshot = snapshotOf(read.files);
  const stale = Object.entries(expected).find(
    ([path, sha]) => read.files.has(path) && snapshot.file(path)?.sha(sha256) !== sha,
  );
  if (stale !== undefined) return reject(edit, { path: stale[0], reason: 'stale_file' }, snapshot);
  const result = applyEdits(snapshot, edit, { sha256, ...options });
  if (result.status === 'rejected') return result;
  const { record, files } = result;
  if (options.dryRun === true) return { status: 'applied', record, files, journal: 'none' };
  const movedFrom = new Map(
    isPackage(edit) ? edit.files.flatMap(({ path, to }) => (to === undefined ? [] : [[to, path]])) : [],
  );
  const writing = { root: real, named: read.files, movedFrom, fileSystem, ...(signal === undefined ? {} : { signal }) };
  const written = await writePackage(files, writing);
  if (written.status === 'written') return { status: 'applied', record, files, journal: written.journal };
  const path = [...read.files.values()].find(({ target }) => target.endsWith(`/${written.target}`))?.path;
  return reject(edit, { path: path ?? written.target, reason: 'stale_file' }, snapshot);
}

/** The files read, and those that stand where a folder would have to be. */
function snapshotOf(named: ReadonlyMap<string, NamedFile>): Snapshot {
  const present = [...named].flatMap(([path, { bytes }]) => (bytes === undefined ? [] : [[path, bytes] as const]));
  return openSnapshot(Object.fromEntries(present));
}

function reject(
  edit: EditInput,
  { path, reason }: { readonly path: string; readonly reason: ApplyReason },
  snapshot?: Snapshot,
): Extract<ApplyResult, { status: 'rejected' }> {
  const shaOf = (name: string) => snapshot?.file(name)?.sha(sha256);
  return {
    status: 'rejected',
    rejection: { candidate_id: idOf(edit, shaOf), stage: 'locate', reason, path },
  };
}
