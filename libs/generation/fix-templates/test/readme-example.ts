import { orderProposals, proposeEdits } from '@h/fix-templates';
import { createParser } from '@h/syntax';

const text = 'def fee(age):\n    if age > 18:\n        return 10\n    return 5\n';
const batches = proposeEdits({
  files: [{ path: 'fee.py', text }],
  targets: [
    { file: 'fee.py', first: 2, last: 2, score: 0.9 },
    { file: 'fee.py', first: 3, last: 3, score: 0.7 },
  ],
  parser: await createParser({ languages: ['python'] }),
});
export const edits = orderProposals(batches, { limit: 100 });
// edits[0].span is [2, 2], its block { search: '>', replace: '>=' }
