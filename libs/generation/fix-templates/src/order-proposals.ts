import type { CandidateBatch, ProposedEdit } from '@h/contracts';

/** Merges batches into the order in which a budget should be spent: highest score first, then the order of the batches. */
export function orderProposals(batches: Iterable<CandidateBatch>, { limit }: { limit: number }): ProposedEdit[] {
  const all: ProposedEdit[] = [];
  for (const { candidates } of batches) all.push(...candidates);
  return all.sort((left, right) => (right.score ?? 0) - (left.score ?? 0)).slice(0, limit);
}
