import {
  checkRecord,
  type FileLines,
  Spectrum,
  type TestOutcome,
  type TestResult,
  type TestRunReport,
} from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { type ReportOptions, rankStatements, type StatementLines, spectrumFromReport } from '../src/index.ts';
import { codeOf } from './code-of.ts';

type Coverage = Readonly<Record<string, string>>;

function lines(coverage: Coverage): FileLines[] {
  return Object.entries(coverage).map(([file, set]) => ({ file, lines: set }));
}

function result(test: string, outcome: TestOutcome, coverage?: Coverage): TestResult {
  return { test, file: 'test_a.py', outcome, ...(coverage === undefined ? {} : { coverage: lines(coverage) }) };
}

function report(tests: TestResult[], rest: Partial<TestRunReport> = {}): TestRunReport {
  return { runner: 'pytest', environment: 'a'.repeat(64), execution_ids: [], tests, collection_errors: [], ...rest };
}

const span = (first: number, last = first, kind: StatementLines['kind'] = 'statement'): StatementLines => ({
  first,
  last,
  kind,
});

/** Per test the locations it is credited with, as `id: a.py:1 a.py:2`; excluded ones as `id – why`. */
function check(
  run: TestRunReport,
  statements: Record<string, StatementLines[]>,
  expected: string[],
  options?: ReportOptions,
): Spectrum {
  const spectrum = spectrumFromReport(run, statements, options);
  checkRecord(Spectrum, spectrum);
  const place = (index: string) =>
    `${spectrum.statements[Number(index)]?.file}:${spectrum.statements[Number(index)]?.first}`;
  const expand = (set: string) =>
    set
      .split(',')
      .filter(Boolean)
      .flatMap((part) => {
        const [first = '', last = first] = part.split('-');
        return Array.from({ length: Number(last) - Number(first) + 1 }, (_, step) => place(`${Number(first) + step}`));
      });
  const hits = spectrum.tests.map(({ id }, index) => `${id}: ${expand(spectrum.hits[index] ?? '').join(' ')}`);
  const excluded = (spectrum.excluded_tests ?? []).map(({ test: id, why }) => `${id} – ${why}`);
  expect([...hits, ...excluded]).toEqual(expected);
  return spectrum;
}

describe('lines become statements', () => {
  const statements = { 'a.py': [span(1), span(2, 6), span(3, 4), span(9, 9, 'definition')] };

  test('its first line, else the innermost around it, else a statement of its own', () => {
    const spectrum = check(report([result('f', 'failed', { 'a.py': '1,4,6,9,12', 'b.py': '3' })]), statements, [
      'f: a.py:1 a.py:2 a.py:3 a.py:9 a.py:12 b.py:3',
    ]);
    expect(spectrum.statements).toEqual([
      { file: 'a.py', first: 1, last: 1, kind: 'statement' },
      { file: 'a.py', first: 2, last: 6, kind: 'statement' },
      { file: 'a.py', first: 3, last: 4, kind: 'statement' },
      { file: 'a.py', first: 9, last: 9, kind: 'definition' },
      { file: 'a.py', first: 12, last: 12, kind: 'statement' },
      { file: 'b.py', first: 3, last: 3, kind: 'statement' },
    ]);
  });

  test('statements that start on one line are one, with the widest lines; one that does something outweighs a definition', () => {
    const twice = {
      'a.py': [span(1, 3, 'definition'), span(1, 1), span(1, 2), span(5, 5, 'import'), span(5, 6, 'import')],
    };
    const { statements: merged } = check(report([result('f', 'failed', { 'a.py': '1-3,5' })]), twice, [
      'f: a.py:1 a.py:5',
    ]);
    expect(merged).toEqual([
      { file: 'a.py', first: 1, last: 3, kind: 'statement' },
      { file: 'a.py', first: 5, last: 6, kind: 'import' },
    ]);
  });

  test('a file named twice in one test counts once', () => {
    const twice: TestResult = {
      test: 'f',
      file: 't.py',
      outcome: 'failed',
      coverage: [...lines({ 'a.py': '1-2' }), ...lines({ 'a.py': '2-3' })],
    };
    check(report([twice]), statements, ['f: a.py:1 a.py:2 a.py:3']);
  });

  test('statements no test executed are there, unranked', () => {
    const spectrum = check(report([result('f', 'failed', { 'a.py': '1' }), result('p', 'passed', {})]), statements, [
      'f: a.py:1',
      'p: ',
    ]);
    expect(spectrum.statements).toHaveLength(4);
    expect(rankStatements(spectrum).statements.map(({ location }) => location)).toEqual(['a.py:1']);
  });

  test('statements of ignored files are not there at all', () => {
    const run = report([result('f', 'failed', { 'a.py': '1', 'test_a.py': '1-9' })], {
      import_coverage: lines({ 'test_a.py': '1-3' }),
    });
    const spectrum = check(run, { ...statements, 'test_a.py': [span(2)] }, ['f: a.py:1'], {
      ignoreFiles: ['test_a.py'],
    });
    expect(new Set(spectrum.statements.map(({ file }) => file))).toEqual(new Set(['a.py']));
  });

  test('files with names that every object has', () => {
    check(report([result('f', 'failed', { constructor: '1', toString: '2' })]), {}, ['f: constructor:1 toString:2']);
  });
});

