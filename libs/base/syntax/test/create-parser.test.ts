import { describe, expect, it } from 'vitest';
import { createParser } from '../src/index.ts';

describe('createParser', () => {
  it('reads a Python function', async () => {
    const parser = await createParser({ languages: ['python'] });
    const outline = parser.outline('def f(a):\n    return a\n', 'python');
    expect(outline.functions.map((found) => found.qualified_name)).toEqual(['f']);
    expect(outline.statements.map(({ kind, first, last }) => [kind, first, last])).toEqual([
      ['definition', 1, 1],
      ['statement', 2, 2],
    ]);
    parser.dispose();
  });
});
