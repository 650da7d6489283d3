import { parseLines } from '@h/contracts';
import { createParser, type Language, type Parser } from '@h/syntax';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { spectrumFromReport } from '../src/index.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await createParser({ languages: ['python', 'javascript', 'typescript'] });
});
afterAll(() => parser.dispose());

/** Every covered line with the first line of the statement it counts for, as `line>statement`; a line of its own as `line>line`. */
function check(file: string, language: Language, text: string, lines: string, expected: string): void {
  const outline = parser.outline(text, language);
  const mapped = parseLines(lines).map((line) => {
    const report = {
      tests: [{ test: 'f', outcome: 'failed' as const, coverage: [{ file, lines: `${line}` }] }],
      collection_errors: [],
    };
    const { statements, hits } = spectrumFromReport(report, { [file]: outline });
    return `${line}>${hits
      .flatMap(parseLines)
      .map((index) => statements[index]?.first)
      .join()}`;
  });
  expect(mapped.join(' ')).toBe(expected);
}

const python = `@deco(
    1)
def f(a,
      b):
    """Doc."""
    if a:
        x = [
            i
            for i in b
            if i
        ]
    elif b:
        x = 2
    else:
        # comment
        x = 3
    try:
        y = 1
    except E:
        y = 2
    else:
        y = 4
    finally:
        y = 3
    for i in b:
        y += i
    else:
        y = 0
    return (
        x +
        y
    )

LIMIT = (
    3 +
    4
)
`;

const javascript = `function f(a,
           b) {
  if (a) {
    x();
  }
  else {
    y();
  }
  try {
    z();
  } catch (e) {
    w();
  }
  finally {
    v();
  }
  return [
    1,
    2,
  ];
}
const g = (a) =>
  a
    ? 1
    : 2;
`;

describe('clause 2: statements, not text lines', () => {
  test('Python: decorators, signatures, comprehensions and continued lines', () =>
    check(
      'a.py',
      'python',
      python,
      '1-4,7-11,29-32,34-37',
      '1>1 2>1 3>1 4>1 7>7 8>7 9>7 10>7 11>7 29>29 30>29 31>29 32>29 34>34 35>34 36>34 37>34',
    ));

  test('Python: else of if, try and for, finally, elif and except', () =>
    check('a.py', 'python', python, '12,14,19,21,23,27', '12>12 14>6 19>19 21>17 23>17 27>25'));

  test('JavaScript: else, catch, finally, braces, arrow functions, continued lines', () =>
    check(
      'a.js',
      'javascript',
      javascript,
      '1-2,5-6,8,11,13-14,16-21,22-25',
      '1>1 2>1 5>3 6>3 8>3 11>9 13>9 14>9 16>9 17>17 18>17 19>17 20>17 21>1 22>22 23>23 24>23 25>23',
    ));

  test('a multi-line statement counts once, however many of its lines ran', () => {
    const outline = parser.outline(python, 'python');
    const report = {
      tests: [{ test: 'f', outcome: 'failed' as const, coverage: [{ file: 'a.py', lines: '7-11,14,23,29-32' }] }],
      collection_errors: [],
    };
    const { statements, hits } = spectrumFromReport(report, { 'a.py': outline });
    expect(hits.flatMap(parseLines).map((index) => statements[index]?.first)).toEqual([6, 7, 17, 29]);
    expect(statements.filter(({ first }) => first >= 7 && first <= 11)).toHaveLength(1);
  });

  test('a blank line, a comment and a line after the end are nobody’s; nor is any line between statements of broken text', () => {
    check('a.py', 'python', python, '33,90', '33>33 90>90');
    check('a.py', 'python', 'if a:\n    b()\nelse:\n    c(\n', '3', '3>3');
  });

  test('without blocks a line between statements is one of its own', () => {
    const { statements } = parser.outline(python, 'python');
    const report = {
      tests: [{ test: 'f', outcome: 'failed' as const, coverage: [{ file: 'a.py', lines: '14' }] }],
      collection_errors: [],
    };
    const spectrum = spectrumFromReport(report, { 'a.py': statements });
    expect(spectrum.statements.find(({ first }) => first === 14)).toMatchObject({ first: 14, last: 14 });
  });

  test('module-level code is kept apart: marked, unless a test ran it in its own time', () => {
    const report = {
      tests: [{ test: 'f', outcome: 'failed' as const, coverage: [{ file: 'a.py', lines: '29,34' }] }],
      collection_errors: [],
      import_coverage: [{ file: 'a.py', lines: '1,34' }],
    };
    const loadedOf = (file: string, run: typeof report) =>
      spectrumFromReport(run, { [file]: parser.outline(python, 'python') })
        .statements.filter(({ loaded }) => loaded)
        .map(({ first }) => first);
    expect(loadedOf('a.py', report)).toEqual([1]);
    const { tests } = report;
    expect(
      loadedOf('a.py', {
        ...report,
        tests: [{ ...tests[0], coverage: [{ file: 'a.py', lines: '29' }] }] as typeof tests,
      }),
    ).toEqual([1, 34]);
  });
});
