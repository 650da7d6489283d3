import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyEdits, createGate, EditApplyError, type GateVerdict, type OwnedGate } from '../../src/index.ts';

let gate: OwnedGate;
beforeAll(async () => {
  gate = await createGate(['python', 'javascript', 'typescript', 'tsx', 'json']);
});
afterAll(() => gate.dispose());

function check(path: string, before: string | undefined, after: string, lint = true): string {
  return said(gate.check({ path, ...(before === undefined ? {} : { before }), after, lint }));
}

function said(verdict: GateVerdict): string {
  if (verdict.status === 'passed') return `${verdict.syntax} ${verdict.lint}`;
  return `${verdict.reason}${verdict.already_broken ? ' already_broken' : ''}`;
}

describe('syntax', () => {
  test.each([
    ['a.py', 'x = 1\n', 'passed passed'],
    ['a.py', 'x = (\n', 'syntax_error'],
    ['a.py', 'def f():\n  x = 1\n    y = 2\n', 'syntax_error'],
    ['a.py', 'return 1\n', 'syntax_error'],
    ['a.py', '', 'passed passed'],
    ['a.js', 'export const a = 1;\n', 'passed passed'],
    ['a.js', 'const a = ;\n', 'syntax_error'],
    ['a.js', 'const a = 1; const a = 2;\n', 'syntax_error'],
    ['a.mjs', 'await 1;\n', 'passed passed'],
    ['a.jsx', 'export const a = <b>1</b>;\n', 'passed passed'],
    ['a.ts', 'export const a: number = "x";\n', 'passed passed'],
    ['a.ts', 'export const a: = 1;\n', 'syntax_error'],
    ['a.tsx', 'export const a = <></>;\n', 'passed passed'],
    ['a.json', '{"a": 1}', 'passed not_run'],
    ['a.json', '{"a": 1,}', 'syntax_error'],
    ['tsconfig.json', '{"a": 1, /* b */}', 'not_run not_run'],
    ['x/tsconfig.build.json', '// a\n{}', 'not_run not_run'],
    ['.vscode/settings.json', '// a\n{}', 'not_run not_run'],
    ['package.json', '// a\n{}', 'syntax_error'],
    ['a.md', '```', 'not_run not_run'],
    ['a.go', 'func', 'not_run not_run'],
  ])('%s %j: %s', (path, after, expected) => {
    expect(check(path, undefined, after)).toBe(expected);
  });

  test('what the snapshot already had broken is refused too, and said', () => {
    expect(check('a.py', 'x = (\n', 'x = ((\n')).toBe('syntax_error already_broken');
    expect(check('a.py', 'x = (\n', 'x = 1\n')).toBe('passed passed');
    expect(check('a.json', '{,}', '{,,}')).toBe('syntax_error already_broken');
  });

  test('says where', () => {
    expect(gate.check({ path: 'a.py', after: 'x = 1\ny = = 2\n', lint: true })).toMatchObject({
      stage: 'parse',
      diagnostics: [{ line: 2, column: 4, code: 'invalid-syntax' }],
    });
  });
});

