import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestRunReport } from '@h/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { type CoverageSource, rankCoverage } from '../src/rank-coverage.ts';

const repo = mkdtempSync(join(tmpdir(), 'h-rank-'));
afterAll(() => rmSync(repo, { recursive: true }));
writeFileSync(join(repo, 'm.py'), 'def f(a):\n    if (a and\n            a > 2):\n        return 1\n    return 2\n');

const results = (outcomes: Record<string, 'passed' | 'failed'>): TestRunReport => ({
  runner: 'external',
  environment: '0'.repeat(64),
  execution_ids: [],
  tests: Object.entries(outcomes).map(([test, outcome]) => ({ test, file: 'test_m.py', outcome })),
  collection_errors: [],
});

const lcov = (tests: Record<string, number[]>, name = 'c.lcov'): CoverageSource => ({
  name,
  bytes: new TextEncoder().encode(
    Object.entries(tests)
      .map(([test, lines]) => `TN:${test}\nSF:m.py\n${lines.map((line) => `DA:${line},1\n`).join('')}end_of_record\n`)
      .join(''),
  ),
});

const locations = async (options: Parameters<typeof rankCoverage>[0]) =>
  (await rankCoverage(options)).report.statements.map(({ location, tie_size }) => `${location} ${tie_size}`);

describe('rankCoverage', () => {
  const outcomes = results({ a: 'passed', b: 'failed' });

  it('ranks lines from a result list and a coverage file alone', async () =>
    expect(await locations({ results: outcomes, coverage: [lcov({ a: [2, 5], b: [2, 4] })] })).toEqual([
      'm.py:4 1',
      'm.py:2 1',
    ]));

  it('maps lines to statements where the sources are', async () =>
    expect(await locations({ results: outcomes, coverage: [lcov({ a: [2, 3, 5], b: [2, 3, 4] })], repo })).toEqual([
      'm.py:4 1',
      'm.py:2 1',
    ]));

  it('takes one file a test', async () =>
    expect(
      await locations({
        results: outcomes,
        coverage: [
          { ...lcov({ '': [2, 5] }), test: 'a' },
          { ...lcov({ '': [2, 4] }), test: 'b' },
        ],
      }),
    ).toEqual(['m.py:4 1', 'm.py:2 1']));

  it('explains the failing tests it is asked about', async () =>
    expect(
      await locations({
        results: results({ a: 'passed', b: 'failed', c: 'failed' }),
        coverage: [lcov({ a: [2], b: [2, 4], c: [2, 5] })],
        failing: ['c'],
      }),
    ).toEqual(['m.py:5 1', 'm.py:2 1']));

  it('says which tests do not match', async () => {
    const { warnings } = await rankCoverage({
      results: results({ a: 'passed', b: 'failed', gone: 'passed' }),
      coverage: [lcov({ a: [2], b: [4], other: [5] })],
    });
    expect(warnings).toEqual([
      '1 tests of the results are not in the coverage and left out: gone',
      '1 tests of the coverage are not in the results: other',
    ]);
  });

  it.each<[string, Parameters<typeof rankCoverage>[0], RegExp]>([
    [
      'no test in common',
      { results: outcomes, coverage: [lcov({ x: [1] })] },
      /No test of the results is in the coverage/,
    ],
    ['no tests in the coverage', { results: outcomes, coverage: [lcov({ '': [1] })] }, /in total, not per test/],
    [
      'two whole files',
      { results: outcomes, coverage: [lcov({ a: [1] }), lcov({ b: [1] })] },
      /More than one coverage file/,
    ],
    [
      'garbage',
      { results: outcomes, coverage: [{ name: 'g', bytes: new Uint8Array([1]) }] },
      /g cannot be read as coverage/,
    ],
    ['an unknown test', { results: outcomes, coverage: [lcov({ a: [1], b: [1] })], failing: ['z'] }, /no test "z"/],
  ])('refuses %s', async (_, options, message) =>
    expect(rankCoverage(options)).rejects.toMatchObject({ code: 'bad_input', message: expect.stringMatching(message) }),
  );
});
