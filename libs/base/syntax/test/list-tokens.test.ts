import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParser, type Language, type Parser } from '../src/index.ts';
import { javascriptCorpus, pythonCorpus } from './corpus.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

/** `kind:text` of every token, blanks shown. */
const shown = (text: string, language: Language) =>
  parser.tokens(text, language).map(({ kind, text: own }) => `${kind}:${JSON.stringify(own).slice(1, -1)}`);
const check = (language: Language, text: string, expected: string) =>
  expect(shown(text, language).join(' ')).toBe(expected);

describe('tokens of Python', () => {
  it('classifies', () =>
    check(
      'python',
      'if a.b >= 1.5j: return "x" # c\n',
      'keyword:if name:a punctuation:. name:b operator:>= number:1.5j punctuation:: keyword:return string:\\"x\\" comment:# c newline:\\n',
    ));
  it('gives newline, indent and dedent where Python does', () =>
    check(
      'python',
      'if a:\n    b\n\n    # c\n    if d:\n        e\nf\n',
      'keyword:if name:a punctuation:: newline:\\n indent:     name:b newline:\\n comment:# c keyword:if name:d punctuation:: newline:\\n indent:         name:e newline:\\n dedent: dedent: name:f newline:\\n',
    ));
  it('has no layout inside brackets and after a backslash', () =>
    check(
      'python',
      'a = (\n  1,\n    2)\nb = 1 + \\\n  2\n',
      'name:a operator:= punctuation:( number:1 punctuation:, number:2 punctuation:) newline:\\n name:b operator:= number:1 operator:+ number:2 newline:\\n',
    ));
  it('ends a last line without line end', () =>
    check('python', 'if a:\n\tb', 'keyword:if name:a punctuation:: newline:\\n indent:\\t name:b newline: dedent:'));
  it('keeps the line end of the file', () =>
    check('python', 'a\r\nb\r\n', 'name:a newline:\\r\\n name:b newline:\\r\\n'));
  it('counts tabs to the next multiple of eight', () =>
    check(
      'python',
      'if a:\n        b\n\tc\n',
      'keyword:if name:a punctuation:: newline:\\n indent:         name:b newline:\\n name:c newline:\\n dedent:',
    ));
  it('cuts strings at embedded expressions', () =>
    check(
      'python',
      "f'a{x!r:>{w}.2f}b{{' rb'\\n'\n",
      "string:f'a punctuation:{ name:x operator:!r punctuation:: string:> punctuation:{ name:w punctuation:} string:.2f punctuation:} string:b{{' string:rb'\\\\n' newline:\\n",
    ));
  it('keeps text that is printed as it stands', () => {
    expect(shown("f'{x:>5}'\n", 'python')).not.toEqual(shown("f'{x:<5}'\n", 'python'));
    expect(shown("f'{x: >5}'\n", 'python')).not.toEqual(shown("f'{x:>5}'\n", 'python'));
    expect(shown("f'{x = }'\n", 'python')).not.toEqual(shown("f'{x=}'\n", 'python'));
    expect(shown("f'{x + 1 = !r:>{w}}'\n", 'python')).toContain('string:x + 1 = ');
  });
  it('takes soft keywords by their use', () =>
    check(
      'python',
      'match = type\nmatch a:\n  case _: pass\n',
      'name:match operator:= name:type newline:\\n keyword:match name:a punctuation:: newline:\\n indent:   keyword:case name:_ punctuation:: keyword:pass newline:\\n dedent:',
    ));
});

