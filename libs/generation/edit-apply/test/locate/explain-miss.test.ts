import { describe, expect, test } from 'vitest';
import { openQuery } from '../../src/locate/block-query.ts';
import { explainMiss } from '../../src/locate/explain-miss.ts';
import { openSnapshot } from '../../src/open-snapshot.ts';
import { randomSource } from '../random-edits.ts';

function explain(text: string | Uint8Array, search: string, span?: [number, number]) {
  const file = openSnapshot({ a: text }).file('a');
  if (file === undefined) throw new Error('no file');
  return explainMiss(openQuery(file, { search, replace: '', ...(span === undefined ? {} : { span }) }));
}

const FILE = `import os


def area(width, height):
    if width < 0:
        return 0
    return width * height


class Shape:
    def name(self):
        return 'shape'
`;

describe('the cause', () => {
  test.each<[cause: string, file: string, search: string, line: number]>([
    ['trailing_blanks', 'a = 1  \nb = 2\n', 'a = 1\nb = 2', 1],
    ['trailing_blanks', 'a = 1\nb = 2\n', 'a = 1 \nb = 2', 1],
    ['indentation', FILE, '  if width < 0:\n    return 0', 5],
    ['indentation', FILE, '        return width * height', 7],
    ['tabs', FILE, '\tif width < 0:\n\t\treturn 0', 5],
    ['tabs', 'if a:\n\tx = 1\n', '    x = 1', 2],
    ['blanks', FILE, 'def area(width,height):', 4],
    ['blanks', FILE, 'return width  *  height', 7],
    ['no_break_space', FILE, 'return\u00a0width * height', 7],
    ['no_break_space', 'a\u00a0= 1\n', 'a = 1', 1],
    ['invisible_character', FILE, 'return wid\u200bth * height', 7],
    ['quotes', FILE, 'return "shape"', 12],
    ['quotes', FILE, 'return \u2018shape\u2019', 12],
    ['dashes', 'x = a - b\n', 'x = a \u2013 b', 1],
    ['unicode_form', "s = 'caf\u00e9'\n", "s = 'cafe\u0301'", 1],
    ['letter_case', FILE, 'def Area(Width, Height):', 4],
    ['indentation+quotes', FILE, '  def name(self):\n    return "shape"', 11],
    ['blank_lines', FILE, 'return 0\n\n    return width * height', 6],
    ['final_newline', 'a = 1\nb = 2', 'b = 2\n', 2],
    ['partial_line', 'f(a,  # first\n  b)\n', 'f(a,\n  b)', 1],
    ['elision_comment', FILE, 'def area(width, height):\n    # ...\n    return width * height', 4],
    ['text', FILE, 'return width + height', 7],
  ])('%s', (cause, file, search, line) => {
    const nearest = explain(file, search);
    expect(nearest?.cause.split('+').sort().join('+')).toBe(cause);
    expect(nearest?.span[0]).toBe(line);
  });

  test('encoding', () => {
    const latin = new Uint8Array([...new TextEncoder().encode("s = 'caf"), 0xe9, ...new TextEncoder().encode("'\n")]);
    expect(explain(latin, "s = 'café'")?.cause).toBe('encoding');
  });
});

describe('the place', () => {
  test('is the lowest line on a tie', () => {
    expect(explain('return w * h\nx\nreturn w + h\n', 'return w - h')?.span).toEqual([1, 1]);
  });

  test('lies inside the span', () => {
    expect(explain('return w * h\nx\nreturn w + h\n', 'return w - h', [2, 3])?.span).toEqual([3, 3]);
  });

  test('is given with both sides, blanks shown where they are what differs', () => {
    expect(explain('a = 1\n\tb = 2\n', 'a = 1\n    b = 2')?.diff).toBe(' a = 1\n-····b·=·2\n+→b·=·2');
    expect(explain('a = 1\nb = 2\n', 'a = 1\nb = 3')?.diff).toBe(' a = 1\n-b = 3\n+b = 2');
  });

  test('is not given where nothing is alike', () => {
    expect(explain('import os\n', 'zzzzzzzz qqqqqq')).toBeUndefined();
    expect(explain('', 'a')).toBeUndefined();
    expect(explain('a\n', '\n\n\n')).toBeUndefined();
  });

  test('is shown within bounds', () => {
    const long = 'x'.repeat(100_000);
    const nearest = explain(`${long}y\n`, `${long}z`);
    expect(nearest?.span).toEqual([1, 1]);
    expect(nearest?.diff.length).toBeLessThan(1000);
    const many = Array.from({ length: 300 }, (_, i) => `line ${i} of the file`);
    const other = many.map((line) => line.replace('of', 'in')).join('\n');
    expect(explain(many.join('\n'), other)?.diff.split('\n')).toHaveLength(41);
  });
});

/** A module of many functions that are alike, as real files are. */
function manyFunctions(count: number): string[] {
  const { pick, below } = randomSource(count);
  return Array.from({ length: count }, (_, i) => [
    `def handle_${i}(${pick(['request', 'event', 'value'])}, limit=${below(9)}):`,
    `    if ${pick(['request', 'event', 'value'])} is None:`,
    `        raise ValueError("${pick(['missing', 'empty', 'unknown'])} input ${below(50)}")`,
    `    total = ${pick(['sum', 'len', 'max'])}(${pick(['items', 'rows', 'parts'])}[:limit]) + ${below(100)}`,
    `    return total ${pick(['*', '+', '-', '//'])} ${below(20)}`,
    '',
  ]).flat();
}

/** One of the ways in which a model damages a block: a token, the indentation, the line ends. */
function damage(lines: string[], seed: number): string {
  const { pick, below } = randomSource(seed);
  const at = below(lines.length);
  const changed = [...lines];
  const line = changed[at] ?? '';
  const everyLine = (change: (text: string) => string) => changed.splice(0, changed.length, ...changed.map(change));
  const oneLine = (text: string) => changed.splice(at, 1, text);
  const ways: (() => unknown)[] = [
    () => oneLine(line.replace(/\b\w+\b/g, (word) => (below(3) === 0 ? `${word}s` : word))),
    () => oneLine(line.replace(/\d+/, '7777')),
    () => oneLine(line.replace(/[*+-]|\/\//, '%')),
    () => everyLine((text) => `  ${text}`),
    () => everyLine((text) => text.replace(/^ {4}/, '\t')),
    () => oneLine(`${line}  `),
    () => oneLine(line.replace(/"/g, "'")),
    () => oneLine(line.replace(/^ +/, '')),
  ];
  for (let times = 1 + below(3); times > 0; times--) pick(ways)();
  return changed.join(pick(['\n', '\r\n']));
}

test('the true place comes first for at least 97 % of damaged blocks', () => {
  const lines = manyFunctions(200);
  const text = lines.join('\n');
  let [tried, first] = [0, 0];
  for (let seed = 0; seed < 700; seed++) {
    const { below } = randomSource(seed + 9000);
    const start = below(lines.length - 8);
    const block = lines.slice(start, start + 1 + below(7));
    const search = damage(block, seed);
    const isUnique = text.split(block.join('\n')).length === 2;
    if (!isUnique || text.includes(search.replaceAll('\r\n', '\n'))) continue;
    const lead = block.findIndex((line) => line.trim() !== '');
    tried++;
    if (explain(text, search)?.span[0] === start + lead + 1) first++;
  }
  expect(tried).toBeGreaterThan(300);
  expect(first / tried).toBeGreaterThanOrEqual(0.97);
});
