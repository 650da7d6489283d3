import { createParser, type Language, type Parser } from '@h/syntax';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { normalizeTokens } from '../src/normalize-tokens.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

type Pair = readonly [why: string, a: string, b: string];

function words(text: string, language: Language): string {
  const { tokens, partial } = parser.tokenList(text, language);
  expect(partial, text).toBe(false);
  return JSON.stringify(normalizeTokens(text, tokens, language).words);
}

/** Families of programs that a careless rule takes for one (field guide, dedup). */
const DIFFERENT: Readonly<Record<string, readonly Pair[]>> = {
  python: [
    ['a statement inside or after a loop', 'for i in a:\n    b()\n    c()\n', 'for i in a:\n    b()\nc()\n'],
    [
      'a statement inside or after a nested block',
      'if a:\n  if b:\n    c()\n  d()\n',
      'if a:\n  if b:\n    c()\n    d()\n',
    ],
    [
      'else of the for or of the if',
      'for i in a:\n  if b:\n    c()\n  else:\n    d()\n',
      'for i in a:\n  if b:\n    c()\nelse:\n  d()\n',
    ],
    [
      'return at two depths',
      'def f():\n  for i in a:\n    b\n    return x\n',
      'def f():\n  for i in a:\n    b\n  return x\n',
    ],
    ['a tab in a string', "s = 'a\tb'\n", "s = 'a b'\n"],
    ['indentation in a triple-quoted string', "s = '''\n  a\n'''\n", "s = '''\na\n'''\n"],
    ['a blank line in a triple-quoted string', "s = '''\na\n\nb\n'''\n", "s = '''\na\nb\n'''\n"],
    ['trailing blanks in a triple-quoted string', "s = '''a  \n'''\n", "s = '''a\n'''\n"],
    ['a doctest', 'def f():\n  """\n  >>> f()\n  1\n  """\n', 'def f():\n  """\n  >>> f()\n  2\n  """\n'],
    ['a type comment', 'x = []  # type: list[int]\n', 'x = []\n'],
    ['another type comment', 'x = []  # type: list[int]\n', 'x = []  # type: list[str]\n'],
    ['noqa', 'import a  # noqa: F401\n', 'import a\n'],
    ['the line a directive stands on', 'f(a,  # noqa\n  b)\n', 'f(a,\n  b)  # noqa\n'],
    ['how much of its line a directive covers', 'f(a,\n  b  # noqa\n)\n', 'f(a, b  # noqa\n)\n'],
    ['a coding line', '# -*- coding: latin-1 -*-\nx = 1\n', 'x = 1\n'],
    ['a shebang', '#!/usr/bin/env python3\nx = 1\n', 'x = 1\n'],
    ['pragma', 'if a:  # pragma: no cover\n    b()\n', 'if a:\n    b()\n'],
    [
      'script metadata',
      '# /// script\n# dependencies = ["a"]\n# ///\nx = 1\n',
      '# /// script\n# dependencies = ["b"]\n# ///\nx = 1\n',
    ],
    ['two minuses', 'a - -b\n', 'a - - - b\n'],
    ['blanks in a self-naming field', "f'{x=}'\n", "f'{ x = }'\n"],
    ['blanks in a self-naming call', "f'{f(a, b)=}'\n", "f'{f(a,b)=}'\n"],
    ['blanks in a self-naming field with conversion', "f'{x=!r}'\n", "f'{x =!r}'\n"],
    ['a format', "f'{x:>5}'\n", "f'{x:<5}'\n"],
    ['a blank in a format', "f'{x: >5}'\n", "f'{x:>5}'\n"],
    ['a format of one blank', "f'{x: }'\n", "f'{x:}'\n"],
    ['blanks in a self-naming field with a format', "f'{x=:>5}'\n", "f'{x =:>5}'\n"],
    ['a nested format', "f'{x:>{w}.2f}'\n", "f'{x:>{w}.3f}'\n"],
    ['the literal part of a formatted string', "f'a  {x}'\n", "f'a {x}'\n"],
    ['a statement order with side effects', 'import a\nimport b\n', 'import b\nimport a\n'],
    ['True, 1 and 1.0', 'x = True\n', 'x = 1\n'],
    ['1 and 1.0', 'x = 1\n', 'x = 1.0\n'],
    ['== and is', 'a == 1\n', 'a is 1\n'],
    ['commuted addition', 'x = 0.1 + 0.2 + y\n', 'x = y + 0.1 + 0.2\n'],
    ['a keyword argument', 'f(a=1)\n', 'f(b=1)\n'],
    ['a letter that only looks alike', 'а = 1\n', 'a = 1\n'],
    ['composed and decomposed', "s = '\u00e9'\n", "s = 'e\u0301'\n"],
    ['a semicolon in one line', 'if a: b(); c()\n', 'if a: b()\nc()\n'],
    ['a continuation and a statement of its own', 'x = a \\\n  + b\n', 'x = a\n+ b\n'],
    ['a tuple', 'x = a,\n', 'x = a\n'],
    ['raw strings', "s = r'\\n'\n", "s = '\\n'\n"],
  ],
  javascript: [
    ['return and a line end', 'function f() { return\n{} }', 'function f() { return {} }'],
    ['return and a line end in a comment', 'function f() { return /*\n*/ 1 }', 'function f() { return 1 }'],
    ['throw', 'function* g() { yield\na }', 'function* g() { yield a }'],
    ['break and its label', 'a: for (;;) { break\na }', 'a: for (;;) { break a }'],
    ['continue and its label', 'a: for (;;) { continue\na }', 'a: for (;;) { continue a }'],
    ['async and its function', 'async\nfunction f() {}', 'async function f() {}'],
    ['minus minus', 'a\n--b', 'a--\nb'],
    ['two minuses', 'a - -b', 'a-- - b'],
    ['two pluses', 'a + +b', 'a++ + b'],
    ['a tag', 'a\n;`b`', 'a\n`b`'],
    ['a call', 'a\n;(b)', 'a\n(b)'],
    ['a comment in a template', 'x = `// a`', 'x = ``'],
    ['a line end in a template', 'x = `a\nb`', 'x = `a b`'],
    ['a URL', "x = 'http://a  b'", "x = 'http://a b'"],
    ['strict', '"use strict"; f()', 'f()'],
    ['pure', 'x = /* @__PURE__ */ f()', 'x = f()'],
    ['a hash-bang', '#!/usr/bin/env node\nf()', 'f()'],
    ['eslint', '/* eslint-disable */ f()', 'f()'],
    ['a JSDoc type', '/** @type {number} */\nlet x = f()', '/** @type {string} */\nlet x = f()'],
    ['coverage', '/* c8 ignore next */\nf()', 'f()'],
    ['a bundler note', "import(/* webpackChunkName: 'a' */ './a')", "import('./a')"],
    ['the line of a directive', 'f() // eslint-disable-line\ng()', 'f()\ng() // eslint-disable-line'],
    ['the distance of a directive', '// eslint-disable-next-line\nf()', '// eslint-disable-next-line\n\nf()'],
    ['JSX text', 'x = <b>a  b</b>', 'x = <b>a b</b>'],
    ['a blank between JSX expressions', 'x = <b>{a} {b}</b>', 'x = <b>{a}{b}</b>'],
    ['a regular expression', 'x = /[ ]/', 'x = /[  ]/'],
    ['a private name', 'class A { #x = 1 }', 'class A { x = 1 }'],
    ['a number spelt otherwise', 'x = 0x10', 'x = 16'],
  ],
  typescript: [
    ['expected errors', '// @ts-expect-error\nf(1)', 'f(1)'],
    ['no check', '// @ts-nocheck\nf(1)', 'f(1)'],
    ['a reference', '/// <reference types="node" />\nf(1)', 'f(1)'],
    ['type and its name', 'type\nA = 1', 'type A = 1'],
    ['a non-null operator', 'let x = a\n!b', 'let x = a!\nb'],
    ['as', 'let x = a as b', 'let x = a\nas\nb'],
    ['an optional property', 'interface A { b?: c }', 'interface A { b: c }'],
    ['generics', 'f<a>(b)', 'f<b>(b)'],
  ],
};

