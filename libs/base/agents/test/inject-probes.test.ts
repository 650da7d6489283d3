import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { createProbeInjector, type InjectableLanguage, type ProbeSpec } from '../src/index.ts';
import { languageOf, planEverything } from './plan-everything.ts';

const injector = await createProbeInjector();
const packages = join(import.meta.dirname, '../../../../node_modules');

type Planned = Partial<ProbeSpec> & { at: string };

/** Probes by the text they stand at. In the result `P` is the hidden constant, `V` the hidden variable, `⟨K…⟩` an activation's start. */
function inject(
  text: string,
  planned: readonly Planned[],
  language: InjectableLanguage = 'javascript',
  path = 'a.mjs',
) {
  const probes = planned.map(({ at, ...spec }, n): ProbeSpec => {
    const start = text.indexOf(at);
    const line = text.slice(0, start).split('\n').length;
    return { n, line, role: 'statement', before: [], after: [], start, ...spec };
  });
  const result = injector.inject(text, language, { path, probes });
  if ('skipped' in result) throw new Error(result.skipped);
  const short = result.text
    .replaceAll(/__h_p\d+/g, 'P')
    .replaceAll(/__h_v\d+/g, 'V')
    .replace(
      /const P=globalThis\.__hp\?\.\((\d)(,\[[\d,]*\])?\);let V;/g,
      (_, kind, placed = '') => `⟨${kind}${placed}⟩`,
    )
    .replace(/globalThis\.__hp\?\.\(-1,\[[\d,]*\]\);/, '');
  return { text: short, placed: result.placed };
}

const branch = { role: 'branch' } as const;
const returns = { role: 'return' } as const;
const entry = { role: 'entry' } as const;

