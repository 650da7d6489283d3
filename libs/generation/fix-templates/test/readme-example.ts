import { orderProposals, proposeEdits } from '@h/fix-templates';
import { createParser } from '@h/syntax';

const text = 'def last(items):\n    if len(items) > 1:\n        return items[len(items)]\n    return None\n';
const batches = proposeEdits({
  files: [{ path: 'last.py', text }],
  targets: [
    { file: 'last.py', first: 3, last: 3, score: 0.9 },
    { file: 'last.py', first: 2, last: 2, score: 0.7 },
  ],
  parser: await createParser({ languages: ['python'] }),
});
export const edits = orderProposals(batches, { limit: 100 });
// edits[0].span is [3, 3], its block { search: 'len(items)', replace: 'len(items) - 1' }
