import { type Sha, sha256Hex } from '@h/contracts';
import type { DedupCandidate } from '../src/index.ts';

/** A candidate that turns `before` into `after`; its id comes from `name`. */
export function candidate(name: string, path: string, before: string | undefined, after: string | undefined) {
  return {
    candidate_id: sha256Hex(name) as Sha,
    files: [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }],
  } satisfies DedupCandidate;
}
