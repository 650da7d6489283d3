import type { Pair } from './python.ts';

const inFunction = (body: string) => `function f(p, q) { ${body} }`;

export const JAVASCRIPT_NAMES: Readonly<Record<string, readonly Pair[]>> = {
  'a renamed name that is seen': [
    [inFunction('let a = 1; return { a }'), inFunction('let b = 1; return { b }')],
    [inFunction('let { a } = p; return a'), inFunction('let { b } = p; return b')],
    [inFunction("let a = 1; return eval('a')"), inFunction("let b = 1; return eval('a')")],
    [inFunction('let a = 1; with (p) { return a }'), inFunction('let b = 1; with (p) { return b }')],
    [inFunction('const a = () => 1; return a.name'), inFunction('const b = () => 1; return b.name')],
    [inFunction('let a = function () {}; return a'), inFunction('let b = function () {}; return b')],
    [inFunction('let a = class {}; return a'), inFunction('let b = class {}; return b')],
    [inFunction('let a; a = () => 1; return a'), inFunction('let b; b = () => 1; return b')],
    [inFunction('let a; a ??= () => 1; return a'), inFunction('let b; b ??= () => 1; return b')],
    [inFunction('let [a = () => 1] = p; return a'), inFunction('let [b = () => 1] = p; return b')],
    [inFunction('function a() {} return a'), inFunction('function b() {} return b')],
    [inFunction('class a {} return a'), inFunction('class b {} return b')],
    ['export const a = 1', 'export const b = 1'],
    ['const a = 1', 'const b = 1'],
    ['class A { a = 1 }', 'class A { b = 1 }'],
    ['import { a } from "m"; a()', 'import { b } from "m"; b()'],
    ['x = { a: 1 }', 'x = { b: 1 }'],
    ['const f = (a = () => 1) => a', 'const f = (b = () => 1) => b'],
    ['var a; function g() { return a }', 'var b; function g() { return b }'],
  ],
  'a renamed name that captures': [
    [inFunction('let a = 1; return a - q'), inFunction('let a = 1; return q - a')],
    [inFunction('let a = 1, b = 2; return a - b'), inFunction('let a = 1, b = 2; return b - a')],
    [inFunction('let a = p; return a'), inFunction('let a = p; return b')],
    [inFunction('let a = 1; { let a = 2; g(a) } return a'), inFunction('let a = 1; { let b = 2; g(a) } return a')],
    [inFunction('let a = 1; { let b = 2 } return a'), inFunction('let a = 1; { a = 2 } return a')],
    [inFunction('try { g() } catch (e) { var e = 1 }'), inFunction('try { g() } catch (e) { var b = 1 }')],
    [inFunction('var a; { function a() {} } return a'), inFunction('var b; { function a() {} } return b')],
    [inFunction('let a = 1; return () => a'), inFunction('let a = 1; return () => b')],
    [inFunction('for (let a of p) g(a); return a'), inFunction('for (let b of p) g(b); return b')],
    [inFunction('let a = p; let b = q; return [a, b]'), inFunction('let a = p; let b = q; return [b, a]')],
    [inFunction('let a = p; return `§{a}§{q}`'), inFunction('let a = p; return `§{q}§{a}`')],
    ['const f = (a, b) => a', 'const f = (a, b) => b'],
    ['const f = (a) => a(b)', 'const f = (b) => b(b)'],
  ],
  'a name that JavaScript does not fold': [
    ['\u00e9 = 1', 'e\u0301 = 1'],
    ['x = a.\u00e9', 'x = a.e\u0301'],
    ['\u0430 = 1', 'a = 1'],
    ['x = a.b', 'x = a.B'],
    ['x = a.b', "x = a['c']"],
    ['class A { #x = 1 }', 'class A { x = 1 }'],
    ['x = $a', 'x = _a'],
    ["x = { '\u212b': 1 }", "x = { '\u00c5': 1 }"],
    ['x = a.\uff42', 'x = a.b'],
    ['x = a\u200d', 'x = a'],
    ["x = 'a\u00a0b'", "x = 'a b'"],
  ],
};

export const TSX: Readonly<Record<string, readonly Pair[]>> = {
  'text between tags': [
    ['x = <b>a  b</b>', 'x = <b>a b</b>'],
    ['x = <b>{a} {b}</b>', 'x = <b>{a}{b}</b>'],
    ['x = <b> a</b>', 'x = <b>a</b>'],
    ['x = <b>// a</b>', 'x = <b></b>'],
    ['x = <b>/* a */</b>', 'x = <b></b>'],
    ['x = <b a="a  b" />', 'x = <b a="a b" />'],
    ['x = <b a="\\n" />', "x = <b a={'\\n'} />"],
    ['x = <b>{" "}</b>', 'x = <b> </b>'],
    ['x = <b>&nbsp;</b>', 'x = <b> </b>'],
    ['x = <><b /></>', 'x = <b />'],
    ['x = <B />', 'x = <b />'],
    ['x = <b a />', 'x = <b a={false} />'],
    ['x = <b {...a} b />', 'x = <b b {...a} />'],
  ],
};

export const TYPESCRIPT: Readonly<Record<string, readonly Pair[]>> = {
  'types and what checks them': [
    ['let x: number = 1', 'let x = 1'],
    ['// @ts-ignore\nf(1)', 'f(1)'],
    ['// @ts-expect-error\nf(1)', 'f(1)'],
    ['// @ts-nocheck\nf(1)', 'f(1)'],
    ['/// <reference types="node" />\nf(1)', 'f(1)'],
    ['type\nA = 1', 'type A = 1'],
    ['let x = a\n!b', 'let x = a!\nb'],
    ['let x = a as b', 'let x = a\nas\nb'],
    ['interface A { b?: c }', 'interface A { b: c }'],
    ['f<a>(b)', 'f<b>(b)'],
    ['class A { constructor(private a: number) {} }', 'class A { constructor(private b: number) {} }'],
    ['class A { constructor(readonly a: number) {} }', 'class A { constructor(a: number) {} }'],
    ['let x = a!.b', 'let x = a.b'],
    ['let x = (a?.b)!.c', 'let x = a?.b!.c'],
    ['enum A { a }', 'enum A { b }'],
    ['type A = (B | C)[]', 'type A = B | C[]'],
    ['declare let a: number', 'let a: number'],
    ['let x = <A>(b)', 'let x = <A>(b: c) => d'],
  ],
};

/** Languages nobody parses here: anything may count. */
export const OTHER: Readonly<Record<string, readonly Pair[]>> = {
  yml: [
    ['a:\n  b: 1\n', 'a:\nb: 1\n'],
    ['a: |\n  b\n', 'a: |\n   b\n'],
    ["a: 'b  c'\n", "a: 'b c'\n"],
    ['a: 1 # b\n', 'a: 1\n'],
  ],
  mk: [['a:\n\tb\n', 'a:\n    b\n']],
  md: [['a  \nb\n', 'a\nb\n']],
  sh: [['cat <<A\n  b\nA\n', 'cat <<A\nb\nA\n']],
  go: [['x := `a  b`\n', 'x := `a b`\n']],
  hs: [['f = do\n  a\n  b\n', 'f = do\n  a\n   b\n']],
  fs: [['let f x =\n  a\n  b\n', 'let f x =\n  a\nb\n']],
  rb: [['x = %w(a  b)\n', 'x = %w(a b)\n']],
};
