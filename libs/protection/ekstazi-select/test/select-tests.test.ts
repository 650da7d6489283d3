import { parseRecord, RegressionSelection } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SelectError, type SelectionInput, selectTests, verifySelection } from '../src/index.ts';
import { change, changed, dependencies, reportOf, result, shaOf, treeOf, world } from './draw-baseline.ts';

const files = {
  'a.py': '1',
  'b.py': '2',
  'test_a.py': 't',
  'test_b.py': 'u',
  'data/x.json': 'x',
  'pkg/__init__.py': '',
};
const tree = treeOf(files);
const of = (...paths: string[]) => tree.filter(({ path }) => paths.includes(path));
const baseline = reportOf([
  result('ta', { dependencies: dependencies({ files: of('a.py', 'test_a.py') }) }),
  result('tb', {
    file: 'test_b.py',
    dependencies: dependencies({
      files: of('b.py', 'test_b.py'),
      data: of('data/x.json'),
      missing: ['c', 'c.py'],
      listings: [{ path: 'data', sha: shaOf('') }],
    }),
  }),
]);

function select(edits: Record<string, string | null>, more: Partial<SelectionInput> = {}) {
  const tests = baseline.tests.map(({ test, file }) => ({ test, file }));
  return parseRecord(
    RegressionSelection,
    selectTests({ baseline, before: tree, after: changed(files, edits), tests, ...more }),
  );
}

/** What is selected, as `test: why`. */
function check(edits: Record<string, string | null>, expected: string[], more: Partial<SelectionInput> = {}) {
  expect(select(edits, more).selected.map(({ test, why }) => `${test}: ${why}`)).toEqual(expected);
}

describe('selectTests', () => {
  it('skips everything when nothing changed, and says what allows it', () => {
    expect(select({})).toEqual({
      selected: [],
      skipped: [
        { test: 'ta', reason: 'unrun-by-reachability', witness: [shaOf('1'), shaOf('t')].sort() },
        { test: 'tb', reason: 'unrun-by-reachability', witness: [shaOf('2'), shaOf('u'), shaOf('x')].sort() },
      ],
      closure: [],
      safe: true,
    });
  });

  it.each<[string, Record<string, string | null>, string[]]>([
    ['a changed file', { 'a.py': 'new' }, ['ta: a.py was changed']],
    ['a removed file', { 'a.py': null }, ['ta: a.py was removed']],
    ['a changed data file', { 'data/x.json': 'new' }, ['tb: data/x.json was changed']],
    ['a path that is there now', { 'c.py': '' }, ['tb: c.py is there now']],
    ['a folder that is there now', { 'c/d.py': '' }, ['tb: c is there now']],
    ['a new name in a listed folder', { 'data/y.json': '' }, ['tb: the names in data changed']],
    ['a new folder in a listed folder', { 'data/z/y.json': '' }, ['tb: the names in data changed']],
    ['a file nobody reads', { 'readme.md': 'new', 'pkg/types.py': '' }, []],
    ['several', { 'a.py': 'new', 'test_a.py': 'new' }, ['ta: a.py was changed (and 1 more)']],
  ])('selects by %s', (_, edits, expected) => check(edits, expected));

  it.each([
    ['pyproject.toml', ''],
    ['sub/conftest.py', ''],
    ['package-lock.json', ''],
    ['a/requirements/dev.txt', ''],
    ['requirements-dev.txt', ''],
    ['vitest.config.ts', ''],
    ['packages/x/tsconfig.build.json', ''],
    ['a/fast.cpython-311-x86_64-linux-gnu.so', ''],
    ['json.py', ''],
    ['src/typing/__init__.py', ''],
    ['.env.test', ''],
  ])('selects everything by %s', (path, text) => {
    const { selected } = select({ [path]: text });
    expect(selected.map(({ test }) => test)).toEqual(['ta', 'tb']);
    expect(selected[0]?.why).toMatch(`${path} was added, which `);
  });

  it('selects what is not known well enough, after what the change reaches', () => {
    const odd = reportOf([
      ...baseline.tests,
      result('timeout', { outcome: 'timeout' }),
      result('not run', { outcome: 'not_run' }),
      result('flaky', { flaky: true }),
      result('opaque', {
        dependencies: dependencies({ complete: false, why_incomplete: ['it starts a process: git', 'x'] }),
      }),
      { test: 'unseen', file: 'test_a.py', outcome: 'passed' },
    ]);
    const tests = [...odd.tests, { test: 'new', file: 'test_a.py' }].filter(({ test }) => test !== 'flaky');
    check(
      { 'a.py': 'new' },
      [
        'timeout: timed out at the baseline',
        'ta: a.py was changed',
        'new: it is new',
        'flaky: its outcome differed between equal runs (and 1 more)',
        'not run: did not run at the baseline',
        'opaque: it may depend on more than was seen: it starts a process: git (and 1 more)',
        'unseen: what it depends on was not recorded',
      ],
      { baseline: odd, tests },
    );
  });

  it('selects everything in another environment, and without a baseline', () => {
    const why = 'the environment is another than at the baseline';
    check({}, [`ta: ${why}`, `tb: ${why}`], { environment: shaOf('other') });
    check({}, [], { environment: baseline.environment });
    check({}, ['ta: there is no baseline', 'tb: there is no baseline'], { baseline: undefined });
    expect(select({}, { baseline: undefined, tests: undefined })).toMatchObject({ selected: [], safe: false });
  });

  it('takes the caller’s table of global files', () => {
    check({ 'pyproject.toml': '' }, [], { globalFiles: [] });
    const globalFiles = [{ pattern: /^schema\.sql$/, why: 'makes the database' }];
    check(
      { 'schema.sql': '' },
      ['ta', 'tb'].map((test) => `${test}: schema.sql was added, which makes the database`),
      { globalFiles },
    );
  });

  it('lists what the budget leaves out, and is then not safe', () => {
    const edits = { 'a.py': 'new', 'b.py': 'new' };
    const cut = select(edits, { budget: { tests: 1 } });
    expect(cut).toMatchObject({
      selected: [{ test: 'ta' }],
      skipped: [{ test: 'tb', reason: 'unrun-by-budget' }],
      safe: false,
      why_unsafe: ['The budget leaves out 1 test that the change may reach.'],
    });
    const timed = reportOf(baseline.tests.map((test, index) => ({ ...test, duration_ms: 10 + index })));
    expect(select(edits, { baseline: timed, budget: { wallMs: 20 } }).selected).toHaveLength(1);
    expect(select(edits, { baseline: timed, budget: { wallMs: 21 } }).safe).toBe(true);
    expect(select(edits, { budget: { tests: 0 } }).selected).toEqual([]);
  });

  it('says what makes it unsafe', () => {
    const unlisted = { tests: undefined };
    expect(select({ 'test_a.py': 'new' }, unlisted).why_unsafe?.join()).toMatch(/not listed anew.*test_a\.py/);
    expect(select({ 'a.py': 'new' }, unlisted).safe).toBe(true);
    const broken = reportOf([...baseline.tests], {
      collection_errors: [{ file: 'test_c.py', message: 'SyntaxError\nx' }],
    });
    expect(select({}, { ...unlisted, baseline: broken }).why_unsafe).toEqual([
      'Tests of test_c.py may be unknown: SyntaxError',
    ]);
    const other = { before: treeOf({ ...files, 'a.py': 'other' }), after: treeOf({ ...files, 'a.py': 'other' }) };
    const stale = select({}, other);
    expect(stale.selected).toEqual([{ test: 'ta', why: 'a.py is not as it was recorded' }]);
    expect(stale.why_unsafe?.join()).toMatch(/another tree/);
  });

  it('sees the mode of a file', () => {
    const withMode = (mode: number) =>
      tree.map((entry) => ({ ...entry, mode: entry.path === 'a.py' ? mode : 0o100644 }));
    check({}, ['ta: a.py was changed'], { before: withMode(0o100644), after: withMode(0o100755) });
  });

  it.each<[string, () => unknown]>([
    ['duplicate_test', () => select({}, { baseline: reportOf([result('a'), result('a')]) })],
    ['duplicate_path', () => select({}, { before: [...tree, ...tree] })],
    ['invalid_budget', () => select({}, { budget: { tests: 1.5 } })],
    ['invalid_budget', () => select({}, { budget: { wallMs: Number.NaN } })],
  ])('refuses %s', (code, act) => {
    expect(act).toThrowError(SelectError);
    expect(act).toThrowError(expect.objectContaining({ code }));
  });
});