describe('injectProbes', () => {
  it.each<[string, string, Planned[], string]>([
    ['a statement', 'a()', [{ at: 'a()' }], '⟨1,[0]⟩P?.b(0);a();P?.a(0);'],
    [
      'values',
      'let x = 1; x++',
      [{ at: 'x++', before: ['x'], after: ['x'] }],
      '⟨1,[0]⟩let x = 1; P?.b(0,x);x++;P?.a(0,x);',
    ],
    [
      'the end of a statement together with the begin of the next',
      'let x = 1, y\ny = x\nif (y) x++\nz: x--',
      [
        { at: 'y = x', before: ['x'], after: ['y'] },
        { at: 'if', role: 'branch', before: ['y'], after: [] },
        { at: 'x--', after: ['x'] },
      ],
      '⟨1,[0,1,2]⟩let x = 1, y\nP?.b(0,x);y = x;\nP?.j(0,[y],1,[y]);if (y) {P?.k(1,"true");x++}else{P?.k(1,"false");}\nP?.b(2);z: x--;P?.a(2,x);',
    ],
    [
      'directives and imports first',
      '"use strict"\nimport { a } from "a"\na()',
      [{ at: 'a()' }],
      '"use strict"\nimport { a } from "a"\n⟨1,[0]⟩P?.b(0);a();P?.a(0);',
    ],
    [
      'a function and its parameters',
      'function f(a, { b }) { g() }',
      [{ at: 'function', ...entry, after: ['a', 'b'] }],
      'function f(a, { b }) {⟨0⟩try{P?.e(0,a,b); g() }finally{P?.x()}}',
    ],
    [
      'a function with directives',
      'function f() { "use strict"; g() }',
      [{ at: 'g()' }],
      'function f() { "use strict";;⟨0⟩try{ P?.b(0);g();P?.a(0); }finally{P?.x()}}',
    ],
    [
      'return',
      'function f(a) { return a }',
      [{ at: 'return', ...returns, before: ['a'] }],
      'function f(a) {⟨0⟩try{ P?.b(0,a);return (V=(0,a),P?.r(0,V),V) }finally{P?.x()}}',
    ],
    [
      'return without a value and without braces',
      'function f(a) { if (a) return\n f() }',
      [{ at: 'return', ...returns }],
      'function f(a) {⟨0⟩try{ if (a) {P?.q(0);return}\n f() }finally{P?.x()}}',
    ],
    [
      'throw',
      'function f(a) { throw a }',
      [{ at: 'throw' }],
      'function f(a) {⟨0⟩try{ P?.b(0);throw (V=(0,a),P?.h(0,V),V) }finally{P?.x()}}',
    ],
    [
      'an arrow with an expression',
      'const f = (a) =>\n  ({ a })',
      [{ at: '({ a })', ...returns, before: ['a'] }],
      'const f = (a) =>\n  {⟨0⟩try{P?.b(0,a);return((V=(0,({ a })),P?.r(0,V),V))}finally{P?.x()}}',
    ],
    [
      'if without else',
      'if (a) b()',
      [{ at: 'if', ...branch }],
      '⟨1,[0]⟩P?.b(0);if (a) {P?.k(0,"true");b()}else{P?.k(0,"false");}',
    ],
    [
      'else if',
      'if (a) { b() } else if (c) d(); else e()',
      [{ at: 'if (c)', ...branch }],
      '⟨1,[0]⟩if (a) { b() } else {P?.b(0);if (c) {P?.k(0,"true");d();} else {P?.k(0,"false");e()}}',
    ],
    [
      'a labelled if',
      'x: if (a) break x',
      [{ at: 'if', ...branch }],
      '⟨1,[0]⟩P?.b(0);x: if (a) {P?.k(0,"true");break x}else{P?.k(0,"false");}',
    ],
    [
      'for',
      'for (let i = 0; i < 2; i++) a()',
      [{ at: 'for', ...branch, before: ['i'], after: ['i'] }],
      '⟨1,[0]⟩P?.b(0);for (let i = 0; i < 2; (P?.l(0,i),i++)) {P?.i(0,i);a()};P?.k(0,"done");',
    ],
    [
      'while and do',
      'while (a) b(); do c(); while (d)',
      [
        { at: 'while (a)', ...branch },
        { at: 'do', ...branch },
      ],
      '⟨1,[0,1]⟩while ((P?.l(0),a)) {P?.i(0);b();};P?.k(0,"done"); do {P?.i(1);c();} while ((P?.l(1),d));P?.k(1,"done");',
    ],
    [
      'for of, its end and its continue',
      'for (const a of b) { if (a) continue; c() }',
      [{ at: 'for', ...branch, after: ['a'] }],
      '⟨1,[0]⟩P?.b(0);for (const a of b) {P?.i(0,a); if (a) {P?.l(0);continue;} c() ;P?.l(0);};P?.k(0,"done");',
    ],
    [
      'continue to an outer loop',
      'x: for (const a of b) for (;;) continue x',
      [{ at: 'x: for', ...branch }],
      '⟨1,[0]⟩P?.b(0);x: for (const a of b) {P?.i(0);for (;;) {P?.l(0);continue x};P?.l(0);};P?.k(0,"done");',
    ],
    [
      'switch',
      'switch (a) { case 1: case 2: b(); default: { c() } }',
      [{ at: 'switch', ...branch }],
      '⟨1,[0]⟩P?.b(0);switch (a) { case 1:P?.k(0,"case 1"); case 2: P?.k(0,"case 2");b(); default: P?.k(0,"case 3");{ c() } };P?.k(0,"none");',
    ],
    [
      'handlers',
      'function f() { try { a() } catch (e) { b() } finally { c() } }',
      [{ at: 'a()' }],
      'function f() {⟨0⟩try{ try { P?.b(0);a();P?.a(0); } catch (e) {P?.c(e); b() } finally {P?.f(); c() } }finally{P?.x()}}',
    ],
    [
      'await',
      'async function f(a) { await a; b() }',
      [{ at: 'b()' }],
      'async function f(a) {⟨0⟩try{ ;(V=await (V=(0,a),P?.s(),V),P?.w(),V); ;P?.b(0);b();P?.a(0); }finally{P?.x()}}',
    ],
    [
      'yield without a value',
      'function* f() { const a = yield }',
      [{ at: 'const' }],
      'function* f() {⟨2⟩try{ P?.b(0);const a = (V=yield (P?.s(),void 0),P?.w(),V);P?.a(0); }finally{P?.x()}}',
    ],
    [
      'a generator that delegates is not certain',
      'function* f() { yield* g() }',
      [{ at: 'yield*' }],
      'function* f() {⟨3⟩ P?.b(0);yield* g();P?.a(0); }',
    ],
    [
      'what leaves',
      'for (;;) { if (a) break; else continue }',
      [{ at: 'break' }, { at: 'continue' }],
      '⟨1,[0,1]⟩for (;;) { if (a) {P?.o(0);break;} else {P?.o(1);continue} }',
    ],
    [
      'a static block',
      'class A { static { a() } }',
      [{ at: 'a()' }],
      'class A { static { ⟨0⟩try{P?.b(0);a();P?.a(0); }finally{P?.x()}} }',
    ],
  ])('%s', (_, text, planned, expected) => expect(inject(text, planned).text).toBe(expected));

  it.each<[string, string, string, string[], string]>([
    ['a parameter', 'function f(a) { g() }', 'g()', ['a'], 'a'],
    ['a global', 'function f() { g() }', 'g()', ['console', 'g'], ''],
    ['what comes later', 'function f() { g(); let a = 1 }', 'g()', ['a'], 'P.g(()=>a)'],
    ['what came before', 'function f() { let a = 1; g() }', 'g()', ['a'], 'a'],
    ['what a hoisted function may see early', 'f(); let a = 1; function f() { g() }', 'g()', ['a'], 'P.g(()=>a)'],
    ['what an arrow sees', 'let a = 1; const f = () => { g() }', 'g()', ['a'], 'a'],
    [
      'a case that may be entered past a declaration',
      'switch (x) { case 1: let a = 1; case 2: g() }',
      'g()',
      ['a'],
      'P.g(()=>a)',
    ],
    ['imports', 'import { a } from "a"; a; function f() { g() }', 'g()', ['a'], 'P.g(()=>a)'],
    ['imports that nothing reads', 'import { a } from "a"; export { a }; function f() { x.a; g() }', 'g()', ['a'], ''],
    ['arguments', 'function f() { g(arguments) }', 'g(', ['arguments'], ''],
    ['this', 'function f() { g() }', 'g()', ['this'], 'P.g(()=>this)'],
    ['no this', 'const f = () => { g() }', 'g()', ['this'], ''],
    ['names between', 'function f(a) { g() }', 'g()', ['Z', 'a', 'z'], 'P.u,a'],
    ['a shadow of another block', 'let a; { let a = 1; } { g(); let a }', 'g()', ['a'], 'P.g(()=>a)'],
    ['a catch parameter', 'try {} catch ({ a: [b = 1] }) { g() }', 'g()', ['a', 'b'], 'P.u,b'],
    ['a class', 'class A {} g()', 'g()', ['A'], 'A'],
    ['text that is no name', 'const a = 1; g()', 'g()', ['a.b', 'a', 'g()'], 'P.u,a'],
  ])('reads %s', (_, text, at, before, expected) => {
    const start = inject(text, [{ at, before }]).text;
    expect(/P\?\.b\(0,?(.*?)\);g/.exec(start)?.[1]).toBe(expected);
  });

  it('places nothing under `with`, whose object would be asked for the probe', () => {
    const text = 'function f(a, o) { with (o) { g(); (() => { try { h() } catch (e) {} })() } k() }';
    const planned = [{ at: 'g()' }, { at: 'h()' }, { at: 'with' }, { at: 'k()', before: ['a'] }];
    const result = inject(text, planned, 'javascript', 'a.cjs');
    expect(result.placed).toEqual([2, 3]);
    expect(result.text.slice(result.text.indexOf('P?.o'))).toBe(
      'P?.o(2);with (o) { g(); (() => { try { h() } catch (e) {} })() } P?.b(3,a);k();P?.a(3); }',
    );
  });

  it('reads no type', () => {
    const source =
      'import { T, type U } from "t"\nimport type { V } from "t"\ndeclare const d: T\nconst enum E { A }\nnamespace N {}\nexport function f(a: T | U | V) { g(a as T) }';
    const { text } = inject(source, [{ at: 'g(', before: ['E', 'N', 'T', 'U', 'V', 'a', 'd'] }], 'typescript', 'a.ts');
    expect(text).toContain('P?.b(0,P.u,P.u,P.u,P.u,P.u,a);g(');
  });

  it('finds statements by line where no offset is given, and tells what it did not find', () => {
    const plan = (line: number, role: ProbeSpec['role']) => ({ at: '', start: undefined as never, line, role });
    const { placed } = inject('a()\nfunction f() { return 1 }\nimport "b"', [
      plan(1, 'statement'),
      plan(2, 'entry'),
      plan(2, 'return'),
      plan(2, 'return'),
      plan(3, 'statement'),
      plan(9, 'statement'),
    ]);
    expect(placed).toEqual([0, 1, 2]);
  });

  it('leaves the text as it is where nothing is placed', () => {
    const text = 'import "a"\n';
    expect(injector.inject(text, 'javascript', { path: 'a.mjs', probes: [] })).toEqual({ text, placed: [] });
  });

  it('takes other hidden names where the text holds them', () => {
    const probes: ProbeSpec[] = [{ n: 0, line: 1, role: 'statement', before: [], after: [] }];
    const result = injector.inject('__h_p0 = 1', 'javascript', { path: 'a.mjs', probes });
    expect('text' in result && result.text).toContain('const __h_p0_=');
  });

  it.each([
    ['what does not parse', 'if (', 'it does not parse'],
    ['generated text', `a("${'x'.repeat(6000)}")`, 'it looks generated'],
    ['a binding of globalThis', 'function a(globalThis) { b() }', 'it binds the name globalThis'],
  ])('skips %s', (_, text, why) => {
    const probes: ProbeSpec[] = [
      { n: 0, line: 1, role: 'statement', before: [], after: [], start: text.indexOf('b()') },
    ];
    const result = injector.inject(text, 'javascript', { path: 'a.js', probes });
    expect('skipped' in result && result.skipped.startsWith(why)).toBe(true);
  });

  it('gives the same bytes for the same text', () => {
    const text = 'for (const a of b) c(() => d)';
    const twice = [0, 1].map(() => JSON.stringify(inject(text, [{ at: 'c(', before: ['a'] }])));
    expect(twice[0]).toBe(twice[1]);
  });
});

