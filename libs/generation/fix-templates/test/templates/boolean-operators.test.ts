import { describe, expect, test } from 'vitest';
import { booleanOperators } from '../../src/templates/boolean-operators.ts';
import { resultsOf } from '../results-of.ts';

const results = (text: string, path = 'case.py') => resultsOf(booleanOperators.name, text, { path });
const inTypeScript = (text: string) => results(text, 'case.ts');

describe('booleanOperators', () => {
  test('swaps, drops and negates', async () => {
    expect(await results('x = a and b')).toEqual([
      'x = a',
      'x = a and not b',
      'x = a or b',
      'x = b',
      'x = not a and b',
    ]);
    expect(await inTypeScript('x = a && b;')).toEqual(
      ['x = a;', 'x = b;', 'x = !a && b;', 'x = a && !b;', 'x = a || b;', 'x = a ?? b;'].sort(),
    );
  });

  test('takes a negation away', async () => {
    expect(await results('x = not a')).toEqual(['x = a']);
    expect(await results('x = not(a)')).toEqual(['x = (a)']);
    expect(await results('if not a.b(c): pass')).toEqual(['if a.b(c): pass']);
    expect(await results('x = not a == b')).toEqual(['x = a == b']);
    expect(await inTypeScript('if (!a) {}')).toEqual(['if (a) {}']);
    expect(await inTypeScript('x = !(a, b);')).toEqual(['x = (a, b);']);
    expect(await inTypeScript('x = !!a;')).toEqual(['x = !a;']);
    expect(await inTypeScript('!function () {}();')).toEqual([]);
  });

  test('groups as before', async () => {
    const mixed = await results('x = a and (b or c)');
    expect(mixed).toEqual(
      expect.arrayContaining(['x = a or (b or c)', 'x = a and (b and c)', 'x = a and not (b or c)']),
    );
    expect(await results('x = a or b and c')).toContain('x = a and b and c');
    expect(await results('x = a and b or c')).toContain('x = a or b or c');
    expect(await results('x = a and (lambda: b) or c')).toContain('x = (lambda: b) or c');
  });

  test('puts what ?? refuses in parentheses', async () => {
    expect(await inTypeScript('x = a && b || c;')).toEqual(
      expect.arrayContaining(['x = (a ?? b) || c;', 'x = (a && b) ?? c;', 'x = a || b || c;', 'x = a && b && c;']),
    );
    expect(await inTypeScript('x = a ?? b ?? c;')).toEqual(
      expect.arrayContaining(['x = (a || b) ?? c;', 'x = (a ?? b) || c;', 'x = b ?? c;']),
    );
    expect(await inTypeScript('x = a || (b as boolean);')).toContain('x = a || !(b as boolean);');
  });

  test('negates no comparison, literal or negation', async () => {
    const negated = (found: string[]) => found.filter((text) => text.includes('not '));
    expect(negated(await results('x = a < b and 1'))).toEqual([]);
    expect(negated(await results('x = a and not b'))).toEqual(
      ['x = a or not b', 'x = not a and not b', 'x = not b'].sort(),
    );
  });

  test('leaves texts and types alone', async () => {
    expect(await results('x = "a and b"  # not c')).toEqual([]);
    expect(await inTypeScript('let x: A | B & C = d!;')).toEqual([]);
  });
});
