import { describe, expect, test } from 'vitest';
import { comparisonOperators } from '../../src/templates/comparison-operators.ts';
import { type Case, resultsOf } from '../results-of.ts';

/** `^` stands for the operator that changes. */
async function check(statement: string, operator: string, others: string[], options: Case = {}): Promise<void> {
  const before = statement.replace('^', operator);
  const expected = others.map((other) => statement.replace('^', other));
  expect(await resultsOf(comparisonOperators.name, before, options)).toEqual(expected.sort());
}

describe('comparisonOperators', () => {
  const ts = { path: 'case.ts' };

  test.each([
    ['<', ['<=', '>', '>=', '==', '!=']],
    ['>=', ['<', '<=', '>', '==', '!=']],
    ['==', ['!=', '<', '<=', '>', '>=', 'is', 'in']],
    ['!=', ['==', '<', '<=', '>', '>=', 'is not', 'not in']],
    ['is', ['is not', '==']],
    ['is not', ['is', '!=']],
    ['in', ['not in', '==']],
    ['not in', ['in', '!=']],
  ])('crosses %s in Python', async (operator, others) => {
    await check('if a ^ b: pass', operator, others);
    await check('x = [i for i in y if i ^ (b)]', operator, others);
  });

  test.each([
    ['<', ['<=', '>', '>=', '===', '!==']],
    ['===', ['!==', '<', '<=', '>', '>=', '==']],
    ['!=', ['==', '!==', '<', '<=', '>', '>=']],
  ])('crosses %s in TypeScript', async (operator, others) => {
    await check('if (a ^ b) {}', operator, others, ts);
    await check('for (; a ^ b; ) {}', operator, others, ts);
  });

  test('changes one link of a chain at a time', async () => {
    const results = await resultsOf(comparisonOperators.name, 'x = 0 <= i < n');
    expect(results).toHaveLength(10);
    expect(results).toEqual(expect.arrayContaining(['x = 0 < i < n', 'x = 0 <= i <= n', 'x = 0 != i < n']));
  });

  test('asks no order of what has none', async () => {
    await check('x = a ^ None', 'is', ['is not', '==']);
    await check('x = a ^ "s"', '==', ['!=', 'in']);
    await check('x = a ^ "s"', '<', ['<=', '>', '>=', '==', '!=']);
    await check('x = typeof a ^ "string";', '===', ['!==', '=='], ts);
    await check('x = a ^ null;', '==', ['!=', '==='], ts);
    await check('x = a ^ 1', '==', ['!=', '<', '<=', '>', '>=', 'in']);
  });

  test('keeps the grouping where the precedence differs', async () => {
    const results = await resultsOf(comparisonOperators.name, 'x = a + 1 === b < c;', ts);
    expect(results).toContain('x = a + 1 === (b === c);');
    expect(results).toContain('x = a + 1 === b === c;');
    expect(results).toContain('x = a + 1 < (b < c);');
    expect(await resultsOf(comparisonOperators.name, 'x = not a in b')).toEqual([
      'x = not a == b',
      'x = not a not in b',
    ]);
  });

  test('keeps signs apart', async () => {
    expect(await resultsOf(comparisonOperators.name, 'x = a<-b')).toContain('x = a<= -b');
    expect(await resultsOf(comparisonOperators.name, 'x = a==-b')).toContain('x = a is-b');
  });

  test('leaves texts, comments and types alone', async () => {
    expect(await resultsOf(comparisonOperators.name, 'x = "a < b"  # c < d')).toEqual([]);
    expect(await resultsOf(comparisonOperators.name, 'x = f"{y!r:<5} < "')).toEqual([]);
    expect(await resultsOf(comparisonOperators.name, 'x = f<number>(a) as Map<string, 1>;', ts)).toEqual([]);
    expect(await resultsOf(comparisonOperators.name, 'const f = <T extends U>(a: T) => /a<b/;', ts)).toEqual([]);
    expect(await resultsOf(comparisonOperators.name, 'x = <a>b &lt; c</a>;', { path: 'case.tsx' })).toEqual([]);
    expect(await resultsOf(comparisonOperators.name, 'for (const a in b) {}', ts)).toEqual([]);
    expect(await resultsOf(comparisonOperators.name, 'for a in b: pass')).toEqual([]);
  });

  test('works inside interpolations', async () => {
    expect(await resultsOf(comparisonOperators.name, 'x = f"{a in b}"')).toEqual([
      'x = f"{a == b}"',
      'x = f"{a not in b}"',
    ]);
    expect(await resultsOf(comparisonOperators.name, `x = \`\${a == null}\`;`, ts)).toEqual([
      `x = \`\${a != null}\`;`,
      `x = \`\${a === null}\`;`,
    ]);
  });
});
