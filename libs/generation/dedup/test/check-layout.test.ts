import { createParser, type Parser } from '@h/syntax';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasSoundLayout } from '../src/check-layout.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser({ languages: ['python'] });
});
afterAll(() => parser.dispose());

// Each verdict is that of CPython 3.11's compile().
test.each([
  ['if a:\n    b()\n', true],
  ['if a:\n\tb()\n\tc()\n', true],
  ['if a:\n    if b:\n        c()\nd()\n', true],
  ['if a: b()\nc()\n', true],
  ['x = [\n        1,\n  2]\n', true],
  ['if a:\n    # b\n  # c\n    d()\n', true],
  ['x = {a:\n  b}\ny = z[a:\nb]\n', true],
  ['f = lambda: (\n   0)\n', true],
  ['if a:\n    b()\n\f\nc()\n', true],
  ['x = 1\n    y = 2\n', false],
  ['    x = 1\n', false],
  ['if a:\n    b()\n   c()\n', false],
  ['if a:\nb()\n', false],
  ['if a:\n', false],
  ['if a:\n\tb()\n        c()\n', false],
  ['if a:\n        b()\n\tc()\n', false],
  ['if a:\n        if b:\n\tc()\n', false],
  ['while a:\n    b()\n      c()\n', false],
])('%j: %s', (text, isSound) => {
  expect(hasSoundLayout(text, parser.tokens(text, 'python'))).toBe(isSound);
});
