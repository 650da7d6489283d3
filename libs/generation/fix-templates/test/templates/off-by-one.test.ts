import { describe, expect, test } from 'vitest';
import { offByOne } from '../../src/templates/off-by-one.ts';
import { resultsOf } from '../results-of.ts';

const check = async (statement: string, expected: string[], path = 'case.py') => {
  expect(await resultsOf(offByOne.name, statement, { path })).toEqual([...expected].sort());
};

/** `@` stands for the text that gains or loses one. */
const shifted = (statement: string, text: string) => [
  statement.replace('@', `${text} + 1`),
  statement.replace('@', `${text} - 1`),
];

describe('offByOne', () => {
  test('ranges', async () => {
    await check('for i in range(n): pass', [...shifted('for i in range(@): pass', 'n'), 'for i in range(1, n): pass']);
    await check('for i in range(a, 5): pass', shifted('for i in range(@, 5): pass', 'a'));
    await check('for i in range(1, len(x) - 1): pass', ['for i in range(1, len(x)): pass']);
  });

  test('indexes and slices', async () => {
    await check('print(a[i])', shifted('print(a[@])', 'i'));
    await check('f(a[i])', [...shifted('f(a[@])', 'i'), ...shifted('f(@)', 'a[i]')]);
    await check('del a[i:j]', [...shifted('del a[@:j]', 'i'), ...shifted('del a[i:@]', 'j')]);
    await check('del a[-1]', []);
    await check('del a[2]', []);
    await check('f.b[i]!.c = 1;', shifted('f.b[@]!.c = 1;', 'i'), 'case.ts');
    await check('del a[i if b else 0]', [
      ...shifted('del a[@ if b else 0]', 'i'),
      ...shifted('del a[@]', '(i if b else 0)'),
    ]);
    await check('del a[b | c]', [
      ...shifted('del a[@]', '(b | c)'),
      ...shifted('del a[@ | c]', 'b'),
      ...shifted('del a[b | @]', 'c'),
    ]);
  });

  test('comparisons: the side that says all', async () => {
    await check('if i < n: pass', shifted('if i < @: pass', 'n'));
    await check('if i < 5: pass', []);
    await check('if i == n: pass', shifted('if i == @: pass', 'n'));
    await check('if i == "s": pass', []);
    await check('if i in n: pass', []);
    await check(
      'for (let i = 0; i < n.length; i++) {}',
      shifted('for (let i = 0; i < @; i++) {}', 'n.length'),
      'case.ts',
    );
    await check(
      'if (a < b | c) {}',
      shifted('if (a < @ | c) {}', 'b').concat(shifted('if (a < b | @) {}', 'c')),
      'case.ts',
    );
  });

  test('returned, assigned and passed integers', async () => {
    await check('return len(a)', shifted('return @', 'len(a)'));
    await check('x = a * 2', ['x = a * 2 + 1', 'x = a * 2 - 1', 'x = (a + 1) * 2', 'x = (a - 1) * 2']);
    await check('x = a + b * c', [
      ...shifted('x = @', 'a + b * c'),
      'x = a + (b + 1) * c',
      'x = a + (b - 1) * c',
      'x = a + b * (c + 1)',
      'x = a + b * (c - 1)',
    ]);
    await check('def f(n):\n    f(n)', shifted('f(@)', 'n'));
    await check('x = a.slice(i);', [...shifted('x = a.slice(@);', 'i'), ...shifted('x = @;', 'a.slice(i)')], 'case.ts');
    await check('const f = (a) => a.length;', shifted('const f = (a) => @;', 'a.length'), 'case.ts');
  });

  test('takes one away', async () => {
    await check('del a[i + 1]', ['del a[i]']);
    await check('del a[1 + i]', ['del a[i]']);
    await check('del a[1 - i]', []);
    await check('del a[(i - 1) * 2]', [...shifted('del a[@]', '(i - 1) * 2'), 'del a[(i) * 2]']);
    await check('f(a[i - 1]!);', ['f(a[i]!);', ...shifted('f(@);', 'a[i - 1]!')], 'case.ts');
  });

  test('leaves alone what is no integer', async () => {
    for (const statement of [
      'x = "a"',
      'print(*a)',
      'x = not a',
      'x: a = None',
      'x = a < 3',
      'x = len(a)[1:]',
      'print(a)',
    ]) {
      await check(statement, []);
    }
    await check('const x: A[0] = b as C[1];', [], 'case.ts');
  });
});
