import { combineTests, readCoverage } from '@h/coverage';
import { describe, expect, test } from 'vitest';
import { rankStatements, spectrumFromCoverage, type TestOutcomeEntry } from '../src/index.ts';
import { codeOf } from './code-of.ts';

const outcomes: readonly TestOutcomeEntry[] = [
  { test: 'low', outcome: 'passed' },
  { test: 'mid', outcome: 'failed' },
  { test: 'gone', outcome: 'failed' },
];
const lcov = (test: string, lines: readonly number[]) =>
  `TN:${test}\nSF:m.py\n${lines.map((line) => `DA:${line},1\n`).join('')}end_of_record\n`;
const coveragePy = {
  meta: { format: 3, show_contexts: true },
  files: {
    'm.py': {
      executed_lines: [1, 2, 4, 5],
      missing_lines: [9],
      excluded_lines: [],
      contexts: { 1: [''], 2: ['low|run', 'mid|run'], 4: ['mid|run'], 5: ['low|run', 'extra|run'] },
    },
  },
};
const istanbul = (lines: readonly number[]) =>
  JSON.stringify({
    'm.py': {
      path: 'm.py',
      statementMap: Object.fromEntries(
        lines.map((line) => [line, { start: { line, column: 0 }, end: { line, column: 1 } }]),
      ),
      s: Object.fromEntries(lines.map((line) => [line, 1])),
    },
  });

describe('clause 3: in from anything @h/coverage reads', () => {
  test('coverage.py JSON with contexts: tests by id, module-level lines apart, unknown tests named', () => {
    const spectrum = spectrumFromCoverage(readCoverage(JSON.stringify(coveragePy)), outcomes);
    const report = rankStatements(spectrum);
    expect(report.statements.map(({ location, tier, loaded }) => [location, tier, loaded])).toEqual([
      ['m.py:4', 'discriminating', undefined],
      ['m.py:2', 'reserve', undefined],
      ['m.py:1', 'reserve', true],
    ]);
    expect(report.excluded_tests).toEqual([
      { test: 'extra', why: 'in the coverage, but without an outcome' },
      { test: 'gone', why: 'no coverage was recorded' },
    ]);
  });

  test('clause 1b: set-up has a bucket of its own, where the reader keeps it apart', () => {
    const contexts = { 2: ['low|setup'], 4: ['mid|run', 'low|run'], 5: ['mid|run'], 6: ['mid|setup', 'mid|run'] };
    const files = { 'm.py': { executed_lines: [2, 4, 5, 6], missing_lines: [], contexts } };
    const text = JSON.stringify({ meta: { show_contexts: true }, files });
    const apart = (context: string) =>
      /\|(?:setup|teardown)$/.test(context) ? undefined : context.replace(/\|run$/, '');
    const listed = (options: object) =>
      rankStatements(spectrumFromCoverage(readCoverage(text, options), outcomes)).statements.map(
        ({ location, loaded }) => (loaded ? `${location} outside` : location),
      );
    // What ran outside is credited to every test of the file, also where a test ran it once more (line 6).
    expect(listed({ testOf: apart })).toEqual(['m.py:5', 'm.py:4', 'm.py:6', 'm.py:2 outside']);
    // As ever it counts for the test that ran it: the module's fixture for the first test alone.
    expect(listed({})).toEqual(['m.py:5', 'm.py:6', 'm.py:4']);
  });

  test('LCOV with test names, and one Istanbul file a test, say the same', () => {
    const fromLcov = spectrumFromCoverage(readCoverage(lcov('low', [2, 5]) + lcov('mid', [2, 4])), outcomes);
    const one = (id: string, lines: readonly number[]) => ({ id, coverage: readCoverage(istanbul(lines)) });
    const fromIstanbul = spectrumFromCoverage(combineTests([one('low', [2, 5]), one('mid', [2, 4])]), outcomes);
    expect(fromIstanbul).toEqual(fromLcov);
    expect(rankStatements(fromLcov).statements.map(({ location }) => location)).toEqual(['m.py:4', 'm.py:2']);
  });

  test('statements, files to ignore and tests to leave out are as of a report', () => {
    const coverage = readCoverage(lcov('low', [2]) + lcov('mid', [2, 3]));
    const tables = { 'm.py': [{ first: 2, last: 3, kind: 'statement' as const }] };
    const options = { exclude: [{ test: 'low', why: 'mine' }] };
    expect(spectrumFromCoverage(coverage, outcomes, tables, options)).toMatchObject({
      statements: [{ first: 2, last: 3 }],
      hits: ['0'],
      excluded_tests: [{ test: 'gone' }, { test: 'low', why: 'mine' }],
    });
    expect(spectrumFromCoverage(coverage, outcomes, {}, { ignoreFiles: ['m.py'] }).statements).toEqual([]);
  });

  test('coverage in total names no tests, and that is said', () => {
    expect(codeOf(() => spectrumFromCoverage(readCoverage(lcov('', [2])), outcomes))).toBe('names_no_tests');
  });
});
