import { expect, test } from 'vitest';
import { normalizeSeed } from '../src/normalize-seed.ts';

test('strips lines, collapses blanks, drops comment lines and empty ones', () => {
  expect(normalizeSeed('  a  =\t1 \r\n\n# one\nb = 2  # two\n', 'python')).toEqual(['a = 1', 'b = 2 # two']);
  expect(normalizeSeed('  // one\n  a;\n# b\n', 'javascript')).toEqual(['a;', '# b']);
  expect(normalizeSeed('// one\n# two\na', undefined)).toEqual(['a']);
});
