import { describe, expect, test } from 'vitest';
import { donors } from '../../src/templates/donors.ts';
import { type Case, textsOf } from '../results-of.ts';

const of = (text: string, options: Case = {}) => textsOf(donors.name, text, options);

describe('donors', () => {
  test('the guard of another function, with the name of the place', async () => {
    const text =
      'def f(value):\n    if not isinstance(value, A):\n        raise B(value)\n    return 1\n\ndef g(other):\n    return other.x\n';
    const found = await of(text, { line: 7 });
    expect(found['guard-raise']).toEqual([
      text.replace(
        '    return other.x',
        '    if not isinstance(other, A):\n        raise B(other)\n    return other.x',
      ),
    ]);
  });

  test('JavaScript: on one line, and never a jump that has no loop', async () => {
    const text =
      'function f(xs) {\n  for (const x of xs) {\n    if (x.done) continue;\n    g(x);\n  }\n}\nfunction h(y) {\n  if (y.old) return;\n  k(y);\n}\nfunction m(z) {\n  return z.n;\n}\n';
    const found = await of(text, { path: 'a.js', line: 12 });
    expect(found['guard-continue']).toBeUndefined();
    expect(found['guard-return']?.[0]).toBe(text.replace('  return z.n;', '  if (z.old) return;\n  return z.n;'));
  });

  test('a part of a condition that the function has elsewhere, on both sides', async () => {
    const text = 'def f(a, b):\n    while a and b > 1:\n        g()\n    if b > 1:\n        h()\n';
    const found = await of(text, { line: 4 });
    expect(found['condition-and-front']).toContain(text.replace('if b > 1:', 'if a and b > 1:'));
    expect(found['condition-and-back']).toContain(text.replace('if b > 1:', 'if b > 1 and a:'));
    expect(found['condition-or-back']).toContain(text.replace('if b > 1:', 'if b > 1 or a:'));
  });

  test('a value that is written like it, where its names are known', async () => {
    const text =
      'def f(a):\n    x = a.left.size\n    y = a.right.size\n    return x\n\ndef g(c):\n    return c.left.size\n';
    const found = await of(text, { line: 3 });
    expect(found['value-first']).toEqual([text.replace('a.right.size', 'a.left.size')]);
    expect(JSON.stringify(found)).not.toContain('y = c.');
  });

  test('a statement of another place, before and at the end of a block', async () => {
    const text = 'def f(a):\n    if a:\n        a.sort()\n        return a\n    b = 1\n    a.clear()\n';
    const found = await of(text, { line: 6 });
    expect(found['statement-before']?.[0]).toBe(text.replace('    a.clear()', '    a.sort()\n    a.clear()'));
    expect(found['statement-after']?.[0]).toBe(`${text}    a.sort()\n`);
  });

  test('a name that gives way does so where it is read: no text, no keyword, no key, no name of the code itself', async () => {
    const text =
      "def f(name, opts):\n    if check(name, name=name) and 'name' in f'{name} name':\n        raise ValueError('name is bad', name)\n    return call(opts)\n\n\ndef g(other, opts):\n    return call(other)\n";
    const found = await of(text, { line: 8 });
    expect(found['guard-raise']?.[0]).toBe(
      text.replace(
        '    return call(other)',
        "    if check(other, name=other) and 'name' in f'{other} name':\n        raise ValueError('name is bad', other)\n    return call(other)",
      ),
    );
    const keys =
      'function f(name) {\n  if (check({ name }, "name")) return;\n  k(name);\n}\nfunction m(z) {\n  return z.n;\n}\n';
    const shorthand = await of(keys, { path: 'a.js', line: 6 });
    expect(shorthand['guard-return']?.[0]).toBe(
      keys.replace('  return z.n;', '  if (check({ name: z }, "name")) return;\n  return z.n;'),
    );
    const own =
      'def f(rows):\n    if any(row.x for row in f(1)):\n        return 1\n\ndef g(other):\n    return other.x\n';
    expect(JSON.stringify(await of(own, { line: 6 }))).not.toContain('for row in');
    const caught = own.replace('row.x for row in f(1)', 'other > rows for other in f(1)');
    expect(JSON.stringify(await of(caught, { line: 6 }))).not.toContain('for other in');
  });

  test.each([
    ['await', 'async def f(a):\n    if await a.ok():\n        return 1\n\ndef g(a):\n    if a.x:\n        return 1\n'],
    ['yield', 'def f(a):\n    if (yield a):\n        return 1\n\ndef g(a):\n    if a.x:\n        return 1\n'],
  ])('nothing with %s', async (word, text) => {
    const found = JSON.stringify(await of(text, { line: 6 })).split(word).length;
    expect(found - 1).toBe(Object.values(await of(text, { line: 6 })).flat().length);
  });
});
