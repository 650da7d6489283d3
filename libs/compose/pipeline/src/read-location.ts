import type { Loc } from '@h/contracts';

/** "src/a.py:12" taken apart. */
export function readLocation(location: Loc): { readonly file: string; readonly line: number } {
  const colon = location.lastIndexOf(':');
  return { file: location.slice(0, colon), line: Number(location.slice(colon + 1)) };
}
