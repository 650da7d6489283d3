import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParser, type Language, type Parser } from '../src/index.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

/** One line a use: `name@line -> line of its definition`, or `-> ?`. */
function uses(text: string, language: Language): string[] {
  const { definitions, uses: found } = parser.names(text, language);
  return found.map(({ name, line, definition, type_only }) => {
    const to = definition === undefined ? '?' : definitions[definition]?.line;
    return `${name}@${line} -> ${to}${type_only ? ' type' : ''}`;
  });
}
/** One line a definition: `kind name in scope`. */
function definitions(text: string, language: Language): string[] {
  const { definitions: found, scopes } = parser.names(text, language);
  return found.map(({ kind, name, scope, type_only }) => {
    const { kind: where, first } = scopes[scope] ?? { kind: '?', first: 0 };
    return `${kind} ${name} in ${where}${first > 1 ? first : ''}${type_only ? ' type' : ''}`;
  });
}
const lines = (...text: string[]) => `${text.join('\n')}\n`;

describe('uses in Python', () => {
  it('does not see class names from methods', () =>
    expect(uses(lines('x = 1', 'class A:', '    x = 2', '    y = x', '    def f(self): return x'), 'python')).toEqual([
      'x@4 -> 3',
      'x@5 -> 1',
    ]));
  it('resolves closures, global and nonlocal', () =>
    expect(
      uses(
        lines(
          'g = 1',
          'def f():',
          '    n = 2',
          '    def h():',
          '        nonlocal n',
          '        global g',
          '        n = g',
          '        return n',
          '    return h',
        ),
        'python',
      ),
    ).toEqual(['g@7 -> 1', 'n@8 -> 3', 'h@9 -> 4']));
  it('evaluates the first iterable, defaults, decorators and annotations outside', () =>
    expect(
      uses(
        lines(
          'a = 1',
          'class C:',
          '    a = 2',
          '    b = [a for a in a for c in a]',
          '    @a',
          '    def f(self, x=a) -> a: return a',
        ),
        'python',
      ),
    ).toEqual(['a@4 -> 4', 'a@4 -> 3', 'a@4 -> 4', 'a@5 -> 3', 'a@6 -> 3', 'a@6 -> 3', 'a@6 -> 1']));
  it('knows type parameters', () =>
    expect(uses(lines('class A[T](B[T]):', '    def f[U](self, x: T, y: U) -> U: return T'), 'python')).toEqual([
      'B@1 -> ?',
      'T@1 -> 1',
      'T@2 -> 1',
      'U@2 -> 2',
      'U@2 -> 2',
      'T@2 -> 1',
    ]));
  it('reads keyword arguments and attributes as no names', () =>
    expect(uses('f(a=b).c.d\n', 'python')).toEqual(['f@1 -> ?', 'b@1 -> ?']));
  it('makes a deleted name local', () =>
    expect(uses(lines('x = 1', 'def f():', '    del x'), 'python')).toEqual(['x@3 -> ?']));
});

describe('definitions in Python', () => {
  it('binds every kind of target', () =>
    expect(
      definitions(
        lines(
          'import a.b, c as d',
          'from e import (f as g, h)',
          'for i, (j, *k) in l: pass',
          'with m as n, o as (p, q[0], r.s): pass',
          'try: pass',
          'except E as t: pass',
          'u: int = 1; v: int; w += 1; x = y = 2',
          '[z := 1, lambda aa, *bb: 0]',
        ),
        'python',
      ),
    ).toEqual([
      'import a in module',
      'import d in module',
      'import g in module',
      'import h in module',
      'variable i in module',
      'variable j in module',
      'variable k in module',
      'variable n in module',
      'variable p in module',
      'exception t in module',
      'variable u in module',
      'annotation v in module',
      'variable w in module',
      'variable x in module',
      'variable y in module',
      'variable z in module',
      'parameter aa in lambda8',
      'parameter bb in lambda8',
    ]));
  it('captures in match, but not what is compared', () =>
    expect(
      definitions(
        lines(
          'match x:',
          '    case [a, *b] | {"k": c, **d}: pass',
          '    case E.F | G(h, i=j) as k: pass',
          '    case _: pass',
        ),
        'python',
      ),
    ).toEqual(['a', 'b', 'c', 'd', 'h', 'j', 'k'].map((name) => `variable ${name} in module`)));
  it('binds a walrus outside of its comprehension', () =>
    expect(definitions(lines('def f(y):', '    return [(n := x) for x in y]'), 'python')).toEqual([
      'function f in module',
      'parameter y in function2',
      'variable n in function2',
      'variable x in comprehension2',
    ]));
  it('marks a scope that import * leaves open', () =>
    expect(parser.names('from a import *\n', 'python').scopes[0]?.open).toBe(true));
});

