// Edits on a disk: apart from the applier, which touches no file.
export { applyToFolder, type FolderOptions, type FolderResult } from './fs/apply-to-folder.ts';
export type { FileState, FileSystemPort, Ownership } from './fs/file-system.ts';
export { nodeFileSystem } from './fs/file-system.ts';
export { type Recovery, recover } from './fs/recover.ts';
