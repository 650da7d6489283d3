import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as errors from '../src/errors.ts';
import * as api from '../src/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('public API', () => {
  it('exports these values', () =>
    expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
    [
      "SyntaxEngineError",
      "createGrammarChecker",
      "createParser",
      "createSyntaxChecker",
      "grammarLanguageOf",
      "indexLines",
      "languageOf",
      "scopeAt",
      "statementAt",
      "visibleNames",
    ]
  `));
  it('explains every error code under a heading of the README', () => {
    const codes = Object.values(errors).flatMap((make) => {
      if (make === errors.SyntaxEngineError) return [];
      return [(make as (...args: unknown[]) => errors.SyntaxEngineError)('a', ['b'], 'c').code];
    });
    expect(codes.length).toBeGreaterThan(4);
    for (const code of codes) expect(readme).toContain(`### \`${code}\``);
  });
});
