import { describe, expect, test } from 'vitest';
import { locateBlock } from '../../src/locate/locate-block.ts';
import { openSnapshot } from '../../src/open-snapshot.ts';

function locate(
  text: string | Uint8Array,
  search: string,
  replace: string,
  more: { span?: [number, number]; expected_count?: number } = {},
) {
  const file = openSnapshot({ a: text }).file('a');
  if (file === undefined) throw new Error('no file');
  return locateBlock(file, { search, replace, ...more }, 'exact');
}

describe('line ends', () => {
  test.each([
    ['a\r\nb\r\n', 'a\nb', 0, 3],
    ['a\rb', 'a\nb', 0, 3],
    ['a\nb', 'a\r\nb', 0, 3],
    ['a\nb', 'a\rb', 0, 3],
    ['x\r\n\r\ny', '\n\n', 1, 3],
  ])('%j holds %j', (text, search, start, end) => {
    expect(locate(text, search, '!')).toMatchObject({ status: 'located', places: [{ start, end }] });
  });

  test('a line end of the search is the whole line end of the file', () => {
    expect(locate('a\r\nb', '\n', ' ')).toMatchObject({ places: [{ start: 1, end: 2 }] });
  });
});

describe('the span', () => {
  const text = 'a\nb\na\nb\n';
  test('decides which match is the one', () => {
    expect(locate(text, 'a', 'x', { span: [3, 4] })).toMatchObject({ places: [{ start: 4, end: 5 }] });
    expect(locate(text, 'a\n', 'x', { span: [3, 3] })).toMatchObject({ places: [{ start: 4, end: 6 }] });
  });

  test('does not hold what reaches over its edge', () => {
    expect(locate(text, 'a\nb\na', 'x', { span: [1, 2] })).toMatchObject({ reason: 'outside_span', matches: [[1, 3]] });
    expect(locate(text, 'b\na', 'x', { span: [3, 4] })).toMatchObject({ reason: 'outside_span', matches: [[2, 3]] });
  });

  test('may reach beyond the file, or lie beyond it', () => {
    expect(locate(text, 'b\n', 'x', { span: [4, 99] })).toMatchObject({ status: 'located' });
    expect(locate('q\n', 'q', 'x', { span: [7, 9] })).toMatchObject({ reason: 'outside_span', matches: [[1, 1]] });
  });

  test('is counted as editors count lines', () => {
    expect(locate('a\rb\r\nc\na', 'a', 'x', { span: [4, 4] })).toMatchObject({ places: [{ start: 6, end: 7 }] });
    expect(locate('a\u2028b\fa', 'b', 'x', { span: [1, 1] })).toMatchObject({ status: 'located' });
  });
});

describe('refusals', () => {
  test('list each place, also two on one line, at most 1,000', () => {
    expect(locate('aa\na\n', 'a', 'x')).toMatchObject({
      reason: 'ambiguous_match',
      matches: [
        [1, 1],
        [1, 1],
        [2, 2],
      ],
    });
    const many = locate('a\n'.repeat(5000), 'a', 'x');
    expect(many).toMatchObject({ reason: 'ambiguous_match' });
    expect(many.status === 'refused' && many.matches).toHaveLength(1000);
  });

  test('tell what was applied before from what is missing', () => {
    expect(locate('x = 2\n', 'x = 1', 'x = 2')).toMatchObject({ reason: 'already_applied', matches: [[1, 1]] });
    expect(locate('a\nb\n', 'a\n', 'a\nb\n')).toMatchObject({ reason: 'already_applied', matches: [[1, 2]] });
    expect(locate('f(x)\n', 'f(x', 'f(x)')).toMatchObject({ reason: 'already_applied' });
    expect(locate('a\nb\n', 'q = 1', '')).toMatchObject({ reason: 'not_found' });
    expect(locate('a = 1\nb\n', 'zz', 'b')).toMatchObject({ reason: 'already_applied' });
  });

  test('take text that differs on its surface alone for what was meant, though the replacement stands elsewhere', () => {
    expect(locate('return  1\npass\n', 'return 1', 'pass')).toMatchObject({
      reason: 'not_found',
      nearest: { span: [1, 1], cause: 'blanks' },
    });
    expect(locate('  x = 1\n', '    x = 1', '  x = 1')).toMatchObject({ reason: 'already_applied' });
  });

  test('keep an elision comment from deleting what it stands for', () => {
    const refused = locate(
      'def f():\n    a()\n    b()\n',
      'def f():\n    a()\n',
      'def f():\n    c()\n    # ... rest of the code ...\n',
    );
    expect(refused).toMatchObject({
      stage: 'apply',
      reason: 'not_found',
      nearest: { span: [1, 2], cause: 'elision_comment', diff: '+# ... rest of the code ...' },
    });
    expect(locate('a\n# ...\n', 'a\n# ...\n', 'b\n# ...\n')).toMatchObject({ status: 'located' });
  });
});

describe('the byte order mark', () => {
  test('is not part of line 1', () => {
    expect(locate('\ufeffa = 1', '\ufeffa = 1', '\ufeffa = 2')).toMatchObject({
      places: [{ start: 3, end: 8 }],
      replace: 'a = 2',
    });
    expect(locate('\ufeffa = 1', 'a = 1', '\ufeffa = 2')).toMatchObject({ replace: 'a = 2' });
    expect(locate('\ufeffa\nb', 'b', '\ufeffc')).toMatchObject({ replace: '\ufeffc' });
    expect(locate('\ufeffb\na', '\ufeffa', 'x')).toMatchObject({ status: 'refused' });
    expect(locate('\ufeffa', '\ufeff', 'x')).toMatchObject({ reason: 'empty_search' });
    expect(locate('a', 'a', '\ufeffb')).toMatchObject({ replace: '\ufeffb' });
  });
});

describe('work', () => {
  // Ratios of one process, with room for a loaded machine: what matters is that it is not the square.
  const milliseconds = (run: () => unknown) => {
    run();
    const start = performance.now();
    run();
    return performance.now() - start;
  };

  test.each([
    ['one letter', (size: number) => ['a'.repeat(size), `${'a'.repeat(1000)}b`] as const],
    [
      'almost the search, over and over',
      (size: number) => [`${'a'.repeat(99)}c`.repeat(size / 100), `${'a'.repeat(99)}b`] as const,
    ],
    ['one short line, over and over', (size: number) => ['ab\n'.repeat(size / 3), `${'ab\n'.repeat(500)}c`] as const],
  ])('on a file of %s is not the square of its size', (_, draw) => {
    const [small, large] = [300_000, 1_200_000].map((size) => {
      const [text, search] = draw(size);
      const file = new TextEncoder().encode(text);
      return milliseconds(() => locate(file, search, 'x'));
    });
    expect((large ?? 0) / ((small ?? 0) + 5)).toBeLessThan(9);
  });

  test('on a file of 5 MB is a matter of moments', () => {
    const file = new TextEncoder().encode('    return value + 1\n'.repeat(250_000));
    expect(milliseconds(() => locate(file, 'return value + 2\n    nothing', 'x'))).toBeLessThan(3000);
  });
});
