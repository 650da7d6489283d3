import { describe, expect, test } from 'vitest';
import { proposeEdits } from '../src/index.ts';
import { appliedTo, sharedParser } from './results-of.ts';

const parser = await sharedParser();

function firstBatch(path: string, text: string, first: number, last = first) {
  const [batch] = proposeEdits({ files: [{ path, text }], targets: [{ file: path, first, last, score: 1 }], parser });
  return batch?.candidates ?? [];
}

describe('proposeEdits on large inputs', () => {
  test('a file of 1 MB', { timeout: 300_000 }, () => {
    const one = 'def f(a, b):\n    if a < b:\n        return a[b - 1]\n    return b\n\n';
    const count = Math.ceil(1_000_000 / one.length);
    const late = firstBatch('m.py', one.repeat(count), 5 * (count - 1) + 2);
    expect(late[0]).toMatchObject({ span: [5 * (count - 1) + 2, 5 * (count - 1) + 2], blocks: [{ search: '<' }] });
    expect(late.map(({ template }) => template)).toContain('off-by-one/comparison-plus');
  });

  test('a statement of 8,000 lines: spans and blocks stay short', { timeout: 300_000 }, () => {
    const rows = Array.from({ length: 8_000 }, (_, index) => `    [${index}, "v${index}", ${index} < 5],`);
    const text = `x = [\n${rows.join('\n')}\n]\n`;
    const candidates = firstBatch('m.py', text, 1, 8_002);
    expect(candidates).toHaveLength(300);
    for (const { span, blocks = [] } of candidates) {
      const [first, last] = span ?? ([0, 100] as const);
      expect(last - first).toBeLessThan(40);
      expect(blocks[0]?.search.split('\n').length).toBeLessThanOrEqual(40);
    }
    expect(appliedTo(text, candidates[0] as (typeof candidates)[0])).not.toBe(text);
  });

  test('a line of 300 KB', { timeout: 300_000 }, () => {
    const text = `const x = [${'1, '.repeat(100_000)}2];\n`;
    const candidates = firstBatch('m.js', text, 1);
    for (const { blocks = [] } of candidates) expect(blocks[0]?.search.length).toBeLessThanOrEqual(4_000);
  });

  test('nesting of 20,000 levels', { timeout: 300_000 }, () => {
    expect(firstBatch('m.py', `x = ${'('.repeat(20_000)}1${')'.repeat(20_000)}\n`, 1)).toBeDefined();
    expect(firstBatch('m.js', `x = ${'a + '.repeat(20_000)}b;\n`, 1)).toBeDefined();
    expect(firstBatch('m.js', `x = ${'!'.repeat(20_000)}b;\n`, 1)).toBeDefined();
  });
});
