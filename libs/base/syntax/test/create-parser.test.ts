import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParser, type Language, languageOf, type Parser } from '../src/index.ts';

const LANGUAGES = ['python', 'javascript', 'typescript', 'tsx'] as const;
let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

/** All four readings of a text; none may throw. */
function readAll(text: string, language: Language) {
  const outline = parser.outline(text, language);
  const names = parser.names(text, language);
  const { tokens } = parser.tokenList(text, language);
  const depth = parser.withTree(text, language, (root) => root.childCount);
  return { outline, names, tokens, depth };
}

describe('createParser', () => {
  it('loads the languages it is asked for', async () => {
    const python = await createParser({ languages: ['python'] });
    expect(python.languages).toEqual(['python']);
    expect(() => python.outline('', 'tsx')).toThrowError(expect.objectContaining({ code: 'language_not_loaded' }));
    python.dispose();
  });
  it('gives the tree as arrays that outlive it', () => {
    const tree = parser.flatTree('f(a)\n', 'python');
    parser.flatTree('g(b)\n', 'javascript');
    const kinds = Array.from({ length: tree.count }, (_, node) => [tree.kind(node), tree.start(node), tree.next(node)]);
    expect(kinds.slice(0, 4)).toEqual([
      ['module', 0, 8],
      ['expression_statement', 0, 8],
      ['call', 0, 8],
      ['identifier', 0, 4],
    ]);
    expect(() => parser.flatTree('', 'cobol' as Language)).toThrowError(
      expect.objectContaining({ code: 'language_not_loaded' }),
    );
  });
  it('takes a lone CR for the line end that it is', () => {
    const kinds = (text: string) => parser.tokens(text, 'javascript').map(({ kind }) => kind);
    expect(kinds('a\rb\n')).toEqual(kinds('a\nb\n'));
    expect(kinds('function f() { return\ra }')).toEqual(kinds('function f() { return\na }'));
  });
  it('refuses a language it does not know', () =>
    expect(createParser({ languages: ['cobol' as Language] })).rejects.toMatchObject({ code: 'language_not_loaded' }));
  it('throws after dispose, which may be repeated', async () => {
    const short = await createParser({ languages: ['python'] });
    short.dispose();
    short.dispose();
    expect(() => short.names('', 'python')).toThrowError(expect.objectContaining({ code: 'parser_disposed' }));
  });
  it('takes injected grammars', async () => {
    const path = createRequire(import.meta.url).resolve('tree-sitter-python/tree-sitter-python.wasm');
    const grammars = { python: new Uint8Array(readFileSync(path)) };
    const injected = await createParser({ languages: ['python'], engine: { grammars } });
    expect(injected.outline('def f(): pass\n', 'python').functions).toHaveLength(1);
    injected.dispose();
  });
  it('says when an engine cannot be had', () =>
    expect(
      createParser({ languages: ['python'], engine: { grammars: { python: new Uint8Array([1, 2, 3]) } } }),
    ).rejects.toMatchObject({ code: 'engine_unavailable', hint: expect.stringMatching(/either.*or/i) }));
  it('does nothing when it is aborted', () =>
    expect(createParser({ signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop'));
  it('can be created many times at once', async () => {
    const parsers = await Promise.all(LANGUAGES.map((language) => createParser({ languages: [language] })));
    for (const [index, each] of parsers.entries()) {
      expect(each.tokens('a', LANGUAGES[index] as Language)[0]?.text).toBe('a');
      each.dispose();
    }
  });
});

describe('withTree', () => {
  it('lends the tree and frees it', () => {
    const found = parser.withTree('a = b + 1\n', 'python', (root) =>
      root.descendantsOfType('binary_operator').map((node) => [node.type, node.text, node.startIndex, node.endIndex]),
    );
    expect(found).toEqual([['binary_operator', 'b + 1', 4, 9]]);
  });
  it('frees it when the visitor throws', () => {
    expect(() =>
      parser.withTree('a', 'python', () => {
        throw new Error('mine');
      }),
    ).toThrow('mine');
    expect(parser.tokens('a', 'python')[0]?.text).toBe('a');
  });
  it('may be nested', () =>
    expect(
      parser.withTree('a', 'python', (outer) => [
        outer.text,
        parser.outline('b = 1', 'python').statements.length,
        outer.text,
      ]),
    ).toEqual(['a', 1, 'a']));
});

describe('any text', () => {
  const fragment = fc.constantFrom(
    'def f(a):',
    'class A:',
    'if x',
    'return',
    '"""',
    "'",
    '`',
    '${',
    '}',
    '{',
    '(',
    ')',
    '[',
    '/*',
    '*/',
    '//',
    '#',
    'f"{',
    '=>',
    '<a>',
    '</a>',
    '@',
    '\\',
    ':',
    ';',
    ',',
    ' ',
    '\n',
    '\r\n',
    '\r',
    '\t',
    '\f',
    '\0',
    '\ufeff',
    '\ud800',
    '😀',
    'é',
    '\u2028',
    '1e',
    '0x',
    'lambda',
    'function',
    'import',
    'let',
    'match',
    'case',
    'async',
    'await',
    '...',
    '?.',
    '**',
    '->',
  );
  it.each(LANGUAGES)('is read without throwing: %s', (language) => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const { outline, names, tokens } = readAll(text, language);
        for (const { start, end, first, last } of outline.statements) {
          expect(start).toBeLessThanOrEqual(end);
          expect(first).toBeLessThanOrEqual(last);
          expect(last).toBeLessThanOrEqual(outline.blocks[0]?.last ?? 0);
        }
        for (const { start, end, name } of [...names.definitions, ...names.uses])
          expect(text.slice(start, end)).toBe(name);
        for (const { start, end, text: own } of tokens) expect(text.slice(start, end)).toBe(own);
      }),
      { numRuns: 150 },
    );
  });
  it.each([
    ['nothing', ''],
    ['a lone surrogate', 'x = "\ud800"\n'],
    ['NUL', 'x\0y\n'],
    ['a byte order mark', '\ufeffx = 1\n'],
    ['deep nesting', `${'('.repeat(20_000)}1${')'.repeat(20_000)}`],
    ['open brackets', '['.repeat(20_000)],
    ['a long chain', `${'a+'.repeat(20_000)}a`],
    ['a long line', `x = "${'y'.repeat(1_000_000)}"`],
  ])('holds %s', (_, text) => {
    for (const language of LANGUAGES) expect(readAll(text, language).outline.blocks[0]?.first).toBe(1);
  });
  it('of 5 MB is read', () => {
    const text = 'def f(a, b):\n    if a > b:\n        return a - b\n    return b\n\n'.repeat(84_000);
    expect(text.length).toBeGreaterThan(5_000_000);
    const outline = parser.outline(text, 'python');
    expect([outline.partial, outline.functions.length, outline.statements.length]).toEqual([false, 84_000, 336_000]);
  });
  it('beyond the limit is partial, or refused where nothing can say so', () => {
    const text = ' '.repeat(8_388_609);
    expect(parser.outline(text, 'python')).toMatchObject({
      partial: true,
      statements: [],
      blocks: [{ first: 1, last: 1 }],
    });
    expect(parser.names(text, 'python')).toMatchObject({ partial: true, definitions: [] });
    for (const read of [() => parser.tokens(text, 'python'), () => parser.withTree(text, 'python', () => 1)]) {
      expect(read).toThrowError(expect.objectContaining({ code: 'parse_stopped' }));
    }
  });
  it('that makes the lexer look ahead again and again is given up, deterministically', () => {
    const text = '/['.repeat(20_000);
    expect(parser.outline(text, 'javascript')).toMatchObject({ partial: true, statements: [] });
    expect(() => parser.tokens(text, 'javascript')).toThrowError(expect.objectContaining({ code: 'parse_stopped' }));
    expect(parser.outline('a;', 'javascript').partial).toBe(false);
  });
});

describe('the same text', () => {
  it.each(LANGUAGES)('gives the same bytes twice: %s', (language) => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program
    const text = 'a = [b for c in d]\nclass E { f() { return `g${h}`; } }\nif (i) { j => k }\n';
    const read = () => JSON.stringify(readAll(text, language));
    expect(read()).toBe(read());
  });
});

describe('languageOf', () => {
  it.each([
    ['a.py', 'python'],
    ['b/c.pyi', 'python'],
    ['a.mjs', 'javascript'],
    ['a.cjs', 'javascript'],
    ['a.jsx', 'javascript'],
    ['a.d.ts', 'typescript'],
    ['a.mts', 'typescript'],
    ['a.tsx', 'tsx'],
    ['a.json', undefined],
    ['py', undefined],
    ['.py', undefined],
    ['a.PY', undefined],
    ['a.constructor', undefined],
    ['a.py/b', undefined],
  ])('%s is %s', (path, language) => expect(languageOf(path)).toBe(language));
});
