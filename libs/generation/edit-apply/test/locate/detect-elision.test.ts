import { expect, test } from 'vitest';
import { elisionLines } from '../../src/locate/detect-elision.ts';

test.each([
  '# ...',
  '    # …',
  '// ... existing code ...',
  '/* ... */',
  '{/* ... rest of component ... */}',
  '<!-- ... -->',
  '-- ...',
  '# rest of the function',
  '// rest of code…',
  '# the rest of the code remains the same',
  '# existing code here',
  '// other methods unchanged',
  '# unchanged',
  '# imports omitted for brevity',
  '# … same as before …',
  '// ... keep the tests as they are',
  '; remaining lines unchanged.',
])('%j stands for text that is not there', (line) => {
  expect(elisionLines(`a\n${line}\nb`)).toEqual([line.trim()]);
});

test.each([
  '...',
  'x = ...',
  'def f(): ...',
  'f(...args)',
  '# Parse the body...',
  '# process remaining items...',
  '# 1...5',
  '# ---',
  '// ...args',
  '# the original code was wrong',
  '# the rest of the code assumes x',
  '// keep this',
  '--i;',
  '"# ..."',
  '# and so on',
  `# ${'...'.padStart(300, 'x')}`,
])('%j does not', (line) => {
  expect(elisionLines(`a\n${line}\nb`)).toEqual([]);
});

test('costs little on a long line', () => {
  expect(elisionLines(`# ${' '.repeat(1_000_000)}`)).toEqual([]);
});
