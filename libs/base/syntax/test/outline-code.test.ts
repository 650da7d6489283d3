import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParser, type Language, type Outline, type Parser, statementAt } from '../src/index.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

/** One line a statement: `first-last kind node | header text`. */
function statements(text: string, language: Language): string[] {
  return parser.outline(text, language).statements.map(({ kind, node, first, last, start, end }) => {
    const lines = first === last ? `${first}` : `${first}-${last}`;
    return `${lines} ${kind} ${node} | ${text.slice(start, end).replace(/\s+/g, ' ')}`;
  });
}
function functions(text: string, language: Language): string[] {
  return parser
    .outline(text, language)
    .functions.map(({ kind, qualified_name, first, last }) => `${first}-${last} ${kind} ${qualified_name}`);
}
const check = (language: Language, text: string, expected: string[]) =>
  expect(statements(text, language)).toEqual(expected);

describe('statements of Python', () => {
  it('gives a compound statement its header alone', () =>
    check('python', 'if a:\n    b\nelif c:\n    d\nelse:\n    e\n', [
      '1 statement if_statement | if a:',
      '2 statement expression_statement | b',
      '3 statement elif_clause | elif c:',
      '4 statement expression_statement | d',
      '6 statement expression_statement | e',
    ]));
  it('gives a header all its lines, without a comment after the colon', () =>
    check('python', 'while (a and\n       b):  # why\n    c\n', [
      '1-2 statement while_statement | while (a and b):',
      '3 statement expression_statement | c',
    ]));
  it('knows with, for, async for, try, match', () =>
    check(
      'python',
      [
        'async def f():',
        '    async for x in y: pass',
        '    with a as b: pass',
        '    try: pass',
        '    except E as e: pass',
        '    else: pass',
        '    finally: pass',
        '    match a:',
        '        case [1, _] if b: pass',
        '',
      ].join('\n'),
      [
        '1 definition function_definition | async def f():',
        '2 statement for_statement | async for x in y:',
        '2 statement pass_statement | pass',
        '3 statement with_statement | with a as b:',
        '3 statement pass_statement | pass',
        '4 statement try_statement | try:',
        '4 statement pass_statement | pass',
        '5 statement except_clause | except E as e:',
        '5 statement pass_statement | pass',
        '6 statement pass_statement | pass',
        '7 statement pass_statement | pass',
        '8 statement match_statement | match a:',
        '9 statement case_clause | case [1, _] if b:',
        '9 statement pass_statement | pass',
      ],
    ));
  it('gives a decorated definition its decorators and its signature', () =>
    check('python', '@a\n@b(\n  1)\ndef f(x,\n      y):\n    return x\n', [
      '1-5 definition decorated_definition | @a @b( 1) def f(x, y):',
      '6 statement return_statement | return x',
    ]));
  it('tells docstrings from other strings', () =>
    check('python', '# c\n"""doc"""\n"no"\nclass A:\n    "doc"\n    b"no"\ndef f():\n    f"no"\n', [
      '2 definition expression_statement | """doc"""',
      '3 statement expression_statement | "no"',
      '4 definition class_definition | class A:',
      '5 definition expression_statement | "doc"',
      '6 statement expression_statement | b"no"',
      '7 definition function_definition | def f():',
      '8 statement expression_statement | f"no"',
    ]));
  it('keeps two statements on a line apart and one over lines together', () =>
    check('python', 'a; b = [\n  1,\n]\nfrom x import (\n  y,\n)\n', [
      '1 statement expression_statement | a',
      '1-3 statement expression_statement | b = [ 1, ]',
      '4-6 import import_from_statement | from x import ( y, )',
    ]));
  it.each([
    ['CR LF', 'if a:\r\n    b\r\n', ['1 if_statement', '2 expression_statement']],
    ['lone CR', 'a\rb\r', ['1 expression_statement', '2 expression_statement']],
    ['a byte order mark', '\ufeffa\nb\n', ['1 expression_statement', '2 expression_statement']],
    ['a form feed', 'a\n\f\nb\n', ['1 expression_statement', '3 expression_statement']],
    ['tabs', 'if a:\n\tif b:\n\t\tc\n', ['1 if_statement', '2 if_statement', '3 expression_statement']],
    [
      'astral characters',
      'a = "😀"; b\nc\n',
      ['1 expression_statement', '1 expression_statement', '2 expression_statement'],
    ],
  ])('reads %s', (_, text, expected) =>
    expect(parser.outline(text, 'python').statements.map(({ first, node }) => `${first} ${node}`)).toEqual(expected),
  );
});

