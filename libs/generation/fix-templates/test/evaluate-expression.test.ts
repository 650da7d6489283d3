import { expect, test } from 'vitest';
import { evaluateExpression } from '../src/evaluate-expression.ts';
import { javascript } from '../src/languages/javascript.ts';
import { python } from '../src/languages/python.ts';
import { readRendered, type Value } from '../src/seen-value.ts';

function bindingsOf(values: Record<string, string>): Map<string, Value> {
  const types: Record<string, string> = { '[': 'list', '(': 'tuple', '{': 'dict' };
  return new Map(
    Object.entries(values).flatMap(([name, text]) => {
      const value = readRendered(text, types[text[0] ?? ''] ?? '');
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function check(
  language: 'python' | 'javascript',
  text: string,
  expected: unknown,
  values: Record<string, string> = {},
) {
  const grammar = language === 'python' ? python : javascript;
  const value = evaluateExpression(text, grammar, bindingsOf(values));
  const shown =
    value === undefined
      ? undefined
      : value.kind === 'none'
        ? value.name
        : value.kind === 'object'
          ? value.text
          : value.value;
  expect(shown, text).toBe(expected);
}

test('Python: precedence, chains, floor division and truth', () => {
  check('python', '1 + 2 * 3', 7);
  check('python', '-7 // 2', -4);
  check('python', '-7 % 3', 2);
  check('python', '-2 ** 2', -4);
  check('python', '2 ** 3 ** 2', 512);
  check('python', '1 < 2 < 2', false);
  check('python', '0 < x <= 3', true, { x: '3' });
  check('python', 'not x and y', false, { x: '1', y: '2' });
  check('python', "x or 'a'", 'a', { x: "''" });
  check('python', 'a if n else b', 2, { a: '1', b: '2', n: '[]' });
  check('python', 'x is not None', false, { x: 'None' });
  check('python', "'b' not in x", true, { x: "'acd'" });
  check('python', 'len(x) - 1', 1, { x: '[(1, 2), 3]' });
  check('python', 'x[-1]', 3, { x: '[(1, 2), 3]' });
  check('python', 'self.total + 1', 4, { self: "Bill{name: 'a, b', total: 3}" });
  check('python', '7 / 2', 3.5);
});

test('JavaScript: precedence, equality, length and optional chains', () => {
  check('javascript', '1 + 2 * 3', 7);
  check('javascript', 'a === b', false, { a: '1', b: '"1"' });
  check('javascript', 'a == null', true, { a: 'undefined' });
  check('javascript', 'a === null', false, { a: 'undefined' });
  check('javascript', 'x ?? 5', 0, { x: '0' });
  check('javascript', 'x || 5', 5, { x: '0' });
  check('javascript', '!x', false, { x: '{a: 1}' });
  check('javascript', 'x > 1 ? "a" : "b"', 'b', { x: '1' });
  check('javascript', 'x.length', 3, { x: '"abc"' });
  check('javascript', 'x?.y', 'undefined', { x: 'null' });
  check('javascript', '(a + b) % 3', 2, { a: '4', b: '1' });
});

test('what cannot be told without running the program is not told', () => {
  for (const text of [
    'f(x)',
    'x.y()',
    'x + y',
    'i++ < 3',
    'x := 3',
    "f'{x}'",
    'lambda: 1',
    '[1, 2][0]',
    'x.size',
    '1 / 0',
    'x if',
    '0.1 if f() else 2',
  ])
    check('python', text, undefined, { x: '3', i: '1' });
  for (const text of ['f(x)', 'i++ < 3', 'x => x', '`a`', 'await x', 'x + "a"', 'new X()', '/a/.test(x)', '(x = 3)'])
    check('javascript', text, undefined, { x: '3', i: '1' });
  // `==` of a class of the program, numbers that a double cannot hold, and values that were cut.
  check('python', 'x == 1', undefined, { x: 'Money{cents: 1}' });
  check('python', 'x + 1', undefined, { x: '9007199254740993' });
  check('python', "x == 'a…'", undefined, { x: "'a…'" });
  check('python', 'x[0]', undefined, { x: '{0: 1}' });
});
