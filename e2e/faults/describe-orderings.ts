// The ablation: how early the original text comes by each part of the order alone, and by all of it.
import { ORDERINGS, type Placed } from './measure-proposals.ts';

export interface OrderingFigures {
  readonly within_100: number;
  readonly within_300: number;
  /** Mean position where the original is proposed at all. */
  readonly mean: number;
}

export function orderingFigures(rows: readonly Placed[]): [ordering: string, figures: OrderingFigures][] {
  return ORDERINGS.map((ordering) => {
    const positions = rows.map(({ positions: all }) => all?.[ordering] ?? Number.POSITIVE_INFINITY);
    const within = (limit: number) => shareOf(positions.filter((position) => position <= limit).length, rows.length);
    const found = positions.filter((position) => Number.isFinite(position));
    const mean = Math.round(found.reduce((sum, position) => sum + position, 0) / Math.max(1, found.length));
    return [ordering, { within_100: within(100), within_300: within(300), mean }];
  });
}

/** One line an ordering. */
export function describeOrderings(rows: readonly Placed[]): string {
  return orderingFigures(rows)
    .map(
      ([name, one]) =>
        `  ${name}: original within 100 ${one.within_100}, within 300 ${one.within_300}, mean ${one.mean}`,
    )
    .join('\n');
}

export function shareOf(count: number, of: number): number {
  return Number((count / Math.max(1, of)).toFixed(4));
}
