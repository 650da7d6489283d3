import { type Loc, parseLoc } from '@h/contracts';

/** The first line of a statement, trimmed, at most 120 characters; "" where its file is not among the sources. */
export function lineAt(sources: ReadonlyMap<string, string>, location: Loc): string {
  const { file, line } = parseLoc(location);
  const lines = sources.get(file)?.split(/\r\n|\r|\n/) ?? [];
  return lines[line - 1]?.trim().slice(0, 120) ?? '';
}
