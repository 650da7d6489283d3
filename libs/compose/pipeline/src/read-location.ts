import type { Loc } from '@h/contracts';

/** "src/a.py:12" taken apart. */
export function readLocation(location: Loc): { readonly file: string; readonly line: number } {
  const colon = location.lastIndexOf(':');
  return { file: location.slice(0, colon), line: Number(location.slice(colon + 1)) };
}

/** The first line of a statement, trimmed, at most 120 characters; "" where its file is not among the sources. */
export function lineAt(sources: ReadonlyMap<string, string>, location: Loc): string {
  const { file, line } = readLocation(location);
  return (
    sources
      .get(file)
      ?.split(/\r\n|\r|\n/)
      [line - 1]?.trim()
      .slice(0, 120) ?? ''
  );
}
