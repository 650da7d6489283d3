import { expect, test } from 'vitest';
import { rankStatements, spectrumFromReport, writeText } from '../../src/index.ts';
import { drawSpectrum } from '../draw-spectrum.ts';

const spectrum = spectrumFromReport(
  {
    tests: [
      { test: 'f', outcome: 'failed', coverage: [{ file: 'a.py', lines: '3,5-6' }] },
      { test: 'p', outcome: 'passed', coverage: [{ file: 'a.py', lines: '3' }] },
      { test: 's', outcome: 'failed', flaky: true, coverage: [] },
    ],
    collection_errors: [],
    import_coverage: [{ file: 'a.py', lines: '1-2' }],
  },
  {
    'a.py': [
      { first: 1, last: 1, kind: 'import' },
      { first: 2, last: 2, kind: 'statement' },
      { first: 3, last: 3, kind: 'statement' },
    ],
  },
);

test('clause 1b, 3: each bucket under its heading, ties shown, excluded tests named', () => {
  expect(writeText(rankStatements(spectrum, { lastLines: { f: ['a.py:6'] } }))).toBe(
    [
      '1 failing, 1 passing; 5 statements ran in a failing test',
      '   1  1.000     2 tied  a.py:6',
      '   2  1.000     2 tied  a.py:5',
      'every test executes:',
      '   3  0.000     2 tied  a.py:3',
      'ran outside the tests:',
      '   4  0.000     2 tied  a.py:2',
      'imports and definitions:',
      '   5  0.000     1 tied  a.py:1',
      'left out: s: flaky: run again it ended otherwise',
    ].join('\n'),
  );
});

test('limits, nothing to rank, no contrast, a perfect score of dstar', () => {
  expect(writeText(rankStatements(spectrum), { limit: 1 }).split('\n').slice(1, 3)).toEqual([
    '   1  1.000     2 tied  a.py:5',
    '      and 1 more',
  ]);
  expect(
    writeText(rankStatements(spectrum, { limit: 1 }))
      .split('\n')
      .at(-2),
  ).toBe('4 more statements are not in the report');
  expect(writeText(rankStatements(drawSpectrum('P1 S1\na:1 x x')))).toBe(
    'No failing test executed a statement: nothing to rank.\nleft out: S1: skipped',
  );
  expect(writeText(rankStatements(drawSpectrum('F1\na:1 x')))).toContain('no test passes, so nothing tells them apart');
  expect(writeText(rankStatements(drawSpectrum('F1 P1\na:1 x .'), { formula: 'dstar' }))).toContain(
    '1  perfect     1 tied',
  );
});