describe('tokens of JavaScript', () => {
  it('classifies', () =>
    check(
      'javascript',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program
      'const a = /b/g.test(`c${d}e`) ?? this.#f; // g\n',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: its tokens
      'keyword:const name:a operator:= string:/b/g punctuation:. name:test punctuation:( string:`c punctuation:${ name:d punctuation:} string:e` punctuation:) operator:?? keyword:this punctuation:. name:#f punctuation:; comment:// g',
    ));
  it('gives a newline only where it stands for a semicolon', () =>
    check(
      'javascript',
      'a\nb = c\n  + d\nreturn\ne\nif (f) {\n  g()\n}\nh\n',
      'name:a newline:\\n name:b operator:= name:c operator:+ name:d newline:\\n keyword:return newline:\\n name:e newline:\\n keyword:if punctuation:( name:f punctuation:) punctuation:{ name:g punctuation:( punctuation:) punctuation:} name:h',
    ));
  it('separates class fields and interface members', () => {
    check(
      'typescript',
      'class A {\n  b\n  c = 1\n  d() {}\n}\n',
      'keyword:class name:A punctuation:{ name:b newline:\\n name:c operator:= number:1 newline:\\n name:d punctuation:( punctuation:) punctuation:{ punctuation:} punctuation:}',
    );
    check(
      'typescript',
      'interface A {\n  b: 1\n  c: 2,\n  d: 3;\n}\n',
      'keyword:interface name:A punctuation:{ name:b punctuation:: number:1 newline:\\n name:c punctuation:: number:2 punctuation:, name:d punctuation:: number:3 punctuation:; punctuation:}',
    );
  });
  it('puts the newline before a comment line, after a comment on the line', () =>
    check('javascript', 'a // b\n// c\nd', 'name:a comment:// b newline:\\n comment:// c name:d'));
  it('reads JSX text as a string', () =>
    check(
      'tsx',
      '<a b="c">d {e}</a>;',
      'operator:< name:a name:b operator:= string:\\"c\\" operator:> string:d  punctuation:{ name:e punctuation:} operator:</ name:a operator:> punctuation:;',
    ));
  it('knows await where the grammar does not', () =>
    expect(shown('async () => { await (a)(b); }', 'javascript')).toContain('keyword:await'));
});

/** Nothing but blanks, line ends and joined lines lies between tokens; each is the text at its place; none overlap. */
function checkCover(text: string, language: Language): void {
  const problems: string[] = [];
  const isBlank = (from: number, to: number) => /^(?:[\s\ufeff]|\\\r?\n)*$/.test(text.slice(from, to));
  let end = 0;
  for (const token of parser.tokens(text, language)) {
    if (token.start < end) problems.push(`overlap at ${token.start}`);
    if (!isBlank(end, token.start)) problems.push(`lost: ${text.slice(end, token.start)}`);
    if (token.text !== text.slice(token.start, token.end)) problems.push(`not the source: ${token.text}`);
    end = token.end;
  }
  if (!isBlank(end, text.length)) problems.push(`lost: ${text.slice(end)}`);
  expect(problems).toEqual([]);
}

describe('laws of tokens', () => {
  it('cover real code, so that no text is lost', () => {
    for (const { text, language } of [...pythonCorpus(20), ...javascriptCorpus(20)]) {
      if (!parser.tokenList(text, language).partial) checkCover(text, language);
    }
  });
  it('balance indent and dedent in any text', () => {
    const line = fc.tuple(
      fc.constantFrom('', ' ', '  ', '\t', '    '),
      fc.constantFrom('if a:', 'b', '(', ')', '"""', '# c', 'f"{x', '\\'),
    );
    const text = fc.array(line).map((lines) => lines.map((parts) => parts.join('')).join('\n'));
    fc.assert(
      fc.property(text, (source) => {
        const kinds = parser.tokens(source, 'python').map(({ kind }) => kind);
        const count = (wanted: string) => kinds.filter((kind) => kind === wanted).length;
        expect(count('indent')).toBe(count('dedent'));
      }),
      { numRuns: 300 },
    );
  });
  it('do not depend on comments, blanks or blank lines', () => {
    const essence = (text: string) =>
      parser
        .tokens(text, 'python')
        .filter(({ kind }) => kind !== 'comment')
        .map(({ kind, text: own }) => (kind === 'indent' ? kind : `${kind} ${own}`));
    expect(essence('def f(a,b):\n\n  # c\n  return a+b # d\n')).toEqual(essence('def f(a, b):\n    return a + b\n'));
    expect(essence('if a:\n  b\n  c\n')).not.toEqual(essence('if a:\n  b\nc\n'));
  });
});
