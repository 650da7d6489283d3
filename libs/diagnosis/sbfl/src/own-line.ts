import type { SpectrumStatement } from '@h/contracts';

/** A statement of a known file: first and last line, 1-based, inclusive. `block`: its block, where blocks are given. */
export type StatementLines = Pick<SpectrumStatement, 'first' | 'last' | 'kind'> & { readonly block?: number };

/** Statements of a file with the blocks they stand in, such as the `Outline` of `@h/syntax`. */
export interface OutlinedStatements {
  readonly statements: readonly StatementLines[];
  /** In source order, an enclosing one before what it encloses; `owner` is the index of the statement a block belongs to. */
  readonly blocks: readonly {
    readonly first: number;
    readonly last: number;
    readonly parent?: number;
    readonly owner?: number;
  }[];
  /** The text did not parse as a whole: a line between statements belongs to nobody then. */
  readonly partial?: boolean;
}

/**
 * The first line of the compound statement that a line between statements belongs to: `else:` or `finally:`, which stand before a block of
 * it, or a brace that opens or closes one. undefined where it is none of these.
 */
export function ownLine({ statements, blocks, partial }: OutlinedStatements, line: number): number | undefined {
  if (partial === true) return undefined;
  const inside = blocks.findLastIndex(({ first, last }) => first <= line && line <= last);
  const around = blocks[inside];
  if (around === undefined) return undefined;
  const next = blocks.find(({ first, parent }) => parent === inside && first >= line);
  const before = next?.owner === undefined ? undefined : statements[next.owner];
  const between = statements.some(
    ({ first, block }) => block === inside && first >= line && first < (next?.first ?? 0),
  );
  if (before !== undefined && before.first < line && !between) return before.first;
  return line === around.first || line === around.last ? statements[around.owner ?? -1]?.first : undefined;
}