/** What only people read. */
const SAME: Readonly<Record<string, readonly Pair[]>> = {
  python: [
    ['a comment line', '# one\nx = 1\n', 'x = 1\n'],
    ['a comment in a block', 'if a:\n    # one\n    b()\n', 'if a:\n    b()\n'],
    ['a comment at another depth', 'if a:\n    b()\n# one\n    c()\n', 'if a:\n    b()\n    c()\n'],
    ['a wider indentation', 'if a:\n  b()\n', 'if a:\n        b()\n'],
    ['a continuation', 'x = 1 + \\\n    2\n', 'x = 1 + 2\n'],
    ['blanks around an operator', 'x=a+b\n', 'x = a + b\n'],
    ['trailing blanks', 'x = 1   \n', 'x = 1\n'],
    ['no final line end', 'x = 1', 'x = 1\n'],
    ['line ends in a string over several lines', "s = '''a\r\nb'''\r\n", "s = '''a\nb'''\n"],
    ['a form feed', 'x = 1\n\f\ny = 2\n', 'x = 1\ny = 2\n'],
    ['blank lines between a line directive and the end', 'f()  # noqa\n\n\n', 'f()  # noqa\n'],
    ['a comment after a field', "x = f(  # why\n  f'{a}')\n", "x = f(f'{a}')\n"],
  ],
  javascript: [
    ['a comment in a call', 'f(/* first */ a)', 'f(a)'],
    ['a JSDoc text', '/** Says hello. */\nfunction f() {}', 'function f() {}'],
    ['line ends', 'f();\r\ng();\r\n', 'f();\ng();\n'],
    ['a line end before a dot', 'a\n  .b()', 'a.b()'],
    ['a block on one line', 'if (a) {\n  b();\n}\n', 'if (a) { b(); }'],
    ['line ends in a template', 'x = `a\r\nb`', 'x = `a\nb`'],
    ['a line end after an arrow', 'x = (a) =>\n  b', 'x = (a) => b'],
  ],
  typescript: [
    ['a comment in a type', 'let x: /* a */ number', 'let x: number'],
    ['an interface on one line', 'interface A {\n  b: c;\n}', 'interface A { b: c; }'],
  ],
};

describe.each(Object.entries(DIFFERENT))('%s: different programs', (language, pairs) => {
  test.each(pairs)('%s', (_, a, b) => {
    expect(words(a, language as Language)).not.toBe(words(b, language as Language));
  });
});

describe.each(Object.entries(SAME))('%s: the same program', (language, pairs) => {
  test.each(pairs)('%s', (_, a, b) => {
    expect(words(a, language as Language)).toBe(words(b, language as Language));
  });
});
