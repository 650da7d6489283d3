// Pieces of a file around a place: what stands near is likelier to be meant.
import { firstNotBefore, type OffsetRange } from './copy-tree.ts';

/** Pieces around an offset, each text once: those of a range first, then nearest in the row of all. Looks at `limit` of them; they are in source order. */
export function nearestTexts<Piece extends { readonly text: string; readonly start: number }>(
  pieces: readonly Piece[],
  { offset, around, limit }: { offset: number; around: OffsetRange | undefined; limit: number },
): { readonly near: Piece[]; readonly far: Piece[] } {
  const near: Piece[] = [];
  const far: Piece[] = [];
  const seen = new Set<string>();
  const here = firstNotBefore(pieces, ({ start }) => start < offset);
  for (let step = 1; step <= limit; step++) {
    const distance = step >> 1;
    const piece = pieces[step % 2 === 0 ? here - distance : here + distance];
    if (!piece || seen.has(piece.text)) continue;
    seen.add(piece.text);
    const isNear = around !== undefined && around[0] <= piece.start && piece.start < around[1];
    (isNear ? near : far).push(piece);
  }
  return { near, far };
}
