import type { Language } from '@h/syntax';
import { describe, expect, test } from 'vitest';
import { analyzeFlow, type SharedVariable } from '../../src/flow/analyze-flow.ts';
import { parser } from '../program-of.ts';

/** `defs | touches | exposes | uses (lends) | lines of the controllers` of the statement that the last line starts, or of the one marked `# here`. */
function flowOf(language: Language, text: string): string {
  const { outline, statements } = analyzeFlow(text, language, parser);
  const lines = text.split('\n');
  const marked = lines.findIndex((line) => /(?:#|\/\/) here/.test(line));
  const line = marked >= 0 ? marked + 1 : lines.length;
  const found = statements.find((each) => each && outline.statements[each.statement]?.first === line);
  if (found === undefined) throw new Error(`no statement at line ${line}`);
  const controllers = found.controllers.map((index) => outline.statements[index]?.first);
  const names = (shared: readonly SharedVariable[]) => shared.map(({ name }) => name).join(',');
  const uses = [found.uses.join(','), ...(found.lends.length === 0 ? [] : [`(${names(found.lends)})`])]
    .join(' ')
    .trim();
  return [found.defs, found.touches, names(found.exposes), uses, controllers].join(' | ');
}

const inPython = (...body: string[]) => ['def f(a, b, c, self):', ...body.map((line) => `    ${line}`)].join('\n');
const inScript = (...body: string[]) => ['function f(a, b, c) {', ...body.map((line) => `  ${line}`)].join('\n');

const PYTHON: [what: string, text: string, flow: string][] = [
  ['a name', inPython('x = a'), 'x |  |  | a | '],
  ['arithmetic', inPython('x = a + b * 2'), 'x |  |  | a,b | '],
  ['augmented', inPython('a += b'), 'a | a |  | a,b | '],
  ['numbers and sets', inPython('a -= b'), 'a | a |  | a,b | '],
  ['several targets', inPython('x = y = a'), 'x,y |  |  | a | '],
  ['unpacking', inPython('(x, *y), z = a'), 'x,y,z |  |  | a | '],
  ['an attribute', inPython('self.total = a'), 'self.total |  |  | a,self | '],
  ['a deep attribute', inPython('self.b.c = a'), 'self.b.c |  |  | a,self,self.b | '],
  ['an item', inPython('a[b] = c'), 'a[] |  |  | a,b,c | '],
  ['an item of an attribute', inPython('self.rows[0].n = a'), ' | self.rows |  | a,self,self.rows | '],
  ['augmented attribute', inPython('self.n += 1'), 'self.n | self.n |  | self,self.n | '],
  ['a method call', inPython('a.b.append(c)'), ' | a.b,c |  | a,a.b,a.b.append,c | '],
  ['a call', inPython('x = g(a, *b, k=c)'), 'x | a,b,c |  | a,b,c | '],
  ['a call in a call', inPython('g(h(a))'), ' | a |  | a | '],
  ['a call on a call', inPython('a.setdefault(b, []).append(c)'), ' | a,b,c |  | a,a.setdefault,b,c | '],
  ['compared arguments cannot be changed', inPython('g(a > b, not c)'), ' |  |  | a,b,c | '],
  ['a stateless module', inPython('import math', 'x = math.floor(a)'), 'x | a |  | a,math,math.floor | '],
  ['a module with state', inPython('import random', 'random.seed(a)'), ' | a,random |  | a,random,random.seed | '],
  ['super', inPython('super().g(a)').replace('(a, b, c, self)', '(self, a)'), ' | a,self |  | a | '],
  ['for', inPython('for x, y in a: # here', '    pass'), 'x,y | a |  | a | '],
  ['while', inPython('while a < b: # here', '    pass'), ' |  |  | a,b | '],
  ['with', inPython('with a as x, b: # here', '    pass'), 'x | a,b |  | a,b | '],
  ['except', inPython('try:', '    pass', 'except E as e: # here', '    pass'), 'e |  |  |  | '],
  ['walrus', inPython('if (x := a) > 1: # here', '    pass'), 'x |  |  | a | '],
  ['comprehension', inPython('x = [y + b for y in a if c]'), 'x | a |  | a,b,c | '],
  ['a comprehension that changes', inPython('[y.append(b) for y in a]'), ' | a,b |  | a,b | '],
  ['lambda', inPython('x = lambda y: y + a'), 'x |  |  | a (a) | '],
  ['del', inPython('del a, b.x, c[0]'), 'a,b.x,c[] |  |  | a,b,c | '],
  ['f-string', inPython('x = f"{a!r:>{b}}"'), 'x |  |  | a,b | '],
  ['yield', inPython('x = yield a'), 'x | a |  | a | '],
  ['await', inPython('x = await a.b()').replace('def', 'async def'), 'x | a |  | a,a.b | '],
  ['import', inPython('from m import n as x'), 'x |  |  |  | '],
  ['annotated', inPython('x: int = a'), 'x |  |  | a | '],
  ['return', inPython('return self.total, a'), ' |  |  | a,self,self.total | '],
];

const CLOSURES: [what: string, language: Language, text: string, flow: string][] = [
  ['making a function lends what it sees', 'python', inPython('def g(): # here', '    return a'), 'g |  |  | (a) | '],
  [
    'a call may change what functions change',
    'python',
    inPython('n = 0', 'def g():', '    nonlocal n', '    n += 1', 'g() # here'),
    ' |  | n | g (n) | ',
  ],
  [
    'a call may change a global that functions change',
    'python',
    'COUNT = 0\ndef up():\n    global COUNT\n    COUNT += 1\ndef f(a):\n    up() # here',
    ' |  | COUNT | up | ',
  ],
  [
    'a constant is not changed',
    'python',
    'RATE = 2\ndef g():\n    return RATE\ndef f(a):\n    g() # here',
    ' |  |  | g | ',
  ],
  [
    'an object that a function changes',
    'javascript',
    inScript('const seen = [];', 'const g = () => { seen.push(1); };', 'g(); // here'),
    ' |  | seen | g (seen) | ',
  ],
  [
    'a method’s `this` in an arrow',
    'javascript',
    'class C { m(a) {\n a.forEach((x) => { this.n += x; }); // here\n}}',
    ' | a | this | a,a.forEach | ',
  ],
  ['an arrow is a statement', 'javascript', 'const f = (a) =>\n  a.b * 2', ' |  |  | a,a.b | '],
];

const SCRIPT: [what: string, text: string, flow: string][] = [
  ['const', inScript('const x = a;'), 'x |  |  | a | '],
  ['declared without value', inScript('let x;'), 'x |  |  |  | '],
  ['update of a property', inScript('this.n++;'), 'this.n |  |  | this,this.n | '],
  ['destructuring', inScript('const { x, k: [y], ...z } = a;'), 'x,y,z |  |  | a | '],
  ['destructuring with a default', inScript('const { x = b } = a;'), 'x |  |  | a,b | '],
  ['destructuring assignment', inScript('[a, b.x] = c;'), 'a,b.x |  |  | b,c | '],
  ['augmented', inScript('a ??= b;'), 'a |  |  | a,b | '],
  ['update', inScript('a++;'), 'a |  |  | a | '],
  ['numbers', inScript('a -= b;'), 'a |  |  | a,b | '],
  ['a property', inScript('this.n = a;'), 'this.n |  |  | a,this | '],
  ['an item', inScript('a[b].c = 1;'), ' | a |  | a,b | '],
  ['delete', inScript('delete a.b;'), 'a.b |  |  | a | '],
  ['a method call', inScript('a?.b.push(c);'), ' | a.b,c |  | a,a.b,a.b.push,c | '],
  ['new', inScript('const x = new K(...a);'), 'x | a |  | a | '],
  ['a tagged template', inScript(`const x = a.tag\`\${b}\`;`), 'x | a,b |  | a,a.tag,b | '],
  ['numbers pass no object on', inScript('g(a * b, a && c);'), ' | a,c |  | a,b,c | '],
  ['for of', inScript('for (const x of a) b(x); // here'), 'x | a |  | a | '],
  ['for', inScript('for (let i = 0; i < a.length; i++) { // here', '}'), 'i |  |  | a,a.length,i | '],
  ['await', inScript('const x = await a.b();').replace('function', 'async function'), 'x | a |  | a,a.b | '],
  ['yield', inScript('const x = yield* a;').replace('function', 'function*'), 'x | a |  | a | '],
  [
    'a global of the host that is written',
    inScript('globalThis.n = a;', 'return globalThis.n; // here'),
    ' |  |  | globalThis,globalThis.n | ',
  ],
];

const TYPED: [what: string, text: string, flow: string][] = [
  ['types are no uses', inScript('const x: T = a as U;'), 'x |  |  | a | '],
  ['non-null', inScript('a!.b!.c = 1;'), 'a.b.c |  |  | a,a.b | '],
];

const CONTROL: [what: string, language: Language, text: string, lines: string][] = [
  ['top of a function', 'python', inPython('x = 1'), ''],
  ['in if', 'python', inPython('if a:', '    x = 1 # here'), '2'],
  ['elif', 'python', inPython('if a:', '    pass', 'elif b: # here', '    pass'), '2'],
  ['in elif', 'python', inPython('if a:', '    pass', 'elif b:', '    x = 1 # here'), '4'],
  ['in else', 'python', inPython('if a:', '    pass', 'elif b:', '    pass', 'else:', '    x = 1 # here'), '2,4'],
  ['in a loop', 'python', inPython('for x in a:', '    y = x # here'), '2'],
  ['else of a loop', 'python', inPython('for x in a:', '    pass', 'else:', '    y = 1 # here'), '2'],
  ['after an early return', 'python', inPython('if a:', '    return 1', 'x = 1'), '2'],
  ['after a harmless if', 'python', inPython('if a:', '    b = 1', 'x = 1'), ''],
  ['after continue', 'python', inPython('for x in a:', '    if x:', '        continue', '    y = 1 # here'), '2,3'],
  ['a loop with break', 'python', inPython('while a: # here', '    if b:', '        break'), '3'],
  ['after a loop with break', 'python', inPython('while a:', '    if b:', '        break', 'x = 1'), ''],
  ['after a loop with return', 'python', inPython('while a:', '    if b:', '        return 1', 'x = 1'), '2,3'],
  ['a return in another function', 'python', inPython('if a:', '    def g():', '        return 1', 'x = 1'), ''],
  ['with is no branch', 'python', inPython('if a:', '    with b:', '        x = 1 # here'), '2'],
  ['match', 'python', inPython('match a:', '    case 1:', '        x = 1 # here'), '2'],
  ['else if', 'javascript', inScript('if (a) {', '} else if (b) {', 'c = 1; // here', '}'), '3'],
  ['switch', 'javascript', inScript('switch (a) {', 'case 1:', 'c = 1; // here', '}'), '2'],
  ['do', 'javascript', inScript('do {', 'c = 1; // here', '} while (a);'), '2'],
  [
    'break in switch stays inside',
    'javascript',
    inScript('switch (a) {', 'case 1: if (b) break;', '}', 'c = 1; // here'),
    '',
  ],
  [
    'a labelled break',
    'javascript',
    inScript('outer: for (const x of a)', 'for (const y of b) {', 'if (y) break outer;', 'c = y; // here', '}'),
    '3,4',
  ],
  ['an arrow in a branch', 'javascript', inScript('if (a) b.map((x) => {', 'c = x; // here', '});'), ''],
];

describe('definitions and uses', () => {
  test.each(PYTHON)('python: %s', (_, text, flow) => expect(flowOf('python', text)).toBe(flow));
  test.each(SCRIPT)('javascript: %s', (_, text, flow) => expect(flowOf('javascript', text)).toBe(flow));
  test.each(SCRIPT)('typescript: %s', (_, text, flow) => expect(flowOf('typescript', text)).toBe(flow));
  test.each(SCRIPT)('tsx: %s', (_, text, flow) => expect(flowOf('tsx', text)).toBe(flow));
  test.each(TYPED)('typescript: %s', (_, text, flow) => expect(flowOf('typescript', text)).toBe(flow));
  test.each(CLOSURES)('%s (%s)', (_, language, text, flow) => expect(flowOf(language, text)).toBe(flow));
});

describe('what decides', () => {
  test.each(CONTROL)('%s (%s)', (_, language, text, lines) =>
    expect(flowOf(language, text).split(' | ')[4]).toBe(lines),
  );
});
