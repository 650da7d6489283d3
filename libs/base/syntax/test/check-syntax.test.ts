import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CheckOptions, createSyntaxChecker, type Language, type SyntaxChecker } from '../src/index.ts';

let checker: SyntaxChecker;
beforeAll(async () => {
  checker = await createSyntaxChecker(['python', 'javascript', 'typescript', 'tsx', 'json']);
});
afterAll(() => checker.dispose());

const codes = (text: string, language: Language | 'json', options?: CheckOptions) =>
  checker.check(text, language, options).map(({ line, column, code }) => `${line}:${column} ${code}`);

describe('check of Python', () => {
  it.each([
    ['x = 1\n', []],
    ['def f(:\n    pass\n', ['1:6 invalid-syntax', '1:7 invalid-syntax']],
    ['x = 1\nreturn x\n', ['2:0 return-outside-function']],
    ['x = "😀"; return\n', ['1:10 return-outside-function']],
    ['async def f():\n    yield\n    return 1\n', ['3:4 compile-error']],
    ['print(undefined_name)\nimport unused\n', []],
    ['', []],
    ['\ufeffx = 1\r\n', []],
    ['\tx = 1\n', ['1:0 invalid-syntax']],
  ])('%j', (text, expected) => expect(codes(text, 'python')).toEqual(expected));
  it.each(['# noqa', '#noqa: F706', '# ruff: noqa', '# flake8: noqa', '# NOQA', '# ruff: disable[F706]'])(
    'is not silenced by %s',
    (comment) => expect(codes(`${comment}\nreturn  ${comment}\n`, 'python')).toEqual(['2:0 return-outside-function']),
  );
  it('speaks the version it is told', () => {
    expect(codes('match x:\n    case 1: pass\n', 'python', { pythonVersion: '3.9' })).toHaveLength(1);
    expect(codes('match x:\n    case 1: pass\n', 'python', { pythonVersion: '3.10' })).toEqual([]);
    expect(codes('type X = int\n', 'python', { pythonVersion: '3.11' })).toHaveLength(1);
    expect(codes('type X = int\n', 'python')).toEqual([]);
  });
  it('takes nonlocal for what it is, also where ruff does not look ahead', () => {
    expect(codes('def f():\n    class A:\n        nonlocal y\n    y = 1\n', 'python')).toEqual([]);
    expect(codes('def f():\n    global y\n    def g():\n        nonlocal y\n', 'python')).toEqual([
      '4:17 compile-error',
    ]);
  });
  it.each(['2.7', '3.6', '3.99', 'three', '3.11.7'])('refuses the version %s', (pythonVersion) =>
    expect(() => checker.check('', 'python', { pythonVersion } as CheckOptions)).toThrowError(
      expect.objectContaining({ code: 'python_version_unknown' }),
    ),
  );
});

describe('check of JavaScript and TypeScript', () => {
  it.each([
    ['let a = 1;\n', 'javascript', []],
    ['let a;\nlet a;\n', 'javascript', ['1:4 invalid-syntax']],
    ['/* 😀 */ let a; let a;\n', 'javascript', ['1:13 invalid-syntax']],
    ['const a = /(/;\n', 'javascript', ['1:10 invalid-regexp']],
    ['const a = <b>{c}</b>;\n', 'javascript', []],
    ['const a: number = 1;\n', 'javascript', ['1:6 invalid-syntax']],
    ['const a: number = 1;\n', 'typescript', []],
    ['interface A<in out T> { b: T }\nconst c = /[/;\n', 'typescript', ['2:10 invalid-syntax']],
    ['interface A<in out T> { b: T }\nconst c = /a{2,1}/;\n', 'typescript', ['2:10 invalid-regexp']],
    ['const a = <T>b;\n', 'typescript', []],
    ['const a = <T>b;\n', 'tsx', ['1:13 invalid-syntax']],
    ['function f(a: string): void;\nfunction f(a: any) {}\n', 'typescript', []],
    ['', 'javascript', []],
    ['\ufeffa\r\n', 'javascript', []],
  ] as const)('%j as %s', (text, language, expected) => {
    // A later error may be a consequence of the first.
    expect(codes(text, language).slice(0, 1)).toEqual(expected);
  });
  it('tries module, then script', () => {
    expect(codes('await x;\nimport "a";\n', 'javascript')).toEqual([]);
    expect(codes('with (a) b;\nreturn;\n', 'javascript')).toEqual([]);
    expect(codes('with (a) b;\nimport "c";\n', 'javascript')).toHaveLength(1);
  });
  it('takes the kind from the option, then from the path', () => {
    expect(codes('return;\n', 'javascript', { sourceType: 'module' })).toHaveLength(1);
    expect(codes('return;\n', 'javascript', { sourceType: 'script' })).toEqual([]);
    expect(codes('return;\n', 'javascript', { path: 'a.mjs' })).toHaveLength(1);
    expect(codes('import "a";\n', 'javascript', { path: 'a.cjs' })).toHaveLength(1);
    expect(codes('import "a";\n', 'javascript', { path: 'a.cjs', sourceType: 'module' })).toEqual([]);
    expect(codes('<a />;\n', 'javascript', { path: 'a.mjs' }).length).toBeGreaterThan(0);
    expect(codes('export const a: 1;\n', 'typescript', { path: 'a.ts' })).toHaveLength(1);
    expect(codes('export const a: 1;\n', 'typescript', { path: 'a.d.ts' })).toEqual([]);
  });
  it('knows what the CommonJS wrapper has declared', () =>
    expect(codes('const require = 1;\n', 'javascript', { sourceType: 'script' })).toEqual(['1:6 invalid-syntax']));
});

