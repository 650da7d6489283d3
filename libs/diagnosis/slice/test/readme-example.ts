import { sliceRows } from '../src/index.ts';

// Your own trace of: def f(n): note = n * n; k = n % 2; x = 1 if k else 2; return x
const frame = { function: 'f', frame: 0, may_defs: [], control_parent: 0, completed: true };
const rows = [
  { ...frame, role: 'entry' as const, location: 'a.py:1', defs: ['n'], uses: [] },
  { ...frame, role: 'statement' as const, location: 'a.py:2', defs: ['note'], uses: ['n'] },
  { ...frame, role: 'statement' as const, location: 'a.py:3', defs: ['k'], uses: ['n'] },
  { ...frame, role: 'statement' as const, location: 'a.py:4', defs: ['x'], uses: ['k'] },
  { ...frame, role: 'return' as const, location: 'a.py:5', defs: [], uses: ['x'] },
].map((row, sequence) => ({ ...row, sequence }));
const { rows: slice } = sliceRows(rows, [4]); // what the return depends on
console.log(slice.map(({ sequence, relation }) => `${rows[sequence]?.location} ${relation}`));
// [ 'a.py:5 root', 'a.py:4 data_dependency', 'a.py:3 data_dependency', 'a.py:1 data_dependency' ]: the note is left out
