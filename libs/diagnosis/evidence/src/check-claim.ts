import type { Claim, ClaimCheck, EvidencePack, ValueText } from '@h/contracts';
import { compareValues, isSameType } from './compare-values.ts';
import { findBranches, findReturns, findVariables } from './find-values.ts';

/**
 * What the pack says of a claim: `supported` where an observation there holds that value, `contradicted` where observations there hold others, `absent`
 * where nothing was observed there, or no more than the head of a value that was cut. A claim that is not supported may not be cited.
 *
 * Without `execution_id` any run of the pack will do. A branch claim is about the decision at its location: "true", "taken", "case 2".
 */
export function checkClaim(pack: EvidencePack, claim: Claim): ClaimCheck {
  const found = findClaimed(pack, claim);
  const verdicts = found.map((value) => compare(claim, value));
  const verdict = verdicts.includes('equal')
    ? 'supported'
    : found.length === 0 || verdicts.includes('unknown')
      ? 'absent'
      : 'contradicted';
  return { claim, verdict, ...(found.length === 0 ? {} : { observed: found }) };
}

export function checkClaims(pack: EvidencePack, claims: readonly Claim[]): ClaimCheck[] {
  return claims.map((claim) => checkClaim(pack, claim));
}

function findClaimed(pack: EvidencePack, claim: Claim): ValueText[] {
  const { kind, value, name } = claim;
  if (kind === 'variable') return findVariables(pack, claim).map((found) => found.value);
  if (kind === 'return') return findReturns(pack, claim).map((found) => found.value);
  // A branch has no name of its own: none, "branch", or what was taken.
  if (name !== '' && name !== 'branch' && name !== value.text) return [];
  return findBranches(pack, claim).map((found) => found.value);
}

function compare(claim: Claim, observed: ValueText) {
  if (claim.kind !== 'branch') return compareValues(claim.value, observed);
  if (!isSameType(claim.value.type, 'branch') && !isSameType(claim.value.type, 'bool')) return 'different';
  return !claim.value.truncated && isSameBranch(claim.value.text, observed.text) ? 'equal' : 'different';
}

const taken = new Set(['true', 'iteration']);
const notTaken = new Set(['false', 'done']);

/** Whether a claimed decision is the observed one; "taken" is true or an iteration, "not taken" false or the end of a loop. */
export function isSameBranch(claimed: string, observed: string): boolean {
  const text = claimed.trim().toLowerCase();
  if (text === 'taken') return taken.has(observed);
  if (text === 'not taken') return notTaken.has(observed);
  return text === observed.toLowerCase();
}