describe('which tests count', () => {
  const tests = [
    result('wanted', 'failed', { 'a.py': '1' }),
    result('other', 'error', { 'a.py': '2' }),
    result('silent', 'timeout'),
    result('unseen', 'passed'),
    result('good', 'passed', { 'a.py': '1' }),
    result('idle', 'passed', {}),
    result('blank', 'failed', {}),
    result('skipped', 'skipped'),
  ];
  const always = [
    'blank – failed without executing any statement that is ranked',
    'silent – no coverage was recorded',
    'unseen – no coverage was recorded',
  ];

  test('without a choice all that fail; never one whose coverage is not known', () => {
    check(report(tests), {}, ['wanted: a.py:1', 'other: a.py:2', 'good: a.py:1', 'idle: ', 'skipped: ', ...always]);
  });

  test('failing: only these, the other failing ones are listed', () => {
    const why = 'fails too, but is not one of the failing tests asked for';
    check(
      report(tests),
      {},
      [
        'wanted: a.py:1',
        'good: a.py:1',
        'idle: ',
        'skipped: ',
        `blank – ${why}`,
        `other – ${why}`,
        `silent – ${why}`,
        'unseen – no coverage was recorded',
      ],
      { failing: ['wanted'] },
    );
  });

  test('a wanted test that passed counts as passing', () => {
    check(report(tests.slice(4, 5)), {}, ['good: a.py:1'], { failing: ['good'] });
  });

  test('exclude: with the reason given, which outweighs ours; also of a test the report does not hold', () => {
    const exclude = [
      { test: 'good', why: 'flaky' },
      { test: 'silent', why: 'hangs' },
      { test: 'gone', why: 'not run with coverage' },
    ];
    check(
      report(tests),
      {},
      [
        'wanted: a.py:1',
        'other: a.py:2',
        'idle: ',
        'skipped: ',
        always[0] ?? '',
        'gone – not run with coverage',
        'good – flaky',
        'silent – hangs',
        'unseen – no coverage was recorded',
      ],
      { exclude },
    );
  });

  test('excluded tests stay listed in the ranking', () => {
    const spectrum = spectrumFromReport(report(tests), {}, { failing: ['wanted'] });
    expect(rankStatements(spectrum).excluded_tests.map(({ test: id }) => id)).toEqual([
      'blank',
      'other',
      'silent',
      'skipped',
      'unseen',
    ]);
  });

  test('unknown_test, duplicate_test', () => {
    expect(codeOf(() => spectrumFromReport(report(tests), {}, { failing: ['nobody'] }))).toBe('unknown_test');
    expect(codeOf(() => spectrumFromReport(report([...tests, ...tests]), {}))).toBe('duplicate_test');
  });
});