describe('undefined names', () => {
  const f = (body: string) => `def f(a):\n    return ${body}\n`;
  test.each([
    ['b', 'undefined_name'],
    ['b  # noqa', 'undefined_name'],
    ['b  # NOQA: F821', 'undefined_name'],
    ['max(a, 1)', 'passed passed'],
    ['[x for x in a]', 'passed passed'],
    ['(lambda b: b)(a)', 'passed passed'],
    ['__file__', 'passed passed'],
    ['f(a)', 'passed passed'],
    ['"b"', 'passed passed'],
    ['f"{b}"', 'undefined_name'],
    ['f"#{a}"', 'passed passed'],
  ])('python %s: %s', (body, expected) => {
    expect(check('a.py', f('a'), f(body))).toBe(expected);
  });

  test('a whole-file suppression does not disarm the gate', () => {
    expect(check('a.py', f('a'), `# ruff: noqa\n${f('b')}`)).toBe('undefined_name');
    expect(check('a.py', f('a'), `# flake8: noqa\n${f('b')}`)).toBe('undefined_name');
    expect(check('a.js', 'f(1);\n', '/* eslint-disable */ g(1);\n')).toBe('undefined_name');
  });

  test.each([
    ['a', 'passed passed'],
    ['b', 'undefined_name'],
    ['typeof b', 'passed passed'],
    ['Math.max(a, 1)', 'passed passed'],
    ['process.env', 'passed passed'],
    ['document.body', 'passed passed'],
    ['describe', 'passed passed'],
    ['a.b', 'passed passed'],
    ['{ b: a }', 'passed passed'],
    ['{ b }', 'undefined_name'],
    ['later()', 'passed passed'],
    ['b`x`', 'undefined_name'],
  ])('javascript %s: %s', (body, expected) => {
    const text = (returned: string) => `export function f(a) {\n  return ${returned};\n}\nfunction later() {}\n`;
    expect(check('a.js', text('a'), text(body))).toBe(expected);
    expect(check('a.ts', text('a'), text(body))).toBe(expected);
  });

  test.each([
    ['let x: B;\nf(x);', 'passed passed'],
    ['f(x as B);', 'passed passed'],
    ['f(new B());', 'undefined_name'],
    ['f(<T,>(x: T) => x);', 'passed passed'],
  ])('typescript %s: %s', (text, expected) => {
    const head = 'declare function f(a: unknown): void;\ndeclare const x: unknown;\n';
    expect(
      check('a.ts', head, text.startsWith('let') ? `declare function f(a: unknown): void;\n${text}` : head + text),
    ).toBe(expected);
  });

  test('that the snapshot had before are not this edit’s fault', () => {
    expect(check('a.py', f('b'), f('b + 1'))).toBe('passed passed');
    expect(check('a.py', f('b'), f('c'))).toBe('undefined_name');
    expect(check('a.js', 'b(1);\n', 'b(2);\n')).toBe('passed passed');
  });

  test('of a file with a star import, a stub or a declaration file get no verdict against them', () => {
    expect(check('a.py', undefined, `from math import *\n${f('floor(a)')}`)).toBe('passed passed');
    expect(check('a.pyi', undefined, f('b'))).toBe('passed not_run');
    expect(check('a.d.ts', undefined, 'declare const a: typeof b;\n')).toBe('passed not_run');
  });

  test('are left alone with lint switched off', () => {
    expect(check('a.py', f('a'), f('b'), false)).toBe('passed not_run');
    expect(check('a.py', f('a'), 'x = (', false)).toBe('syntax_error');
  });
});

describe('imports', () => {
  test.each([
    ['a.py', 'x = 1\n', 'import os\nx = 1\n', 'unused_import'],
    ['a.py', 'x = 1\n', 'import os  # noqa: F401\nx = 1\n', 'unused_import'],
    ['a.py', 'import os\nx = os\n', 'import os\nx = 1\n', 'unused_import'],
    ['a.py', 'import os\nx = 1\n', 'import os\nx = 2\n', 'passed passed'],
    ['a.py', 'import os\nx = 1\n', 'import os\nimport re\nx = 1\n', 'unused_import'],
    ['a.py', 'x = 1\n', 'import os\nx = os\n', 'passed passed'],
    ['p/__init__.py', 'x = 1\n', 'from os import path\nx = 1\n', 'passed passed'],
    ['a.py', 'x = 1\n', "from os import path\n__all__ = ['path']\nx = 1\n", 'passed passed'],
    ['a.js', 'f();\nfunction f() {}\n', "import g from 'g';\nf();\nfunction f() {}\n", 'unused_import'],
    ['a.js', '', "import g from 'g';\ng();\n", 'passed passed'],
    ['a.js', '', "import 'g';\n", 'passed passed'],
    ['a.js', '', "import g from 'g';\nexport { g };\n", 'passed passed'],
    ['a.ts', '', "import { G } from 'g';\nexport const x: G = null;\n", 'passed passed'],
    ['a.ts', '', "import type { G } from 'g';\nexport const x = 1;\n", 'unused_import'],
    ['a.tsx', '', "import { G } from 'g';\nexport const x = <G />;\n", 'passed passed'],
    ['a.tsx', '', "import React from 'react';\nexport const x = <b />;\n", 'passed passed'],
  ])('%s %j → %j: %s', (path, before, after, expected) => {
    expect(check(path, before, after)).toBe(expected);
  });

  test('an undefined name is named first', () => {
    expect(check('a.py', 'x = 1\n', 'import os\nx = y\n')).toBe('undefined_name');
  });
});

