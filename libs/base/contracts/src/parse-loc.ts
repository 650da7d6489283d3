import type { Loc, RepoPath } from './define-record.ts';

/** "src/a.py:12" taken apart; the line is 0 where the text names none. */
export function parseLoc(location: Loc): { readonly file: RepoPath; readonly line: number } {
  const colon = location.lastIndexOf(':');
  return { file: location.slice(0, colon), line: Number(location.slice(colon + 1)) || 0 };
}