describe('clause 1b: failing-set hygiene', () => {
  const tests = [
    result('new', 'failed', { 'a.py': '1' }),
    result('old', 'failed', { 'a.py': '2' }),
    { ...result('shaky', 'passed', { 'a.py': '3' }), flaky: true },
    { ...result('shaky failure', 'failed', { 'a.py': '3' }), flaky: true },
    result('was shaky', 'failed', { 'a.py': '3' }),
    result('mended', 'passed', { 'a.py': '1' }),
    result('good', 'passed', { 'a.py': '1' }),
  ];
  const before = report(
    [
      result('old', 'error'),
      result('mended', 'failed'),
      result('good', 'passed'),
      { ...result('was shaky', 'passed'), flaky: true },
    ],
    { collection_errors: [{ file: 'test_b.py', message: 'no module' }] },
  );
  const flaky = ['shaky – flaky: run again it ended otherwise', 'shaky failure – flaky: run again it ended otherwise'];

  test('what fails without the change too and what is flaky is kept out, with its name', () =>
    check(
      report(tests),
      {},
      [
        'new: a.py:1',
        'mended: a.py:1',
        'good: a.py:1',
        'old – fails without the change too',
        ...flaky,
        'was shaky – flaky without the change',
      ],
      { before },
    ));

  test('without a run before the change only what is flaky is out', () =>
    check(report(tests), {}, [
      'new: a.py:1',
      'old: a.py:2',
      'was shaky: a.py:3',
      'mended: a.py:1',
      'good: a.py:1',
      ...flaky,
    ]));

  test('what is asked for counts though it failed before; a flaky test never does', () =>
    check(
      report(tests),
      {},
      [
        'old: a.py:2',
        'mended: a.py:1',
        'good: a.py:1',
        'new – fails too, but is not one of the failing tests asked for',
        ...flaky,
        'was shaky – flaky without the change',
      ],
      { before, failing: ['old', 'shaky failure'] },
    ));

  test('a file that could not be collected before either', () => {
    const broken = report([result('good', 'passed', { 'a.py': '1' })], {
      collection_errors: [{ file: 'test_b.py', message: 'no module' }],
      import_coverage: lines({ 'a.py': '9' }),
    });
    check(broken, {}, ['good: a.py:1 a.py:9', 'test_b.py – fails without the change too'], { before });
  });

  test('the excluded stay named in the ranking', () => {
    const { excluded_tests, total_failed } = rankStatements(spectrumFromReport(report(tests), {}, { before }));
    expect(total_failed).toBe(1);
    expect(excluded_tests.map(({ test: id }) => id)).toEqual(['old', 'shaky', 'shaky failure', 'was shaky']);
  });
});

describe('what ran while modules were loaded', () => {
  const statements = {
    'config.py': [span(1), span(3, 3, 'definition'), span(4)],
    'app.py': [span(1, 1, 'import'), span(3, 3, 'definition'), span(4)],
  };

  test('is credited to the tests that executed something of the file', () => {
    const run = report([result('f', 'failed', { 'config.py': '4' }), result('p', 'passed', { 'app.py': '4' })], {
      import_coverage: lines({ 'app.py': '1,3', 'config.py': '1,3' }),
    });
    const spectrum = check(run, statements, [
      'f: app.py:1 app.py:3 config.py:1 config.py:3 config.py:4',
      'p: app.py:1 app.py:3 app.py:4',
    ]);
    const order = rankStatements(spectrum).statements.map(({ location }) => location);
    expect(order).toEqual(['config.py:4', 'config.py:1', 'config.py:3', 'app.py:1', 'app.py:3']);
  });

  test('of a module no test entered, to all: a wrong constant is in reserve, never lost', () => {
    const run = report([result('f', 'failed', { 'app.py': '4' }), result('p', 'passed', { 'app.py': '5' })], {
      import_coverage: lines({ 'config.py': '1' }),
    });
    const spectrum = check(run, statements, ['f: app.py:4 config.py:1', 'p: app.py:5 config.py:1']);
    expect(rankStatements(spectrum).statements).toMatchObject([
      { location: 'app.py:4' },
      { location: 'config.py:1', tier: 'reserve' },
    ]);
  });

  test('of a module that only passing tests entered, to all: the failing one may use its constants', () => {
    const run = report([result('f', 'failed', { 'app.py': '4' }), result('p', 'passed', { 'config.py': '4' })], {
      import_coverage: lines({ 'config.py': '1' }),
    });
    check(run, statements, ['f: app.py:4 config.py:1', 'p: config.py:1 config.py:4']);
  });

  test('a failing test that entered nothing but its own file still has them', () => {
    const run = report([result('f', 'failed', { 'test_a.py': '5' }), result('p', 'passed', { 'app.py': '4' })], {
      import_coverage: lines({ 'config.py': '1', 'test_a.py': '1-4' }),
    });
    check(run, statements, ['f: config.py:1', 'p: app.py:4 config.py:1'], { ignoreFiles: ['test_a.py'] });
  });

  test('with imports: to the tests of importers too, through files no test entered', () => {
    const run = report(
      [
        result('f', 'failed', { 'app.py': '4' }),
        result('p', 'passed', { 'other.py': '1' }),
        result('q', 'passed', { 'config.py': '4' }),
      ],
      { import_coverage: lines({ 'config.py': '1', '__init__.py': '1' }) },
    );
    const imports = { 'app.py': ['__init__.py'], '__init__.py': ['config.py', '__init__.py'] };
    const spectrum = check(
      run,
      statements,
      ['f: __init__.py:1 app.py:4 config.py:1', 'p: other.py:1', 'q: config.py:1 config.py:4'],
      { imports },
    );
    expect(rankStatements(spectrum).statements.find(({ location }) => location === 'config.py:1')).toMatchObject({
      tier: 'discriminating',
      failed_runs: 1,
      passed_runs: 1,
    });
  });

  test('with imports: not through a file that some test entered', () => {
    const run = report(
      [
        result('f', 'failed', { 'app.py': '4' }),
        result('p', 'passed', { 'mid.py': '2' }),
        result('g', 'failed', { 'config.py': '4' }),
      ],
      { import_coverage: lines({ 'config.py': '1' }) },
    );
    check(run, statements, ['f: app.py:4', 'p: config.py:1 mid.py:2', 'g: config.py:1 config.py:4'], {
      imports: { 'app.py': ['mid.py'], 'mid.py': ['config.py'] },
    });
  });

  test('with imports: the file of a test counts as entered', () => {
    const run = report(
      [result('f', 'failed', {}), { ...result('p', 'passed', { 'app.py': '4' }), file: 'test_b.py' }],
      { import_coverage: lines({ 'config.py': '1' }) },
    );
    check(run, statements, ['f: config.py:1', 'p: app.py:4'], { imports: { 'test_a.py': ['config.py'] } });
  });
});

