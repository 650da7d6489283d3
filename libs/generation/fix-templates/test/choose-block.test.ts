import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blockSource, changeKey, chooseBlock } from '../src/choose-block.ts';
import { copyTree } from '../src/copy-tree.ts';
import { sharedParser } from './results-of.ts';

const parser = await sharedParser();
const LIMITS = { nodes: 10_000, keptNodes: 10_000, depth: 100 };

/** The block that replaces `nth` occurrence of `from` in a statement of lines `first` to `last`. */
function block(text: string, [first, last]: [number, number], from: string, to: string, nth = 1) {
  const root = parser.withTree(text, 'python', (tree) => copyTree(tree, [], LIMITS));
  const source = blockSource(text, root);
  const statement = [source.lines.startOf(first), source.lines.startOf(last + 1)] as const;
  let start = -1;
  for (let found = 0; found < nth; found++) start = text.indexOf(from, start + 1);
  const placed = chooseBlock(source, statement, { start, end: start + from.length, text: to });
  return placed && { ...placed.block, span: placed.span };
}

describe('chooseBlock', () => {
  test('grows from the token to the expression, the lines and the statement', () => {
    expect(block('x = a < b\n', [1, 1], '<', '<=')).toEqual({ search: '<', replace: '<=', span: [1, 1] });
    expect(block('x = a < b < c\n', [1, 1], '<', '<=')).toMatchObject({ search: 'a < b < c', replace: 'a <= b < c' });
    expect(block('x = f(a, b) + f(a, c)\n', [1, 1], 'a', 'd', 2)).toMatchObject({
      search: '(a, c)',
      replace: '(d, c)',
    });
    expect(block('x = [\n    1,\n    1,\n]\n', [1, 4], '1', '2', 2)).toMatchObject({
      search: '[\n    1,\n    1,\n]',
      replace: '[\n    1,\n    2,\n]',
    });
    expect(block('x = 1; x = 1\n', [1, 1], '1', '2', 2)).toMatchObject({
      search: 'x = 1; x = 1',
      replace: 'x = 1; x = 2',
    });
  });

  test('counts overlapping places', () => {
    expect(block('xx = x\n', [1, 1], 'x', 'y', 3)?.search).toBe('xx = x');
    expect(block('x = "aaa"\n', [1, 1], 'aa', 'b')?.search).toBe('aaa');
  });

  test('does not look made before', () => {
    const found = block('x = a + 1\n', [1, 1], 'a', 'a + 1');
    expect(found).toMatchObject({ search: 'a + 1', replace: 'a + 1 + 1' });
    expect(block('x = not a\n', [1, 1], 'a', 'not a')?.search).toBe('not a');
  });

  test('cuts the span to 40 lines around the change', () => {
    const rows = Array.from({ length: 100 }, (_, index) => `    ${index},`);
    const text = `x = [\n${rows.join('\n')}\n]\n`;
    expect(block(text, [1, 102], '    50,', '    51,')).toMatchObject({ search: '    50,', span: [33, 72] });
    expect(block(text, [1, 102], '    0,', '    7,')).toMatchObject({ span: [1, 40] });
    expect(block(text, [1, 102], '    99,', '    7,')).toMatchObject({ span: [63, 102] });
    expect(block(text, [1, 102], rows.slice(0, 41).join('\n'), '    7,')).toBeUndefined();
    expect(block(text, [1, 102], rows.slice(0, 40).join('\n'), '    7,')?.span).toEqual([2, 41]);
  });

  test('writes LF whatever the file has, and leaves a byte order mark out', () => {
    expect(block('x = [\r\n1,\r\n1]\r\n', [1, 3], '1', '2', 2)).toMatchObject({
      search: '[\n1,\n1]',
      replace: '[\n1,\n2]',
    });
    expect(block('x = [\r1,\r1]\r', [1, 3], '1', '2', 2)).toMatchObject({ search: '[\n1,\n1]', replace: '[\n1,\n2]' });
    expect(block('\ufeffx = 1; x = 1\n', [1, 1], '1', '2', 2)).toMatchObject({ search: 'x = 1; x = 1' });
  });

  test('gives up where only a huge text is unique', () => {
    expect(block(`x = [${'1, '.repeat(3_000)}]\n`, [1, 1], '1', '2', 7)).toBeUndefined();
  });
});

describe('changeKey', () => {
  const result = (source: string, start: number, end: number, text: string) =>
    source.slice(0, start) + text + source.slice(end);

  test('is equal exactly when the results are', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 });
    const change = fc.tuple(fc.nat(6), fc.nat(6), few);
    fc.assert(
      fc.property(few, change, change, (source, one, other) => {
        const [left, right] = [one, other].map(([a, b, text]) => {
          const [start, end] = [Math.min(a, b, source.length), Math.min(Math.max(a, b), source.length)];
          return { key: changeKey(source, start, end, text), result: result(source, start, end, text) };
        });
        expect(left?.key === right?.key).toBe(left?.result === right?.result);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('chooseBlock beyond the statement', () => {
  test('takes the lines of the change and of the statement, never more than 40', () => {
    const rows = Array.from({ length: 60 }, (_, index) => `a${index} = ${index}`);
    const text = `${rows.join('\n')}\n`;
    expect(block(text, [3, 3], 'a2 = 2\na3 = 3', 'a3 = 3\na2 = 2')).toMatchObject({ span: [3, 4] });
    expect(block(text, [3, 3], 'a3 = 3', 'b = 3')).toMatchObject({ span: [3, 4] });
    const long = rows.slice(4, 44).join('\n');
    expect(block(text, [5, 34], long, 'b = 3')).toMatchObject({ span: [5, 44] });
    expect(block(text, [3, 34], long, 'b = 3')).toMatchObject({ span: [5, 44] });
    expect(block(text, [5, 34], `${long}\na44 = 44`, 'b = 3')).toBeUndefined();
  });
});
