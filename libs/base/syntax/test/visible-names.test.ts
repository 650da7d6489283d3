import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParser, type Language, type Parser, visibleNames } from '../src/index.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

/** Names at the `|` in the text, innermost first; those not bound by then in parentheses. */
function visibleAt(marked: string, language: Language): string {
  const offset = marked.indexOf('|');
  const table = parser.names(marked.replace('|', ''), language);
  return visibleNames(table, offset)
    .map(({ name, assigned_before }) => (assigned_before ? name : `(${name})`))
    .join(' ');
}
const check = (language: Language, text: string, expected: string) => expect(visibleAt(text, language)).toBe(expected);

describe('visibleNames in Python', () => {
  it('lists locals, then enclosing functions, then the file', () =>
    check(
      'python',
      'import a\ndef f(b):\n    c = 1\n    def g(d):\n        |pass\n        e = 2\n    h = 3\ni = 4\n',
      'd (e) b c g h a f i',
    ));
  it('does not show a name to its own first assignment', () => check('python', 'a = 1\nb = |\nc = 2\n', 'a (b) (c)'));
  it('shows class names to the class alone', () => {
    check('python', 'class A:\n    b = 1\n    |\n    c = 2\n', 'b (c) (A)');
    check('python', 'class A:\n    b = 1\n    def f(self):\n        |pass\n', 'self A');
  });
  it('shows loop targets in the body and comprehension targets in the comprehension', () => {
    check('python', 'for a in b:\n    |pass\n', 'a');
    check('python', 'x = [a for a in b if |a]\n', 'a (x)');
  });
  it('forgets an exception name after its clause', () => {
    check('python', 'try:\n    pass\nexcept E as e:\n    |pass\n', 'e');
    check('python', 'try:\n    pass\nexcept E as e:\n    pass\n|\n', '(e)');
  });
  it('leaves a shadowed name out', () => check('python', 'a = 1\ndef f(a):\n    |pass\n', 'a f'));
});

describe('visibleNames in JavaScript', () => {
  it('knows hoisting and the time before let', () =>
    check(
      'javascript',
      "import z from 'z';\nfunction f(a) {\n  |\n  let b; var c; function d() {}\n}\nlet e;\n",
      'a (b) (c) d z f e',
    ));
  it('shows block names in the block', () => check('javascript', '{ let a; }\n{ let b; | }\n', 'b'));
  it('counts an assignment as binding', () => check('javascript', 'let a = 1;\na = 2;\n|\n', 'a'));
});

describe('visibleNames in TypeScript', () => {
  it('marks types', () => {
    const table = parser.names('interface A {}\nclass B {}\n', 'typescript');
    expect(visibleNames(table, 26).map(({ name, type_only }) => [name, type_only ?? false])).toEqual([
      ['A', true],
      ['B', false],
    ]);
  });
});
