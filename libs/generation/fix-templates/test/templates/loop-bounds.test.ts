import { describe, expect, test } from 'vitest';
import { loopBounds } from '../../src/templates/loop-bounds.ts';
import { resultsOf } from '../results-of.ts';

const filled = (statement: string, texts: readonly string[]) =>
  texts.map((text) => statement.replace('@', text)).sort();

describe('loopBounds', () => {
  test.each([
    ['y = range(@)', 'n', ['1, n + 1', 'n - 1, -1, -1', 'n, 0, -1', '0, n, 2']],
    ['y = range(@)', 'len(x) - 1', ['1, len(x)', 'len(x) - 1 - 1, -1, -1', 'len(x) - 1, 0, -1', '0, len(x) - 1, 2']],
    [
      'y = range(@)',
      '1, n + 1',
      ['n', 'n + 1', '0, n + 1', '2, n + 1 + 1', '0, n', 'n, 0, -1', '1, n + 1, -1', '1, n + 1, 2'],
    ],
    ['y = range(@)', 'a, b, 2', ['a, b', 'a, b, -2']],
    ['y = range(@)', 'a, b, -1', ['a, b', 'a, b, 1']],
    ['y = x[@]', '1:', [':', '1:-1', ':1']],
    ['y = x[@]', ':n', ['1:n', ':', 'n:']],
    ['y = x[@]', ':', ['1:', ':-1', '::-1']],
    ['y = x[@]', 'a:b:2', [':b:2', 'a::2', 'a:b']],
    ['y = range(*@)', 'a', []],
    ['y = x[@]', '1:, 0', []],
  ])('%s with %s', async (statement, text, expected) => {
    expect(await resultsOf(loopBounds.name, statement.replace('@', text))).toEqual(filled(statement, expected));
  });

  test('another part of what is iterated', async () => {
    expect(await resultsOf(loopBounds.name, 'for a in b: pass')).toEqual(
      filled('for a in @: pass', ['b[1:]', 'b[:-1]', 'b[::-1]', 'range(len(b))', 'range(b)']),
    );
    expect(await resultsOf(loopBounds.name, 'x = [a for a, c in enumerate(b)]')).toEqual([
      'x = [a for a, c in enumerate(b, 1)]',
    ]);
    expect(await resultsOf(loopBounds.name, 'for (const a of b) {}', { path: 'c.ts' })).toEqual(
      [
        'for (const a in b) {}',
        ...filled('for (const a of @) {}', ['b.slice(1)', 'b.slice(0, -1)', '[...b].reverse()']),
      ].sort(),
    );
    expect(await resultsOf(loopBounds.name, 'async () => { for await (const a of b()) {} }', { path: 'c.ts' })).toEqual(
      [],
    );
  });

  test.each([
    ['y = x.slice(@);', '1', ['0, 1', '1, -1', '-1']],
    ['y = x.slice(@);', 'a, b', ['a', '0, b']],
    ['y = x.slice(@);', '0, b', ['0', 'b']],
    ['y = x.slice(@);', '', ['1', '0, -1']],
    ['y = x.slice(@);', '...a', []],
    ['for (let i = 0; i < n; @) {}', 'i++', ['i += 2']],
  ])('%s with %s', async (statement, text, expected) => {
    expect(await resultsOf(loopBounds.name, statement.replace('@', text), { path: 'c.ts' })).toEqual(
      filled(statement, expected),
    );
  });
});