describe('laws', () => {
  const chosen = (
    drawn: { files: Record<string, string>; tree: typeof tree; report: typeof baseline },
    edits: Record<string, string | null>,
  ) =>
    selectTests({
      baseline: drawn.report,
      before: drawn.tree,
      after: changed(drawn.files, edits),
      tests: drawn.report.tests,
    });
  const names = (selection: RegressionSelection) => selection.selected.map(({ test }) => test);

  it('no change selects none', () => {
    fc.assert(
      fc.property(world, (drawn) => {
        expect(names(chosen(drawn, {}))).toEqual([]);
      }),
    );
  });

  it('a test that depends on a changed file is selected; every other thing is listed once', () => {
    fc.assert(
      fc.property(world, change, (drawn, edits) => {
        const selection = chosen(drawn, edits);
        const now = new Map(changed(drawn.files, edits).map(({ path, sha }) => [path, sha]));
        for (const { test, dependencies } of drawn.report.tests)
          if (
            dependencies?.files.some(({ path, sha }) => now.get(path) !== sha) ||
            dependencies?.missing.some((path) => now.has(path))
          )
            expect(names(selection)).toContain(test);
        expect(verifySelection(selection, drawn.report, changed(drawn.files, edits))).toEqual([]);
      }),
    );
  });

  it('more changes never select fewer', () => {
    fc.assert(
      fc.property(world, change, change, (drawn, one, other) => {
        const few = names(chosen(drawn, one));
        const many = new Set(names(chosen(drawn, { ...other, ...one })));
        expect(few.filter((test) => !many.has(test))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('the order of trees, tests and lists does not matter, and two runs give the same bytes', () => {
    fc.assert(
      fc.property(world, change, (drawn, edits) => {
        const plain = JSON.stringify(chosen(drawn, edits));
        const turned = selectTests({
          baseline: { ...drawn.report, tests: drawn.report.tests.toReversed() },
          before: drawn.tree.toReversed(),
          after: changed(drawn.files, edits).toReversed(),
          tests: drawn.report.tests,
        });
        expect(JSON.stringify(turned)).toBe(plain);
        expect(JSON.stringify(chosen(drawn, edits))).toBe(plain);
      }),
    );
  });
});
