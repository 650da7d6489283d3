import { describe, expect, it } from 'vitest';
import { createStatementInjector, type InjectableLanguage } from '../src/index.ts';

const injector = await createStatementInjector();

/** In the expected text `#n;` stands for the probe of statement n, and `#n` for its call. */
function check(input: string, expected: string, lines: number[], language: InjectableLanguage = 'typescript') {
  const result = injector.inject(input, language, { path: language === 'tsx' ? 'a.tsx' : 'a.ts' });
  if ('skipped' in result) throw new Error(result.skipped);
  const probe = language === 'javascript' ? 'globalThis.__h?.($1)' : 'void (globalThis as any).__h?.($1)';
  expect(result.text).toBe(expected.replace(/#(\d+)/g, probe));
  expect(result.statements).toEqual(lines);
}

describe('injectStatements', () => {
  it.each<[string, string, string, number[]]>([
    ['statements', 'a()\nb();c()', '#0;a()\n#1;b();#2;c()', [1, 2, 2]],
    ['directives', '"use strict"\n"other"\na()', '"use strict"\n"other"\n#0;a()', [3]],
    ['a string that is no directive', 'a()\n"text"', '#0;a()\n#1;"text"', [1, 2]],
    [
      'imports and re-exports',
      'import a from "a"\nexport { b } from "b"\nexport * from "c"\na()',
      'import a from "a"\nexport { b } from "b"\nexport * from "c"\n#0;a()',
      [4],
    ],
    ['exported values', 'export const a = 1\nexport default a', '#0;export const a = 1\n#1;export default a', [1, 2]],
    [
      'exported functions',
      'export function a() {}\nexport default function () {}',
      'export function a() {}\nexport default function () {}',
      [],
    ],
    ['function bodies', 'function a() { "use strict"; return 1 }', 'function a() { "use strict"; #0;return 1 }', [1]],
    [
      'if without braces',
      'if (a) b()\nelse if (c) d()\nelse e()',
      '#0;if (a) {#1;b()}\nelse {#2;if (c) {#3;d()}\nelse {#4;e()}}',
      [1, 1, 2, 2, 3],
    ],
    ['if with braces', 'if (a) { b() } else { c() }', '#0;if (a) { #1;b() } else { #2;c() }', [1, 1, 1]],
    [
      'a loop and its last header',
      'for (const a of b) c()\nd()',
      '#0;for (const a of b) {#1;c()};#0;\n#2;d()',
      [1, 1, 2],
    ],
    ['an endless loop', 'while (true) a()', '#0;while (true) {#1;a()}', [1, 1]],
    ['an empty body', 'while (a());', '#0;while (a());;#0;', [1]],
    ['do', 'do a(); while (b)\nc()', '#0;do {#1;a();} while (b);#0;\n#2;c()', [1, 1, 2]],
    ['labels', 'a: for (;;) { break a }', '#0;a: for (;;) { #1;break a }', [1, 1]],
    [
      'switch',
      'switch (a) { case 1: b(); default: { c() } }',
      '#0;switch (a) { case 1: #1;b(); default: { #2;c() } }',
      [1, 1, 1],
    ],
    [
      'try',
      'try { a() } catch { b() } finally { c() }',
      '#0;try { #1;a() } catch { #2;b() } finally { #3;c() }',
      [1, 1, 1, 1],
    ],
    ['an arrow with an expression', 'const a = () =>\n  ({ b })', '#0;const a = () =>\n  (#1,({ b }))', [1, 2]],
    ['an arrow in an arrow', 'a((b) => (c) => b + c)', '#0;a((b) => (#1,(c) => (#2,b + c)))', [1, 1, 1]],
    ['a default argument', 'function a(b = () => 1) {}', 'function a(b = () => (#0,1)) {}', [1]],
    [
      'class members',
      'class A { x = 1; y = () => 2; static { z() } m() { n() } }',
      '#0;class A { x = 1; y = () => (#1,2); static { #2;z() } m() { #3;n() } }',
      [1, 1, 1, 1],
    ],
    [
      'super',
      'class A extends B { constructor() { super(); c() } }',
      '#0;class A extends B { constructor() { #1;super(); #2;c() } }',
      [1, 1, 1],
    ],
    [
      'decorated classes',
      '@a\n@b() class A {}\n@c export class B {}',
      '#0;@a\n@b() class A {}\n#1;@c export class B {}',
      [1, 3],
    ],
    [
      'types',
      'type A = 1\ninterface B { c(): void }\ndeclare const d: 1\ndeclare function e(): void\nexport type { F } from "f"',
      'type A = 1\ninterface B { c(): void }\ndeclare const d: 1\ndeclare function e(): void\nexport type { F } from "f"',
      [],
    ],
    [
      'overloads',
      'function a(b: 1): 1\nfunction a(b: any) { return b }',
      'function a(b: 1): 1\nfunction a(b: any) { #0;return b }',
      [2],
    ],
    [
      'abstract members',
      'abstract class A { abstract b(): void; c?(): void }',
      '#0;abstract class A { abstract b(): void; c?(): void }',
      [1],
    ],
    [
      'enums',
      'enum A { B }\nconst enum C { D }\ndeclare enum E { F }',
      '#0;enum A { B }\nconst enum C { D }\ndeclare enum E { F }',
      [1],
    ],
    [
      'namespaces',
      'namespace A { export const b = 1 }\nnamespace C { export interface D {} }',
      'namespace A { #0;export const b = 1 }\nnamespace C { export interface D {} }',
      [1],
    ],
    [
      'a cast that holds a function',
      'const a = <B>(() => c)\nconst d = (() => e) as F',
      '#0;const a = <B>(() => (#1,c))\n#2;const d = (() => (#3,e)) as F',
      [1, 1, 2, 2],
    ],
    [
      'ASI',
      'const a = 1\n;[1].map(b)\nlet c = a\n++c',
      '#0;const a = 1\n;#1;[1].map(b)\n#2;let c = a\n#3;++c',
      [1, 2, 3, 4],
    ],
    ['line ends of every kind', 'a()\r\nb()\u2028c()\rd()', '#0;a()\r\n#1;b()\u2028#2;c()\r#3;d()', [1, 2, 3, 4]],
    ['a byte order mark', '\uFEFFa()', '\uFEFF#0;a()', [1]],
    ['text beyond the BMP', 'a("𝒳")\nb()', '#0;a("𝒳")\n#1;b()', [1, 2]],
  ])('%s', (_, input, expected, lines) => check(input, expected, lines));

  it('JSX', () =>
    check(
      'const a = <b c={() => d}>{e.map((f) => <g />)}</b>',
      '#0;const a = <b c={() => (#1,d)}>{e.map((f) => (#2,<g />))}</b>',
      [1, 1, 1],
      'tsx',
    ));

  it('numbers from the first id on, and tells what runs while loading', () => {
    const text = 'a()\nfunction b() { c() }\nclass D { static { e() } }';
    const result = injector.inject(text, 'javascript', { path: 'a.js', firstId: 10 });
    expect(result).toMatchObject({ statements: [1, 2, 3, 3], top: [0, 2, 3] });
    expect('text' in result && result.text.match(/\d\d/g)).toEqual(['10', '11', '12', '13']);
  });

  it.each<[string, InjectableLanguage, string, string]>([
    [
      'JavaScript',
      'javascript',
      "'use strict'\nfunction a() { return b }",
      "'use strict'\nvar __covh=globalThis.__h;function a() { typeof __covh=='function'?__covh(0):globalThis.__h?.(0);return b }",
    ],
    [
      'TypeScript',
      'typescript',
      'export const a = 1\nconst b = () => 2',
      "var __covh=(globalThis as any).__h;typeof __covh=='function'?__covh(0):(globalThis as any).__h?.(0);export const a = 1\n" +
        "typeof __covh=='function'?__covh(1):(globalThis as any).__h?.(1);const b = () => (typeof __covh=='function'?__covh(2):(globalThis as any).__h?.(2),2)",
    ],
    ['a program without statements', 'javascript', "'use strict'", "'use strict'"],
  ])('holds the function in a variable: %s', (_, language, text, expected) => {
    expect(injector.inject(text, language, { path: 'a.ts', isHeld: true })).toMatchObject({ text: expected });
  });

  it.each([
    ['what does not parse', 'if (', 'it does not parse'],
    ['generated text', `a("${'x'.repeat(6000)}")`, 'it looks generated'],
    ['nesting too deep for the walk', `${'('.repeat(20000)}1${')'.repeat(20000)}`, 'it '],
    ['a binding of globalThis', 'function a(globalThis) {}', 'it binds the name globalThis'],
  ])('skips %s', (_, text, why) => {
    const result = injector.inject(text, 'javascript', { path: 'a.js' });
    expect('skipped' in result && result.skipped.startsWith(why)).toBe(true);
  });

  it('takes scripts and modules as their extension says', () => {
    const inject = (path: string) => injector.inject('return 1', 'javascript', { path });
    expect('text' in inject('a.cjs')).toBe(true);
    expect('text' in inject('a.js')).toBe(true);
    expect('skipped' in inject('a.mjs')).toBe(true);
  });

  it('gives the same bytes for the same text', () => {
    const twice = [0, 1].map(() =>
      JSON.stringify(injector.inject('for (const a of b) c(() => d)', 'tsx', { path: 'a.tsx' })),
    );
    expect(twice[0]).toBe(twice[1]);
  });
});

describe('in threads', () => {
  it.each<[InjectableLanguage, string, string]>([
    ['javascript', 'g', 'n'],
    ['typescript', 'g:any', 'n:number'],
  ])('takes what the parent left, after the directives: %s', (language, any, number) => {
    const result = injector.inject('"use strict"\na()', language, { path: 'a.ts', inThreads: true });
    if ('skipped' in result) throw new Error(result.skipped);
    expect(result.text.split('\n')[1]).toMatch(/^void\(\(.*\)\(globalThis\);.*__h\?\.\(0\);a\(\)$/);
    expect(result.text).toContain(`void((${any})=>{if(g.__h===undefined)`);
    expect(result.text).toContain(`value:(${number})=>{a[n]=1}`);
    expect(result.statements).toEqual([2]);
  });
});