describe('loading', () => {
  test('judges only the languages asked for', async () => {
    const python = await createGate(['python'], { pythonVersion: '3.8' });
    expect(said(python.check({ path: 'a.js', after: '(', lint: true }))).toBe('not_run not_run');
    expect(said(python.check({ path: 'a.py', after: 'match x:\n    case 1: pass\n', lint: true }))).toBe(
      'syntax_error',
    );
    python.dispose();
  });

  test('refuses a language that it does not know, and an aborted signal', async () => {
    const unknown = createGate(['ruby' as 'python']);
    await expect(unknown).rejects.toBeInstanceOf(EditApplyError);
    await expect(unknown).rejects.toMatchObject({ code: 'unknown_language' });
    await expect(createGate(['python'], { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('leaves the snapshot as it was when it refuses', () => {
    const bytes = new TextEncoder().encode('x = 1\n');
    const kept = bytes.slice();
    const result = applyEdits({ 'a.py': bytes }, { file: 'a.py', blocks: [{ search: '1', replace: '(' }] }, { gate });
    expect(result).toMatchObject({
      status: 'rejected',
      rejection: { stage: 'parse', reason: 'syntax_error', path: 'a.py' },
    });
    expect(bytes).toEqual(kept);
  });
});

describe('by a grammar', () => {
  let grammars: OwnedGate;
  beforeAll(async () => {
    grammars = await createGate(['bash', 'c', 'go', 'java', 'rust', 'json']);
  });
  afterAll(() => grammars.dispose());
  const judge = (path: string, before: string | undefined, after: string) =>
    said(grammars.check({ path, ...(before === undefined ? {} : { before }), after, lint: true }));

  test.each([
    ['a.go', 'package p\n\nfunc F() int { return 1 }\n', 'package p\n\nfunc F() int { return 1 \n'],
    ['A.java', 'class A { int x = 1; }\n', 'class A { int x = ; }\n'],
    ['a.rs', 'fn f() -> i32 { 1 }\n', 'fn f( -> i32 { 1 }\n'],
    ['a.c', 'int f(void) { return 1; }\n', 'int f(void) { return 1; \n'],
    ['a.sh', 'for x in a b; do echo "$x"; done\n', 'for x in a b; do echo "$x"\n'],
  ])('%s', (path, good, bad) => {
    expect(judge(path, good, `${good}\n`)).toBe('passed not_run');
    expect(judge(path, good, bad)).toBe('syntax_error');
    expect(judge(path, undefined, bad)).toBe('syntax_error');
    expect(judge(path, bad, `${bad}\n`), 'a grammar that does not take the snapshot has no say').toBe(
      'not_run not_run',
    );
    expect(judge(path, bad, good)).toBe('passed not_run');
  });

  test('says where, and leaves other languages alone', () => {
    expect(
      grammars.check({ path: 'a.go', before: 'package p\n', after: 'package p\nfunc {\n', lint: true }),
    ).toMatchObject({
      stage: 'parse',
      diagnostics: [{ line: 2 }],
    });
    expect(judge('a.py', undefined, '(')).toBe('not_run not_run');
    expect(judge('a.json', undefined, '{')).toBe('syntax_error');
  });
});
