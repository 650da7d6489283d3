import { describe, expect, test } from 'vitest';
import { ALL_TEMPLATES } from '../src/index.ts';
import { type Case, candidatesOf } from './results-of.ts';

const TYPESCRIPT = [
  'const rows = items.filter((item) => {',
  '  const low = item.size < 3;',
  '  return low && item.ok;',
  '}).map((item) =>',
  '  item.size + 1);',
  'items.forEach((item) => { total -= item.size; });',
  'if (a < b) total += 1; else if (a > b)',
  '  total -= 1;',
].join('\n');
const PYTHON = [
  'def f(a, b=-2):',
  '    total = max(',
  '        a + 1,',
  '        b)',
  '    while total < b: total += a; b -= 1',
  '    return total',
].join('\n');

/** The others change a statement's neighbours, too. */
const INSIDE = ALL_TEMPLATES.filter(({ name }) => !['statement', 'jump', 'return', 'guard'].includes(name));

/** Lines of the source in which some candidate changes something inside of statements. */
async function changed(text: string, options: Case): Promise<number[]> {
  const found = await candidatesOf(INSIDE, text, options);
  const lines = found.map(({ provenance }) => Number(/ at [^:]*:(\d+):/.exec(provenance)?.[1]));
  return [...new Set(lines)].sort((left, right) => left - right);
}

describe('readSites', () => {
  const ts = { path: 'case.ts' };

  test('leaves nested statements to their own targets, not nested expressions', async () => {
    expect(await changed(TYPESCRIPT, { ...ts, line: 1, last: 5 })).toEqual([1, 4, 5]);
    expect(await changed(TYPESCRIPT, { ...ts, line: 2 })).toEqual([2]);
    expect(await changed(TYPESCRIPT, { ...ts, line: 3 })).toEqual([3]);
  });

  test('two statements on one line are one target', async () => {
    const found = await candidatesOf(ALL_TEMPLATES, TYPESCRIPT, { ...ts, line: 6 });
    expect(found.map(({ blocks }) => blocks?.[0]?.replace)).toContain('+=');
    expect(await changed(PYTHON, { line: 5 })).toEqual([5]);
    const python = await candidatesOf(ALL_TEMPLATES, PYTHON, { line: 5 });
    const texts = python.map(({ provenance }) => provenance.replace(/.*: /, ''));
    expect(texts).toEqual(expect.arrayContaining(['< → <=', '+= → -=', '-= → +=']));
  });

  test('a compound statement is its header', async () => {
    expect(await changed(TYPESCRIPT, { ...ts, line: 7 })).toEqual([7]);
    expect(await changed(TYPESCRIPT, { ...ts, line: 8 })).toEqual([8]);
    expect(await changed(PYTHON, { line: 1 })).toEqual([1]);
  });

  test('finds the statement from its first line, from all its lines, from one inside', async () => {
    expect(await changed(PYTHON, { line: 2 })).toEqual([2, 3, 4]);
    expect(await changed(PYTHON, { line: 2, last: 4 })).toEqual([2, 3, 4]);
    expect(await changed(PYTHON, { line: 3 })).toEqual([2, 3, 4]);
    expect(await changed(PYTHON, { line: 1, last: 6 })).toEqual([1, 2, 3, 4, 5, 6]);
  });
});