describe('statements of JavaScript and TypeScript', () => {
  it('gives a compound statement its header alone', () =>
    check('javascript', 'if (a) {\n  b();\n} else if (c) d();\nelse {\n  e();\n}\nwhile (f) g();\n', [
      '1 statement if_statement | if (a)',
      '2 statement expression_statement | b();',
      '3 statement if_statement | if (c)',
      '3 statement expression_statement | d();',
      '5 statement expression_statement | e();',
      '7 statement while_statement | while (f)',
      '7 statement expression_statement | g();',
    ]));
  it('knows for, switch, try and do', () =>
    check(
      'javascript',
      'for (let i = 0;\n  i < n; i++) {}\nfor (const a of b) c;\nswitch (a) {\n  case 1: b(); break;\n  default: c();\n}\ntry { a } catch (e) { b } finally { c }\ndo {\n  x();\n} while (y);\n',
      [
        '1-2 statement for_statement | for (let i = 0; i < n; i++)',
        '3 statement for_in_statement | for (const a of b)',
        '3 statement expression_statement | c;',
        '4 statement switch_statement | switch (a)',
        '5 statement switch_case | case 1:',
        '5 statement expression_statement | b();',
        '5 statement break_statement | break;',
        '6 statement expression_statement | c();',
        '8 statement try_statement | try',
        '8 statement expression_statement | a',
        '8 statement expression_statement | b',
        '8 statement expression_statement | c',
        '9-11 statement do_statement | do { x(); } while (y);',
        '10 statement expression_statement | x();',
      ],
    ));
  it('makes an expression-bodied arrow an entity where it starts on a line of its own', () =>
    check('javascript', 'const a = b.map((x) => x + 1);\nconst c = d.map(\n  (x) => x + 1,\n  (y) => { z; },\n);\n', [
      '1 statement lexical_declaration | const a = b.map((x) => x + 1);',
      '2-5 statement lexical_declaration | const c = d.map( (x) => x + 1, (y) => { z; }, );',
      '3 statement arrow_function | (x) => x + 1',
      '4 statement expression_statement | z;',
    ]));
  it('gives the body alone where only that starts on a line of its own', () =>
    check('javascript', 'const a = (b) =>\n  c(b);\n', [
      '1-2 statement lexical_declaration | const a = (b) => c(b);',
      '2 statement arrow_function | c(b)',
    ]));
  it('nests arrows by line', () =>
    check('javascript', 'f(\n  (a) => (b) => a,\n  (c) =>\n    (d) => c,\n);\n', [
      '1-5 statement expression_statement | f( (a) => (b) => a, (c) => (d) => c, );',
      '2 statement arrow_function | (a) => (b) => a',
      '3-4 statement arrow_function | (c) => (d) => c',
      '4 statement arrow_function | (d) => c',
    ]));
  it('tells imports, re-exports, definitions and directives', () =>
    check(
      'typescript',
      "'use strict';\nimport a from 'a';\nexport { b } from 'b';\nexport const c = 1;\nexport function d(): void {}\nexport default class E {}\ninterface F { g: 1 }\ntype H = 1;\ndeclare const i: 1;\nenum J { K }\n",
      [
        "1 definition expression_statement | 'use strict';",
        "2 import import_statement | import a from 'a';",
        "3 import export_statement | export { b } from 'b';",
        '4 statement export_statement | export const c = 1;',
        '5 definition export_statement | export function d(): void',
        '6 definition export_statement | export default class E',
        '7 definition interface_declaration | interface F',
        '8 definition type_alias_declaration | type H = 1;',
        '9 definition ambient_declaration | declare const i: 1;',
        '10 definition enum_declaration | enum J',
      ],
    ));
  it('reads the members of a class', () =>
    check(
      'typescript',
      '@d()\nclass A {\n  b = 1;\n  @e\n  f(): void {\n    g();\n  }\n  static {\n    h();\n  }\n  abstract i(): void;\n}\n',
      [
        '1-2 definition class_declaration | @d() class A',
        '3 statement public_field_definition | b = 1',
        '4-5 definition method_definition | @e f(): void',
        '6 statement expression_statement | g();',
        '9 statement expression_statement | h();',
      ],
    ));
  it('reads JSX', () =>
    check('tsx', 'const a = (\n  <B c={() => d}>\n    {e.map((x) => <F key={x} />)}\n  </B>\n);\n', [
      '1-5 statement lexical_declaration | const a = ( <B c={() => d}> {e.map((x) => <F key={x} />)} </B> );',
      '2 statement arrow_function | () => d',
      '3 statement arrow_function | (x) => <F key={x} />',
    ]));
});