describe('files that could not be collected', () => {
  const loaded = { import_coverage: lines({ 'app.py': '1', 'broken.py': '1-2' }) };
  const errors = [
    { file: 'test_b.py', message: 'NameError: x\nmore' },
    { message: 'no such folder' },
    { file: 'test_b.py', message: 'again' },
  ];

  test('are failing runs of what ran while modules were loaded', () => {
    const run = report([result('p', 'passed', { 'app.py': '4' })], {
      ...loaded,
      collection_errors: errors.slice(0, 1),
    });
    const spectrum = check(run, {}, ['p: app.py:1 app.py:4', 'test_b.py: app.py:1 broken.py:1 broken.py:2']);
    expect(rankStatements(spectrum).statements.map(({ location, score, tier }) => [location, score, tier])).toEqual([
      ['broken.py:1', 1, 'discriminating'],
      ['broken.py:2', 1, 'discriminating'],
      ['app.py:1', Math.SQRT1_2, 'reserve'],
    ]);
  });

  test('nothing else ran: no contrast, and what ran is ranked', () => {
    const spectrum = spectrumFromReport(report([], { ...loaded, collection_errors: errors.slice(0, 1) }), {});
    expect(rankStatements(spectrum)).toMatchObject({
      verdict: 'no_contrast',
      total_failed: 1,
      statements: [{ location: 'app.py:1' }, {}, {}],
    });
  });

  test('one run a file, or a number where there is no file; each with its message where it is not counted', () => {
    const run = report([result('f', 'failed', { 'app.py': '4' })], { ...loaded, collection_errors: errors });
    check(
      run,
      {},
      [
        'f: app.py:1 app.py:4 broken.py:1 broken.py:2',
        'collection error 2 – an error outside any test (no such folder)',
        'test_b.py – an error outside any test (NameError: x)',
      ],
      { failing: ['f'] },
    );
    check(
      run,
      {},
      [
        'test_b.py: app.py:1 broken.py:1 broken.py:2',
        'collection error 2 – an error outside any test (no such folder)',
        'f – fails too, but is not one of the failing tests asked for',
      ],
      { failing: ['test_b.py'] },
    );
  });

  test('without import coverage they cannot count, and that is said', () => {
    check(report([], { collection_errors: errors.slice(0, 1) }), {}, [
      'test_b.py – an error outside any test (NameError: x), and no coverage was recorded',
    ]);
  });

  test('a runner that lists the file as a test too counts it once', () => {
    check(
      report([result('test_b.py', 'error', { 'app.py': '1' })], { ...loaded, collection_errors: errors.slice(0, 1) }),
      {},
      ['test_b.py: app.py:1 broken.py:1 broken.py:2'],
    );
  });
});

test('the order in which the report lists tests and files does not matter; twice the same bytes', () => {
  const tests = [
    result('f', 'failed', { 'b.py': '2', 'a.py': '1-3' }),
    result('p', 'passed', { 'a.py': '2' }),
    result('s', 'skipped'),
  ];
  const imported = lines({ 'b.py': '1', 'c.py': '1' });
  const rank = (run: TestRunReport) =>
    JSON.stringify(rankStatements(spectrumFromReport(run, { 'a.py': [span(1, 3), span(2)] })));
  const bytes = rank(report(tests, { import_coverage: imported }));
  expect(rank(report(tests, { import_coverage: imported }))).toBe(bytes);
  const turned = tests
    .map(({ coverage, ...rest }) => (coverage === undefined ? rest : { ...rest, coverage: [...coverage].reverse() }))
    .reverse();
  expect(rank(report(turned, { import_coverage: [...imported].reverse() }))).toBe(bytes);
});
