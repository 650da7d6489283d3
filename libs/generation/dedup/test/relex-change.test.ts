// Issue 6, clause 10: only the changed statements are lexed again, and the words are those of lexing the whole text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser, type Language, languageOf, type Parser } from '@h/syntax';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lexWhole } from '../src/read-program.ts';
import { relexChange } from '../src/relex-change.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser();
});
afterAll(() => parser.dispose());

const root = join(import.meta.dirname, '../../../..');
const FILES = [
  'fixtures/meter-billing-py/repo/metering/readings.py',
  'fixtures/room-booking-py/repo/booking/calendar.py',
  'fixtures/bank-import-ts/repo/src/transfers.ts',
  'libs/generation/dedup/src/relex-javascript.ts',
];
const FRAGMENTS = [
  ...[
    '\n',
    ' ',
    '    ',
    '\t',
    '\\\n',
    '(',
    ')',
    '"',
    "'''",
    '`',
    '{',
    '}',
    ';',
    ':',
    ',',
    '# a\n',
    '// a\n',
    '/*',
    '*/',
  ],
  ...[
    'return',
    'else:',
    'else {',
    'if a:\n',
    'if (a) {',
    '  # noqa',
    '// eslint-disable-line',
    '/',
    '++',
    'async ',
    '=> ',
    'a',
  ],
  ...[
    '\r\n',
    '<b>',
    'pass\n',
    'x = 1\n',
    'f();\n',
    '    y = 2\n',
    'do {} ',
    'while (x) {}',
    '@d\n',
    '.b',
    '[0]',
    '-->',
    '#!',
  ],
];

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
  readonly isLine: boolean;
}
const edits: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.constantFrom(0, 0, 1, 3, 10, 40),
  insert: fc.constantFrom('', ...FRAGMENTS),
  isLine: fc.boolean(),
});

function edited(text: string, { at, remove, insert, isLine }: Edit): string {
  const offset = Math.floor(at * text.length);
  const start = isLine ? text.lastIndexOf('\n', offset) + 1 : offset;
  return text.slice(0, start) + insert + text.slice(start + remove);
}

const lexed = (text: string, language: Language) => {
  const whole = lexWhole(text, language, parser);
  if (typeof whole === 'string') throw new Error(whole);
  return whole;
};

test.each(FILES)('%s: random edits give the words of lexing it whole', (path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const language = languageOf(path) as Language;
  const base = lexed(text, language);
  let relexed = 0;
  fc.assert(
    fc.property(edits, (edit) => {
      const next = edited(text, edit);
      const words = relexChange(base, next, parser);
      if (words === undefined) return;
      const whole = lexWhole(next, language, parser);
      if (typeof whole === 'string') return; // the grammar loses its way somewhere else in the text
      relexed += 1;
      expect(words).toEqual(whole.form.words);
    }),
    { numRuns: 150, seed: 610 },
  );
  expect(relexed).toBeGreaterThan(12);
});

const BODY = 'def f(a):\n    b = a\n    if b:\n        c()\n        d()\n    return b\n\n\ndef g():\n    return 1\n';
const SCRIPT = 'let a = 1;\nfunction f(b) {\n  const c = b;\n  if (c) {\n    d();\n  }\n  return c;\n}\nlet e = 2;\n';

test.each([
  ['an expression', BODY, 'b = a', 'b = a + 1'],
  ['a statement that is inserted', BODY, '        d()', '        x()\n        d()'],
  ['a statement that is removed', BODY, '        d()\n', ''],
  ['the last statement of a block that leaves it', BODY, '        d()', '    d()'],
  ['a statement that enters a block', BODY, '    return b', '        return b'],
  ['a header', BODY, 'if b:', 'while b:'],
  ['a new branch', BODY, '    return b', '    else:\n        e()\n    return b'],
  ['an expression of a script', SCRIPT, 'c = b', 'c = b + 1'],
  ['a statement without semicolon', SCRIPT, 'const c = b;', 'const c = b'],
  ['a statement in a new block', SCRIPT, 'd();', 'if (b) { d(); }'],
  ['a statement of the file', SCRIPT, 'let e = 2;', 'let e = 3;'],
])('%s is lexed alone', (_what, text, from, to) => {
  const language = text === BODY ? 'python' : 'javascript';
  const next = text.replace(from, to);
  const seen: string[] = [];
  const watched = {
    ...parser,
    tokenList: (...all: Parameters<Parser['tokenList']>) => {
      seen.push(all[0]);
      return parser.tokenList(...all);
    },
  };
  const base = lexed(text, language);
  const words = relexChange(base, next, watched);
  expect(words).toEqual(lexed(next, language).form.words);
  expect(seen.length).toBeLessThan(3);
  expect(seen.at(-1)?.length).toBeLessThan(next.length);
});

test.each([
  ['a directive that speaks of the line', BODY.replace('b = a', 'b = a  # noqa'), 'c()', 'c(1)', 'lexed'],
  ['a directive of the line itself', BODY.replace('b = a', 'b = a  # noqa'), 'b = a', 'b = a + 1', 'whole'],
  ['a directive that is new', BODY, 'c()', 'c()  # noqa', 'whole'],
  ['an indentation that is none', BODY, '        c()', '          c()', 'whole'],
  ['a bracket that stays open', BODY, 'c()', 'c((', 'whole'],
])('%s: %s', (_what, text, from, to, how) => {
  const words = relexChange(lexed(text, 'python'), text.replace(from, to), parser);
  expect(words === undefined ? 'whole' : 'lexed').toBe(how);
});
