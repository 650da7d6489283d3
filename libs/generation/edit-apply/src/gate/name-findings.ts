import type { GateDiagnostic } from '@h/contracts';

/** A name that nothing defines, or an import that nothing uses. */
export interface NameFinding extends GateDiagnostic {
  readonly reason: 'undefined_name' | 'unused_import';
  readonly name: string;
}

/** All findings of a text, by place; undefined when no verdict is possible. */
export type FindNames = (text: string, path: string) => readonly NameFinding[] | undefined;

/** Those whose name had no such finding before; undefined names first, then by place. */
export function newFindings(after: readonly NameFinding[], before: readonly NameFinding[]): NameFinding[] {
  const known = new Set(before.map(({ reason, name }) => `${reason} ${name}`));
  const fresh = after.filter(({ reason, name }) => !known.has(`${reason} ${name}`));
  return fresh.sort(
    (a, b) =>
      Number(a.reason === 'unused_import') - Number(b.reason === 'unused_import') ||
      a.line - b.line ||
      a.column - b.column,
  );
}
