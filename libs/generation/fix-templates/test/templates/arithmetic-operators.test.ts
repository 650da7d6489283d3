import { describe, expect, test } from 'vitest';
import { arithmeticOperators } from '../../src/templates/arithmetic-operators.ts';
import { resultsOf } from '../results-of.ts';

const results = (text: string, path = 'case.py') => resultsOf(arithmeticOperators.name, text, { path });

describe('arithmeticOperators', () => {
  test('crosses every operator', async () => {
    const others = ['%', '&', '*', '**', '-', '/', '//', '<<', '>>', '^', '|'];
    expect(await results('print(a + b)')).toEqual(others.map((other) => `print(a ${other} b)`).sort());
    const inScript = ['%', '&', '*', '**', '+', '/', '<<', '>>', '>>>', '^', '|'];
    expect(await results('f(a - b);', 'case.ts')).toEqual(inScript.map((other) => `f(a ${other} b);`).sort());
    const augmented = ['', '%', '&', '*', '**', '-', '/', '//', '<<', '>>', '^', '|'];
    expect(await results('x += y')).toEqual(augmented.map((other) => `x ${other}= y`).sort());
  });

  test('keeps the grouping, and proposes the plain change beside it', async () => {
    const found = await results('print(a + b * c)');
    expect(found).toEqual(expect.arrayContaining(['print(a * (b * c))', 'print(a * b * c)', 'print(a - b * c)']));
    expect(found).toEqual(expect.arrayContaining(['print(a + (b - c))', 'print(a + b - c)', 'print(a + b / c)']));
    expect(await results('print((a + b) * c)')).toContain('print((a - b) * c)');
  });

  test('puts a sign under a power in parentheses', async () => {
    expect(await results('f(-a * b);', 'case.ts')).toContain('f((-a) ** b);');
    expect(await results('f(-a * b);', 'case.ts')).not.toContain('f(-a ** b);');
    expect(await results('print(-a * b)')).toContain('print((-a) ** b)');
    expect(await results('print(await a * b)')).toContain('print(await a ** b)');
    expect(await results('print(-a ** b)')).toEqual(expect.arrayContaining(['print(-(a * b))', 'print(-a * b)']));
  });

  test('keeps signs apart', async () => {
    expect(await results('print(a+-b)')).toEqual(expect.arrayContaining(['print(a- -b)', 'print(a** -b)']));
    expect(await results('f(a-+b);', 'case.ts')).toContain('f(a+ +b);');
  });

  test('gives text what text takes', async () => {
    expect(await results('print("%s" % a)')).toEqual(['print("%s" * a)', 'print("%s" + a)']);
    expect(await results(`f(\`a\${b}\` + c);`, 'case.ts')).toEqual([]);
    expect(await results('f("a" - c);', 'case.ts')).toEqual(['f("a" + c);']);
  });

  test('changes updates, signs and assignments', async () => {
    expect(await results('i++;', 'case.ts')).toEqual(['i--;']);
    expect(await results('f(--i);', 'case.ts')).toEqual(['f(++i);']);
    expect(await results('print(-y)')).toEqual(['print(y)']);
    expect(await results('x ||= y;', 'case.ts')).toEqual(['x &&= y;', 'x = y;', 'x ??= y;']);
    expect(await results('x = 1\nx = y')).toEqual(['x += y', 'x -= y']);
    expect(await results('x = y')).toEqual([]);
    expect(await results('x: int = y')).toEqual([]);
    expect(await results('const x = y;', 'case.ts')).toEqual([]);
  });

  test('leaves stars of arguments, annotations and regular expressions alone', async () => {
    expect(await results('def f(a, *b: int | None, **c) -> int | None: pass')).toEqual([]);
    expect(await results('print(*a, **b)')).toEqual([]);
    expect(await results('const f = (a: A | B, ...b: (1 & 2)[]): A => /a-b+/;', 'case.ts')).toEqual([]);
    expect(await results('function* f() { yield* a; }', 'case.ts')).toEqual([]);
  });
});
