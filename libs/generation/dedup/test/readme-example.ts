import { deduplicate } from '@h/dedup';
import { createParser } from '@h/syntax';

const before = 'def area(w, h):\n    return w + h\n';
const bodies = ['return w * h', 'return w*h  # fixed', 'return w - h', 'return w + h  # fine'];
const candidates = bodies.map((body, i) => ({
  candidate_id: `${i}`,
  files: [{ path: 'area.py', before, after: `def area(w, h):\n    ${body}\n` }],
}));
export const result = deduplicate(candidates, { parser: await createParser({ languages: ['python'] }) });
// kept: candidates 0 and 2; votes { 0: 2, 2: 1 }; collapsed [{ kept: '0', dropped: '1', rung: 'tokens', … }]; no_ops: candidate 3