/** Published code of all styles; the program without its probes must be the program, line by line the same. */
const corpora = [
  'zod/src/v4',
  'chai',
  'acorn/dist',
  'semver',
  'magic-string/dist',
  'execa',
  'picomatch',
  'diff/libcjs',
];

describe('a program with every statement probed, without its probes', () => {
  it.each(corpora)('is the program it was: %s', (folder) => {
    const paths = readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /(?<!\.d)\.[cm]?[jt]s$/.test(path) && !path.includes('node_modules'))
      .sort()
      .slice(0, 40);
    let placed = 0;
    for (const path of paths) {
      const text = readFileSync(join(packages, folder, path), 'utf8');
      const result = injector.inject(text, languageOf(path), { path, probes: planEverything(text, path) });
      if ('skipped' in result) continue;
      placed += result.placed.length;
      expect(result.text.split('\n').length, path).toBe(text.split('\n').length);
      expect(programText(result.text, path) === programText(text, path), path).toBe(true);
    }
    expect(placed).toBeGreaterThan(50);
  });
});

type Tree = { [field: string]: unknown } & { readonly type?: string };

/** The syntax tree as text, without offsets, probes, empty statements, and the braces of one-statement bodies. */
function programText(text: string, path: string): string {
  const lang = languageOf(path) === 'javascript' ? 'jsx' : 'ts';
  const sourceType = path.endsWith('.mjs') ? 'module' : path.endsWith('.cjs') ? 'commonjs' : 'unambiguous';
  const { program, errors } = parseSync(path, text, { lang, sourceType, astType: 'ts', preserveParens: false });
  expect(errors).toEqual([]);
  return JSON.stringify(withoutProbes(program, text));
}