describe('functions', () => {
  it('names Python functions by what encloses them', () =>
    expect(
      functions('class A:\n    @p\n    def m(self):\n        def inner(): pass\n        return lambda: 1\n', 'python'),
    ).toEqual(['1-5 class A', '2-5 method A.m', '4-4 function A.m.inner', '5-5 lambda A.m.<lambda>']));
  it('names JavaScript functions by what they are assigned to', () =>
    expect(
      functions(
        'const a = () => 1;\nb.c = function () {};\nconst o = { d() {}, e: () => 2, "f-g": async () => 3 };\nclass H { i = () => 4; get j() {} #k() {} }\nexport default function () {}\nl(() => 5);\nconst { m = () => 6 } = n;\n',
        'javascript',
      ),
    ).toEqual([
      '1-1 function a',
      '2-2 function c',
      '3-3 method d',
      '3-3 function e',
      '3-3 function f-g',
      '4-4 class H',
      '4-4 method H.i',
      '4-4 method H.j',
      '4-4 method H.#k',
      '5-5 function default',
      '6-6 lambda <anonymous>',
      '7-7 lambda <anonymous>',
    ]));
  it('points statements at the innermost function', () => {
    const { statements: found, functions: named } = parser.outline(
      'a\ndef f():\n    b\n    class C:\n        d\n',
      'python',
    );
    const owner = (node: number | undefined) => (node === undefined ? undefined : named[node]?.qualified_name);
    expect(found.map((statement) => owner(statement.function))).toEqual([undefined, undefined, 'f', 'f', 'f.C']);
  });
});

describe('blocks', () => {
  const tree = (outline: Outline) =>
    outline.blocks.map(({ first, last, parent, owner }) => [
      `${first}-${last}`,
      parent ?? null,
      owner === undefined ? null : (outline.statements[owner]?.node ?? null),
    ]);
  it('nests and names its owner', () =>
    expect(tree(parser.outline('if a:\n    b\nelse:\n    for c in d:\n        e\n', 'python'))).toEqual([
      ['1-6', null, null],
      ['2-2', 0, 'if_statement'],
      ['4-5', 0, 'if_statement'],
      ['5-5', 2, 'for_statement'],
    ]));
  it('takes a lone statement for a block', () =>
    expect(tree(parser.outline('if (a) b;\nelse { c; }\n', 'javascript'))).toEqual([
      ['1-3', null, null],
      ['1-1', 0, 'if_statement'],
      ['2-2', 0, 'if_statement'],
    ]));
});

describe('statementAt', () => {
  it('gives a place to the innermost span', () => {
    const text = 'run(() => {\n  inner();\n}, outer);\n';
    const outline = parser.outline(text, 'javascript');
    const nodeAt = (part: string) => {
      const index = statementAt(outline, text.indexOf(part));
      return index === undefined ? undefined : text.slice(outline.statements[index]?.start).slice(0, 5);
    };
    expect([nodeAt('run'), nodeAt('inner'), nodeAt('outer')]).toEqual(['run((', 'inner', 'run((']);
    expect(statementAt(outline, text.length)).toBeUndefined();
  });
  it('leaves a body to its statements', () => {
    const text = 'if a:\n\n    b\n';
    const outline = parser.outline(text, 'python');
    expect([statementAt(outline, 1), statementAt(outline, 6), statementAt(outline, text.indexOf('b'))]).toEqual([
      0,
      undefined,
      1,
    ]);
  });
});

describe('broken text', () => {
  it.each([
    ['python', 'def f(:\n    return 1\n\ndef g():\n    return 2\n', 'g'],
    ['javascript', 'function f( {\n  return 1;\n}\nfunction g() {\n  return 2;\n}\n', 'g'],
  ] as const)('is partial in %s and keeps what is whole', (language, text, name) => {
    const outline = parser.outline(text, language);
    expect(outline.partial).toBe(true);
    expect(outline.functions.map((found) => found.name)).toContain(name);
  });
});
