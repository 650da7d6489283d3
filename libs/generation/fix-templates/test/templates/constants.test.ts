import { describe, expect, test } from 'vitest';
import { constants } from '../../src/templates/constants.ts';
import { type Case, resultsOf } from '../results-of.ts';

const check = async (text: string, expected: string[], options: Case = {}) => {
  expect(await resultsOf(constants.name, text, options)).toEqual([...expected].sort());
};
const ts = { path: 'case.ts' };

describe('constants', () => {
  test('integers: the neighbours, 0, 1, -1', async () => {
    await check('x = 5', ['x = -1', 'x = 0', 'x = 1', 'x = 4', 'x = 6']);
    await check('x = 0', ['x = -1', 'x = 1']);
    await check('x = -1', ['x = -2', 'x = 0', 'x = 1']);
    await check('x = -7;', ['x = -1;', 'x = -6;', 'x = -8;', 'x = 0;', 'x = 1;', 'x = 7;'], ts);
    await check('x = a + 2', ['x = a + 0', 'x = a + 1', 'x = a + 3']);
    await check('x = 1_000', ['x = -1', 'x = 0', 'x = 1', 'x = 1001', 'x = 999']);
  });

  test('keep their base and suffix', async () => {
    await check('x = 0xff', ['x = -1', 'x = 0', 'x = 1', 'x = 0x100', 'x = 0xfe']);
    await check('x = 0B11', ['x = -1', 'x = 0', 'x = 1', 'x = 0B100', 'x = 0B10']);
    await check('x = 10n;', ['x = -1n;', 'x = 0n;', 'x = 11n;', 'x = 1n;', 'x = 9n;'], ts);
    await check('x = 12345678901234567890', [
      'x = -1',
      'x = 0',
      'x = 1',
      'x = 12345678901234567889',
      'x = 12345678901234567891',
    ]);
  });

  test('signs get parentheses and blanks where they need them', async () => {
    await check('x = 2 ** y', ['x = (-1) ** y', 'x = 0 ** y', 'x = 1 ** y', 'x = 3 ** y']);
    await check('x = y-3', ['x = y-0', 'x = y-1', 'x = y-2', 'x = y-4']);
    expect(await resultsOf(constants.name, 'x = y<3', {})).toContain('x = y< -1');
    expect(await resultsOf(constants.name, 'x = a[i:3]', {})).toContain('x = a[i:-1]');
    await check('del a[i:-1]', ['del a[i:-2]', 'del a[i:0]', 'del a[i:1]']);
  });

  test('numbers and texts that the file has', async () => {
    await check('y = 2.5\nx = 1.5', ['x = 2.5']);
    expect(await resultsOf(constants.name, 'RATE = 40\ndef f():\n    x = 7')).toContain('x = 40');
    await check('y = "other"\nx = "some"', ['x = ""', 'x = "other"']);
    await check("y = 'other'\nx = ''", ["x = 'other'"]);
    await check('y = b"o"; z = "p"\nx = b"s"', ['x = b""', 'x = b"o"']);
    await check('const y = `t`, z = "o";\nx = "s";', ['x = "";', 'x = "o";'], ts);
  });

  test('the function around comes first', async () => {
    const many = Array.from({ length: 9 }, (_, index) => `K${index} = "far${index}"`).join('\n');
    const text = `def f():\n    y = "near"\n    x = "own"\n${many}`;
    const found = await resultsOf(constants.name, text, { line: 3 });
    expect(found).toContain('x = "near"');
    expect(found.filter((result) => result.includes('far'))).toEqual(['x = "far0"', 'x = "far1"', 'x = "far2"']);
  });

  test('truth values flip', async () => {
    await check('x = f(True, k=False)', ['x = f(False, k=False)', 'x = f(True, k=True)']);
    await check('x = true;', ['x = false;'], ts);
  });

  test('leaves types, keys, directives, docstrings and templates alone', async () => {
    await check('x: Literal["a", 1] = None', []);
    await check('def f(a: Literal[1]) -> Literal[2]:\n    "doc"', []);
    await check('let x: 1 | "a";', [], ts);
    await check('x = { "k": y, 1: z };', [], ts);
    await check(`x = \`a\${y}b\`;`, [], ts);
    await check("'use strict';", [], ts);
    await check('x = /a1/;', [], ts);
    await check('x = <a href="x">1</a>;', [], { path: 'case.tsx' });
    await check('x = "a" "b"', []);
    await check('x = 3j', []);
    await check('x = f"a{y}"', []);
  });

  test('keeps quotes apart inside an f-string', async () => {
    const text = 'y = "other"; z = \'single\'\nx = f"{d[\'k\']}"';
    await check(text, ['x = f"{d[\'\']}"', 'x = f"{d[\'single\']}"']);
  });

  test('patterns of match take no signs twice', async () => {
    const text = 'match x:\n    case -2 | 3: pass';
    const found = await resultsOf(constants.name, text);
    expect(found).toContain('case -2 | 4: pass');
    expect(found.every((result) => result.includes('-2'))).toBe(true);
  });
});