const BODIES = ['consequent', 'alternate', 'body'];

function withoutProbes(node: unknown, text: string): unknown {
  if (Array.isArray(node))
    return node.flatMap((item) => unwrapped(item, text)).map((item) => withoutProbes(item, text));
  if (typeof node === 'bigint') return `${node}n`;
  if (typeof node !== 'object' || node === null) return node;
  const tree = node as Tree;
  const { type } = tree;
  const held = type === 'SequenceExpression' ? heldBy(tree.expressions as Tree[], text) : undefined;
  if (held !== undefined) return withoutProbes(held, text);
  if (type === 'YieldExpression' && /^yield \(__h_p\d+\?\.s\(\),void 0\)$/.test(sourceOf(tree, text)))
    return withoutProbes({ ...tree, argument: null }, text);
  const kept = Object.entries(tree).filter(
    ([field]) =>
      (field !== 'start' && field !== 'end' && field !== 'expression') ||
      (type !== 'ArrowFunctionExpression' && field === 'expression'),
  );
  const isBody = (field: string) =>
    BODIES.includes(field) && /^(?:If|For\w*|While|DoWhile|With)Statement$/.test(type ?? '');
  return Object.fromEntries(
    kept.map(([field, value]) => {
      const plain = withoutProbes(value, text) as Tree | null | undefined;
      const body = plain?.type === 'BlockStatement' ? (plain.body as Tree[]) : undefined;
      if (isBody(field) && body !== undefined && body.length < 2) return [field, body[0] ?? null];
      if (isBody(field) && plain?.type === 'EmptyStatement') return [field, null];
      const only = type === 'ArrowFunctionExpression' && field === 'body' && body?.length === 1 ? body[0] : undefined;
      return [field, only?.type === 'ReturnStatement' && only.argument !== null ? only.argument : plain];
    }),
  );
}

