import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrammarChecker, type GrammarChecker, type GrammarLanguage, grammarLanguageOf } from '../src/index.ts';

const LANGUAGES: readonly GrammarLanguage[] = ['bash', 'c', 'go', 'java', 'rust'];
let checker: GrammarChecker;
beforeAll(async () => {
  checker = await createGrammarChecker(LANGUAGES);
});
afterAll(() => checker.dispose());

describe('a text', () => {
  test.each<[GrammarLanguage, string, string]>([
    ['bash', 'if [ -n "$x" ]; then\n  echo "$x"\nfi\n', 'if [ -n "$x" ]; then\n  echo "$x"\n'],
    ['c', 'int f(int a) { return a + 1; }\n', 'int f(int a) { return a + ; }\n'],
    ['go', 'package p\n\nfunc F(a int) int { return a + 1 }\n', 'package p\n\nfunc F(a int int { return a + 1 }\n'],
    ['java', 'class A { int f(int a) { return a + 1; } }\n', 'class A { int f(int a) { return a + 1 } }\n'],
    ['rust', 'fn f(a: i32) -> i32 { a + 1 }\n', 'fn f(a: i32 -> i32 { a + 1 }\n'],
  ])('of %s parses, or is told where not', (language, good, bad) => {
    expect(checker.check(good, language)).toEqual([]);
    expect(checker.check(`\ufeff${good}`.slice(1), language)).toEqual([]);
    const found = checker.check(bad, language);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(20);
    for (const { line, code } of found) {
      expect(code).toBe('invalid-syntax');
      expect(line).toBeLessThanOrEqual(bad.split('\n').length);
    }
  });

  test('is the same text on every run', () => {
    const broken = 'package p\nfunc {{{ ( x\n'.repeat(30);
    expect(checker.check(broken, 'go')).toEqual(checker.check(broken, 'go'));
  });
});

test('names the language by the extension', () => {
  expect(['a.go', 'b/c.rs', 'a.sh', 'a.java', 'a.c', 'a.h', 'a.py', 'go', 'a.GO'].map(grammarLanguageOf)).toEqual([
    'go',
    'rust',
    'bash',
    'java',
    'c',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('takes a grammar as bytes, and says what cannot be loaded', async () => {
  const go = readFileSync(createRequire(import.meta.url).resolve('tree-sitter-go/tree-sitter-go.wasm'));
  const own = await createGrammarChecker(['go'], { grammars: { go } });
  expect(own.check('package p\n', 'go')).toEqual([]);
  expect(() => own.check('x', 'c')).toThrow(expect.objectContaining({ code: 'language_not_loaded' }));
  own.dispose();
  expect(() => own.check('x', 'go')).toThrow(expect.objectContaining({ code: 'parser_disposed' }));
  await expect(createGrammarChecker(['go'], { grammars: { go: new Uint8Array([1]) } })).rejects.toMatchObject({
    code: 'engine_unavailable',
  });
  await expect(createGrammarChecker(['go'], { signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
});
