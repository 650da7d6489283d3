import type { SpectrumStatement } from '@h/contracts';
import { type Locate, locateStatements } from './locate-statements.ts';

/** What the places of the statements say; worked out once, where it is asked for. */
export interface StatementPlaces {
  /** Per statement its position among all by file in code-unit order, then first line. */
  readonly order: () => Uint32Array;
  readonly locate: Locate;
  /** Per statement 0 for one that does something, 1 for an import or a definition. */
  readonly kinds: () => Uint8Array;
  /** Per statement its distance from a failure where no test names it: farther than any that is named, farthest what ran while loading. */
  readonly unnamed: () => Float64Array;
}

export function placeStatements(statements: readonly SpectrumStatement[]): StatementPlaces {
  let order: Uint32Array | undefined;
  let locate: Locate | undefined;
  let kinds: Uint8Array | undefined;
  let unnamed: Float64Array | undefined;
  return {
    unnamed() {
      const distance = (loaded?: boolean) => (loaded === true ? Number.POSITIVE_INFINITY : Number.MAX_VALUE);
      unnamed ??= Float64Array.from(statements, ({ loaded }) => distance(loaded));
      return unnamed;
    },
    kinds() {
      kinds ??= Uint8Array.from(statements, ({ kind }) => (kind === 'statement' ? 0 : 1));
      return kinds;
    },
    order() {
      order ??= orderPlaces(statements);
      return order;
    },
    locate(file, line) {
      locate ??= locateStatements(statements);
      return locate(file, line);
    },
  };
}

function orderPlaces(statements: readonly SpectrumStatement[]): Uint32Array {
  const order = Uint32Array.from(statements.keys());
  if (
    statements.every(
      (statement, index) => index === 0 || comparePlaces(statements[index - 1] ?? statement, statement) < 0,
    )
  )
    return order;
  const sorted = [...statements.entries()].sort(([, a], [, b]) => comparePlaces(a, b));
  for (const [position, [index]] of sorted.entries()) order[index] = position;
  return order;
}

function comparePlaces(a: SpectrumStatement, b: SpectrumStatement): number {
  return compareText(a.file, b.file) || a.first - b.first;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