/** `(V=(0,e),probe,V)`, `(V=await e,probe,V)`, `(probe,e)`: e. */
function heldBy(parts: Tree[], text: string): unknown {
  if (parts[0] !== undefined && isProbe(parts[0], text)) return sequence(parts.slice(1));
  const [first, middle, last] = parts;
  if (parts.length !== 3 || middle === undefined || !isProbe(middle, text) || last?.type !== 'Identifier')
    return undefined;
  const given = first?.right as Tree;
  if (given.type !== 'SequenceExpression') return given;
  const inner = given.expressions as Tree[];
  return inner[0]?.type === 'Literal' && inner[0].value === 0 ? sequence(inner.slice(1)) : given;
}

function sequence(expressions: Tree[]): unknown {
  return expressions.length === 1 ? expressions[0] : { type: 'SequenceExpression', expressions };
}

/** Nothing for a probe, the statements of a block that only tells when it is left, else the item. */
function unwrapped(item: unknown, text: string): unknown[] {
  if (typeof item !== 'object' || item === null) return [item];
  const { type, expression, block, finalizer } = item as Tree;
  if (type === 'EmptyStatement') return [];
  if (type === 'ExpressionStatement' && isProbe(expression as Tree, text)) return [];
  if (type === 'VariableDeclaration' && /^(?:const __h_p\d+=|let __h_v\d+;$)/.test(sourceOf(item as Tree, text)))
    return [];
  if (type === 'TryStatement' && /^\{__h_p\d+\?\.x\(\)\}$/.test(sourceOf(finalizer as Tree | null, text)))
    return ((block as Tree).body as unknown[]).flatMap((inner) => unwrapped(inner, text));
  return [item];
}

function isProbe(node: Tree, text: string): boolean {
  return node.type === 'ChainExpression' && /^(?:__h_p\d+\?\.[a-z]|globalThis\.__hp\?\.)\(/.test(sourceOf(node, text));
}

function sourceOf(node: Tree | null, text: string): string {
  return node === null ? '' : text.slice(node.start as number, node.end as number);
}