describe('check of JSON', () => {
  it.each([
    ['{"a": [1, -2.5e3, true, null, "b\\u00e9"]}', []],
    ['', ['1:0 invalid-json']],
    ['{"a": 1,}', ['1:8 invalid-json']],
    ['[1,\n 2,\n ]', ['3:1 invalid-json']],
    ['{"a" 1}', ['1:5 invalid-json']],
    ['{a: 1}', ['1:1 invalid-json']],
    ["['a']", ['1:1 invalid-json']],
    ['{"a": 1} x', ['1:9 invalid-json']],
    ['[1', ['1:2 invalid-json']],
    ['"a\nb"', ['1:0 invalid-json']],
    ['01', ['1:1 invalid-json']],
    ['\ufeff{}', ['1:0 invalid-json']],
    ['// c\n{}', ['1:0 invalid-json']],
  ])('%j', (text, expected) => expect(codes(text, 'json')).toEqual(expected));
});

describe('what no engine is given', () => {
  it.each(['python', 'javascript', 'json'] as const)('lone surrogates in %s', (language) =>
    expect(codes('1 +\n "\ud800"', language)).toEqual(['2:2 not-well-formed']),
  );
  it('more than eight million characters', () =>
    expect(codes(' '.repeat(8_388_609), 'python')).toEqual(['1:0 too-large']));
  it.each([
    ['javascript', `${'('.repeat(50_000)}1${')'.repeat(50_000)}`],
    ['javascript', '{['.repeat(50_000)],
    ['typescript', `type A = ${'B<'.repeat(20_000)}C${'>'.repeat(20_000)}`],
    ['tsx', '<a>'.repeat(20_000)],
    ['python', `${'('.repeat(50_000)}1${')'.repeat(50_000)}`],
  ] as const)('deep nesting in %s, without a crash', (language, text) =>
    expect(codes(text, language)).toEqual(['1:0 too-deep']),
  );
  it('is usable afterwards', () => expect(codes('x = 1\n', 'python')).toEqual([]));
});

describe('createSyntaxChecker', () => {
  it('loads what is asked and says so', async () => {
    const json = await createSyntaxChecker(['json']);
    expect(json.languages).toEqual(['json']);
    expect(() => json.check('', 'python')).toThrowError(expect.objectContaining({ code: 'language_not_loaded' }));
    json.dispose();
  });
  it('takes injected engines', async () => {
    const seen: string[] = [];
    class Workspace {
      check(text: string) {
        seen.push(text);
        return [];
      }
    }
    const ruff = { Workspace, PositionEncoding: { Utf16: 1 } } as never;
    const injected = await createSyntaxChecker(['python'], { engine: { ruff } });
    expect(injected.check('return  # noqa\n', 'python')).toEqual([]);
    expect(seen).toEqual(['return  # xxxx\n']);
    injected.dispose();
  });
  it('gives the same bytes twice', () => {
    const text = 'def f(:\n  return\nbreak\n)';
    expect(JSON.stringify(checker.check(text, 'python'))).toBe(JSON.stringify(checker.check(text, 'python')));
  });
  it('does nothing when it is aborted', async () => {
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(createSyntaxChecker(['python'], { signal })).rejects.toThrow('stop');
  });
});