describe('uses in JavaScript', () => {
  it('hoists var and functions, keeps let in its block', () =>
    expect(
      uses(
        lines(
          'function f() {',
          '  a; b; c;',
          '  { var a = 1; let b = 2; function c() {} }',
          '  g;',
          '}',
          'let b;',
          'function g() {}',
        ),
        'javascript',
      ),
    ).toEqual(['a@2 -> 3', 'b@2 -> 6', 'c@2 -> ?', 'g@4 -> 7']));
  it('resolves destructuring, defaults and parameters', () =>
    expect(
      uses(
        lines('const { a, b: [c = a], ...d } = e;', 'const f = (g, { h } = g) => a + c + d + g + h + b;'),
        'javascript',
      ),
    ).toEqual([
      'a@1 -> 1',
      'e@1 -> ?',
      'g@2 -> 2',
      'a@2 -> 1',
      'c@2 -> 1',
      'd@2 -> 1',
      'g@2 -> 2',
      'h@2 -> 2',
      'b@2 -> ?',
    ]));
  it('reads properties, labels and keys as no names', () =>
    expect(
      uses(
        lines(
          'a: for (;;) { break a; }',
          '({ b: c, d, [e]: f.g, h() {} });',
          'class I { j = k; #l; m() { return this.#l; } }',
        ),
        'javascript',
      ),
    ).toEqual(['c@2 -> ?', 'd@2 -> ?', 'e@2 -> ?', 'f@2 -> ?', 'k@3 -> ?']));
  it('knows catch, loops, imports and exports', () =>
    expect(
      uses(
        lines(
          "import a, { b as c } from 'd';",
          'export { c as e };',
          "export { f } from 'd';",
          'try { a; } catch ({ g }) { g; }',
          'for (const h of a) h;',
          'h;',
        ),
        'javascript',
      ),
    ).toEqual(['c@2 -> 1', 'a@4 -> 1', 'g@4 -> 4', 'a@5 -> 1', 'h@5 -> 5', 'h@6 -> ?']));
  it('sees the name of a function expression inside it alone', () =>
    expect(uses(lines('const a = function b() { return b; };', 'b;'), 'javascript')).toEqual(['b@1 -> 1', 'b@2 -> ?']));
  it('reads JSX', () =>
    expect(uses('const A = () => <B.C d={e}><f /><A {...g} /></B.C>;\n', 'javascript')).toEqual([
      'B@1 -> ?',
      'e@1 -> ?',
      'A@1 -> 1',
      'g@1 -> ?',
    ]));
});

describe('assignments in JavaScript', () => {
  it('are definitions in the scope of the declaration', () =>
    expect(
      definitions(
        lines('let a;', 'function f(b) {', '  a = 1; b += 2; c = 3;', '  ({ a, d: b.e } = f);', '}'),
        'javascript',
      ),
    ).toEqual([
      'variable a in module',
      'function f in module',
      'parameter b in function2',
      'assignment a in module',
      'assignment b in function2',
      'assignment c in module',
      'assignment a in module',
    ]));
});

describe('names in TypeScript', () => {
  it('marks what exists for the type checker alone', () =>
    expect(
      definitions(
        lines(
          "import type { A } from 'a';",
          'interface B<C> { d(e: C): void }',
          'type F = A;',
          'class G<H> {}',
          'enum I { J }',
          'declare const k: F;',
        ),
        'typescript',
      ),
    ).toEqual([
      'import A in module type',
      'type B in module type',
      'type C in type2 type',
      'parameter e in type2 type',
      'type F in module type',
      'class G in module',
      'type H in class4 type',
      'variable I in module',
      'variable J in block5',
      'variable k in module',
    ]));
  it('keeps types and values of one name apart', () =>
    expect(
      uses(lines('interface A { b: 1 }', 'function f() {', '  const A: A = x as A;', '  return A;', '}'), 'typescript'),
    ).toEqual(['A@3 -> 1 type', 'x@3 -> ?', 'A@3 -> 1 type', 'A@4 -> 3']));
  it('sees infer, mapped keys and typeof', () =>
    expect(
      uses(
        lines('type A<T> = T extends (infer U)[] ? U : { [K in keyof T]: K };', 'const b = 1;', 'type C = typeof b;'),
        'typescript',
      ),
    ).toEqual(['T@1 -> 1 type', 'U@1 -> 1 type', 'T@1 -> 1 type', 'K@1 -> 1 type', 'b@3 -> 2 type']));
});

describe('names', () => {
  it('give places that hold the name', () => {
    const text = 'é = 1; "😀"; x = é\r\ny = x\n';
    const table = parser.names(text, 'python');
    for (const { name, start, end } of [...table.definitions, ...table.uses]) expect(text.slice(start, end)).toBe(name);
  });
});
