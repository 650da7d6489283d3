import { checkRecord, type Spectrum, SpectrumReport } from '@h/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildSpectrum, ochiai, type RankOptions, rankStatements } from '../src/index.ts';
import { codeOf } from './code-of.ts';
import { drawSpectrum } from './draw-spectrum.ts';

/** Ranks a drawing; each expected line is `location tier score tie_size worst_rank group`, score to three places. */
function check(drawing: string, expected: string, options?: RankOptions): void {
  const report = rankStatements(drawSpectrum(drawing), options);
  checkRecord(SpectrumReport, report);
  const lines = report.statements.map(({ location, tier, score, tie_size, worst_rank, group }, index) => {
    expect(report.statements[index]?.rank).toBe(index + 1);
    return `${location} ${tier} ${score.toFixed(3)} ${tie_size} ${worst_rank} ${group}`;
  });
  expect(lines).toEqual(
    expected
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
}

describe('the order, computed by hand', () => {
  test('by the formula: perfect, half, weak', () => {
    check(
      `    F1 F2 P1 P2
      a:1 x  .  x  .
      a:2 x  x  .  .
      a:3 x  x  x  .
      a:4 .  .  x  x`,
      `a:2 discriminating 1.000 1 1 0
       a:3 discriminating 0.816 1 2 1
       a:1 discriminating 0.500 1 3 2`,
    );
  });

  test('a statement that every run executes is reserve: behind one with a lower score, and still there', () => {
    check(
      `    F1 F2 P1
      a:1 x  x  x
      a:2 x  .  x`,
      `a:2 discriminating 0.500 1 1 0
       a:1 reserve 0.816 1 2 1`,
    );
  });

  test('every statement in reserve: order by recency, then place', () => {
    check(
      `    F1 P1
      b:1 x  x
      a:9 x  x
      a:2 x  x
      a:5 x  x`,
      `a:5 reserve 0.707 4 1 0
       a:2 reserve 0.707 4 4 0
       a:9 reserve 0.707 4 4 0
       b:1 reserve 0.707 4 4 0`,
      { lastLines: { F1: ['a:5'] } },
    );
  });

  test('not reserve: missed by one failing run, or by one passing run', () => {
    check(
      `    F1 F2 P1 P2
      a:1 x  .  x  x
      a:2 x  x  x  .
      a:3 x  x  x  x`,
      `a:2 discriminating 0.816 1 1 0
       a:1 discriminating 0.408 1 2 1
       a:3 reserve 0.707 1 3 2`,
    );
  });

  test('no passing run: the rule is off, the formula is not asked, the score is still it', () => {
    const drawing = `
          F1 F2
      a:1 x  x
      a:2 x  .
      a:3 x  x`;
    const expected = `a:2 discriminating 0.707 3 1 0
       a:3 discriminating 1.000 3 2 1
       a:1 discriminating 1.000 3 3 1`;
    check(drawing, expected, { lastLines: { F1: ['a:2', 'a:3', 'a:1'] } });
    expect(rankStatements(drawSpectrum(drawing)).verdict).toBe('no_contrast');
  });

  test('imports and definitions come last within their tier, whatever their score', () => {
    check(
      `    F1 P1 P2
      a:1 x  .  .  import
      a:2 x  .  .  def
      a:3 x  x  .
      a:4 x  x  x
      a:5 x  x  x  def`,
      `a:3 discriminating 0.707 1 1 0
       a:1 discriminating 1.000 2 3 1
       a:2 discriminating 1.000 2 3 1
       a:4 reserve 0.577 1 4 2
       a:5 reserve 0.577 1 5 2`,
    );
  });

  test('an error and a timeout fail; skipped, not run, xfailed and xpassed count on neither side', () => {
    const drawing = `
          F1 E1 T1 P1 S1 N1 x1 X1
      a:1 x  x  x  .  x  .  x  x
      a:2 .  .  .  x  x  x  x  x`;
    check(drawing, 'a:1 discriminating 1.000 1 1 0');
    expect(rankStatements(drawSpectrum(drawing))).toMatchObject({
      total_failed: 3,
      total_passed: 1,
      excluded_tests: [
        { test: 'N1', why: 'not run' },
        { test: 'S1', why: 'skipped' },
        { test: 'X1', why: 'expected to fail, but passed' },
        { test: 'x1', why: 'expected to fail, and did' },
      ],
    });
  });

  test('no failing run: nothing is ranked, and that is said', () => {
    const report = rankStatements(drawSpectrum(`P1 S1\na:1 x x`));
    expect(report).toMatchObject({ verdict: 'no_contrast', total_failed: 0, total_passed: 1, statements: [] });
    expect(rankStatements({ tests: [], statements: [], hits: [] })).toMatchObject({
      verdict: 'no_contrast',
      statements: [],
    });
  });

  test('another formula orders by its own score', () => {
    const drawing = `
          F1 F2 P1 P2 P3 P4
      a:1 x  x  x  x  .  .
      a:2 x  .  .  .  .  .`;
    check(drawing, `a:1 discriminating 0.707 2 2 0\na:2 discriminating 0.707 2 2 1`);
    check(drawing, `a:2 discriminating 1.000 1 1 0\na:1 discriminating 0.667 1 2 1`, { formula: 'tarantula' });
    check(drawing, `a:1 discriminating 0.500 2 2 0\na:2 discriminating 0.500 2 2 1`, { formula: 'jaccard' });
  });
});

describe('the tie-break', () => {
  const drawing = `
          F1 F2 P1
      b:1 x  x  .
      a:2 x  x  .
      a:1 x  x  .
      a:3 x  x  .`;

  test('without more: file and line in code-unit order', () => {
    check(drawing, ['a:1', 'a:2', 'a:3', 'b:1'].map((at) => `${at} discriminating 1.000 4 4 0`).join('\n'));
    const upper = drawSpectrum(`F1 P1\né:1 x .\na:10 x .\na:9 x .\nZ:1 x .`);
    expect(rankStatements(upper).statements.map(({ location }) => location)).toEqual(['Z:1', 'a:9', 'a:10', 'é:1']);
  });

  test('most recently executed first; one never named comes after', () => {
    const order = `a:3 discriminating 1.000 4 1 0
       b:1 discriminating 1.000 4 2 0
       a:1 discriminating 1.000 4 4 0
       a:2 discriminating 1.000 4 4 0`;
    check(drawing, order, { lastLines: { F1: ['a:3', 'b:1'] } });
  });

  test('of several failing tests the nearest counts; places outside the spectrum take no number', () => {
    const order = `a:2 discriminating 1.000 4 2 0
       b:1 discriminating 1.000 4 2 0
       a:1 discriminating 1.000 4 3 0
       a:3 discriminating 1.000 4 4 0`;
    check(drawing, order, {
      lastLines: { F1: ['test:9', 'b:1', 'a:1', 'a:3', 'a:2'], F2: ['test:7', 'test:8', 'a:2', 'a:2', 'b:1'] },
    });
  });

  test('a line inside a statement is that statement', () => {
    const spectrum: Spectrum = {
      tests: [{ id: 'F1', outcome: 'failed' }],
      statements: [
        { file: 'a', first: 1, last: 1, kind: 'statement' },
        { file: 'a', first: 2, last: 5, kind: 'statement' },
      ],
      hits: ['0-1'],
    };
    expect(rankStatements(spectrum, { lastLines: { F1: ['a:4', 'a:1'] } }).statements[0]?.location).toBe('a:2');
  });

  test('only failing tests tell; a passing or unknown one is not asked', () => {
    check(drawing, ['a:1', 'a:2', 'a:3', 'b:1'].map((at) => `${at} discriminating 1.000 4 4 0`).join('\n'), {
      lastLines: { P1: ['b:1'], nobody: ['b:1'] },
    });
  });

  test('then the adjacent branch, higher first; a missing one counts as 0', () => {
    const options = { lastLines: { F1: ['a:3'] }, adjacentBranch: { 'b:1': 0.5, 'a:2': 0.5, 'a:3': -1 } };
    check(
      drawing,
      `a:3 discriminating 1.000 4 1 0
       a:2 discriminating 1.000 4 3 0
       b:1 discriminating 1.000 4 3 0
       a:1 discriminating 1.000 4 4 0`,
      options,
    );
  });

  test('what ran while modules were loaded ran before everything else: after those that no list names', () => {
    const spectrum = drawSpectrum(`F1 P1\na:1 x .\na:2 x .\na:3 x .`);
    const statements = spectrum.statements.map((one) => (one.first === 1 ? { ...one, loaded: true as const } : one));
    const { statements: ranked } = rankStatements({ ...spectrum, statements }, { lastLines: { F1: ['a:3'] } });
    expect(ranked.map(({ location, loaded, worst_rank }) => [location, loaded, worst_rank])).toEqual([
      ['a:3', undefined, 1],
      ['a:2', undefined, 2],
      ['a:1', true, 3],
    ]);
  });

  test('names that every object has are no names of the caller', () => {
    const spectrum = drawSpectrum(`F1 P1\nconstructor:1 x .\na:1 x .`);
    spectrum.tests[0] = { id: 'constructor', outcome: 'failed' };
    expect(rankStatements(spectrum, { lastLines: {}, adjacentBranch: {} }).statements).toHaveLength(2);
  });
});

describe('limit', () => {
  const drawing = drawSpectrum(`
          F1 F2 P1
      a:1 x  x  .
      a:2 x  x  .
      a:3 x  x  .
      a:4 x  .  .
      a:5 x  x  x`);
  const whole = rankStatements(drawing);

  test.each([0, 1, 2, 3, 4])(
    '%i: the head of the whole, with its ties and worst ranks, and how many are cut',
    (limit) => {
      const report = rankStatements(drawing, { limit });
      expect(report.statements).toEqual(whole.statements.slice(0, limit));
      expect(report.cut).toBe(5 - limit);
      checkRecord(SpectrumReport, report);
    },
  );

  test.each([5, 6, 1e9])('%i: nothing is cut', (limit) => expect(rankStatements(drawing, { limit })).toEqual(whole));
});

describe('groups', () => {
  test('statements with the same runs share one, numbered as they appear; the formula alone does not make one', () => {
    check(
      `    F1 F2 P1 P2
      a:1 x  .  .  x
      a:2 x  .  x  .
      a:3 x  .  .  x
      a:4 x  x  .  .
      a:5 x  x  .  .`,
      `a:4 discriminating 1.000 2 2 0
       a:5 discriminating 1.000 2 2 0
       a:1 discriminating 0.500 3 5 1
       a:2 discriminating 0.500 3 5 2
       a:3 discriminating 0.500 3 5 1`,
    );
  });

  test('a test that does not count tells nothing apart', () => {
    const { statements } = rankStatements(drawSpectrum(`F1 P1 S1\na:1 x . x\na:2 x . .`));
    expect(statements.map(({ group }) => group)).toEqual([0, 0]);
  });
});

describe('a spectrum that makes no sense', () => {
  const good = drawSpectrum(`F1 P1\na:1 x .\na:2 x x`);
  test.each<[string, Spectrum]>([
    ['hits_mismatch', { ...good, hits: ['0'] }],
    ['hits_mismatch', { ...good, hits: ['0', '1', ''] }],
    ['statement_out_of_range', { ...good, hits: ['0-2', ''] }],
    [
      'duplicate_test',
      {
        ...good,
        tests: [
          { id: 'F1', outcome: 'failed' },
          { id: 'F1', outcome: 'passed' },
        ],
      },
    ],
    [
      'duplicate_statement',
      { ...good, statements: [good.statements[0], good.statements[0]] as Spectrum['statements'] },
    ],
    ['invalid_line_set', { ...good, hits: ['1,0', ''] }],
  ])('%s', (code, spectrum) => expect(codeOf(() => rankStatements(spectrum))).toBe(code));

  test('an out-of-range hit of a test that does not count is refused too', () => {
    const spectrum: Spectrum = {
      ...good,
      tests: [
        { id: 'F1', outcome: 'failed' },
        { id: 'S1', outcome: 'skipped' },
      ],
      hits: ['0', '7'],
    };
    expect(codeOf(() => rankStatements(spectrum))).toBe('statement_out_of_range');
  });
});

const anyOutcome = fc.constantFrom('passed', 'failed', 'passed', 'failed', 'error', 'skipped', 'xfailed' as const);
const anyKind = fc.constantFrom('statement', 'statement', 'import', 'definition' as const);

/** Small spectra with many ties: up to six tests over up to eight statements of two files. */
const anySpectrum: fc.Arbitrary<Spectrum> = fc
  .record({
    outcomes: fc.array(anyOutcome, { maxLength: 6 }),
    places: fc.uniqueArray(fc.tuple(fc.constantFrom('a.py', 'b.py'), fc.integer({ min: 1, max: 6 }), anyKind), {
      maxLength: 8,
      selector: ([file, line]) => `${file}:${line}`,
    }),
    bits: fc.array(fc.boolean(), { minLength: 48, maxLength: 48 }),
  })
  .map(({ outcomes, places, bits }) => ({
    tests: outcomes.map((outcome, index) => ({ id: `t${index}`, outcome })),
    statements: places.map(([file, first, kind]) => ({ file, first, last: first + 1, kind })),
    hits: outcomes.map((_, row) => places.flatMap((__, column) => (bits[row * 8 + column] ? [column] : [])).join(',')),
  })) as fc.Arbitrary<Spectrum>;

describe('laws', () => {
  const withLines = fc.tuple(
    anySpectrum,
    fc.array(fc.constantFrom('a.py:1', 'a.py:2', 'a.py:3', 'b.py:1', 'b.py:4', 'c.py:1'), { maxLength: 5 }),
  );

  test('the order in which tests and statements are given does not matter', () => {
    fc.assert(
      fc.property(withLines, fc.infiniteStream(fc.nat()), ([spectrum, lines], random) => {
        const options = { lastLines: { t0: lines, t1: [...lines].reverse() } };
        const shuffled = permute(spectrum, () => random.next().value);
        expect(rankStatements(shuffled, options)).toEqual(rankStatements(spectrum, options));
      }),
    );
  });

  test('each statement that a failing test executed is ranked once, and no other', () => {
    fc.assert(
      fc.property(anySpectrum, (spectrum) => {
        const report = rankStatements(spectrum);
        const failing = spectrum.tests.flatMap(({ outcome }, index) =>
          /failed$|error/.test(outcome) && outcome !== 'xfailed' ? [index] : [],
        );
        const executed = new Set(failing.flatMap((index) => numbers(spectrum.hits[index])));
        const locations = [...executed].map(
          (index) => `${spectrum.statements[index]?.file}:${spectrum.statements[index]?.first}`,
        );
        expect(report.statements.map(({ location }) => location).sort()).toEqual(locations.sort());
        expect(report.statements.map(({ rank }) => rank)).toEqual(report.statements.map((_, index) => index + 1));
      }),
    );
  });

  test('score is the formula of the counts; reserve is exactly: every run, some passing; it never precedes', () => {
    fc.assert(
      fc.property(anySpectrum, (spectrum) => {
        const { statements, total_failed, total_passed, verdict } = rankStatements(spectrum);
        expect(verdict === 'ok').toBe(total_failed > 0 && total_passed > 0);
        for (const { score, tier, failed_runs, passed_runs } of statements) {
          expect(score).toBe(
            ochiai({ failed: failed_runs, passed: passed_runs, totalFailed: total_failed, totalPassed: total_passed }),
          );
          expect(tier === 'reserve').toBe(
            failed_runs === total_failed && passed_runs === total_passed && total_passed > 0,
          );
        }
        const tiers = statements.map(({ tier }) => tier);
        expect([...tiers].sort()).toEqual(tiers);
      }),
    );
  });

  test('groups are exactly the equal columns; tie_size counts the equals; worst_rank is never before rank', () => {
    fc.assert(
      fc.property(anySpectrum, (spectrum) => {
        const { statements, verdict } = rankStatements(spectrum);
        const counted = spectrum.tests.flatMap(({ outcome }, index) =>
          ['passed', 'failed', 'error'].includes(outcome) ? [index] : [],
        );
        const columns = new Map(
          spectrum.statements.map(({ file, first }, index) => [
            `${file}:${first}`,
            counted.map((test) => numbers(spectrum.hits[test]).includes(index)).join(),
          ]),
        );
        for (const a of statements) {
          for (const b of statements)
            expect(a.group === b.group).toBe(columns.get(a.location) === columns.get(b.location));
          const equals = statements.filter(
            (b) =>
              b.tier === a.tier &&
              (a.kind === 'statement') === (b.kind === 'statement') &&
              (verdict === 'no_contrast' || b.score === a.score),
          );
          expect(a.tie_size).toBe(equals.length);
          expect(a.worst_rank).toBeGreaterThanOrEqual(a.rank);
        }
      }),
    );
  });

  test('built test by test or given as a record: the same report, the same bytes twice', () => {
    fc.assert(
      fc.property(anySpectrum, (spectrum) => {
        const builder = buildSpectrum(spectrum.statements);
        for (const [index, { id, outcome }] of spectrum.tests.entries())
          builder.add({ id, outcome, hits: numbers(spectrum.hits[index]) });
        const bytes = JSON.stringify(rankStatements(spectrum));
        expect(JSON.stringify(rankStatements(builder.spectrum()))).toBe(bytes);
        expect(JSON.stringify(rankStatements(structuredClone(spectrum)))).toBe(bytes);
      }),
    );
  });

  test('nothing handed in is changed', () => {
    fc.assert(
      fc.property(anySpectrum, (spectrum) => {
        const before = structuredClone(spectrum);
        rankStatements(spectrum);
        expect(spectrum).toEqual(before);
      }),
    );
  });
});

function numbers(hits = ''): number[] {
  return hits === '' ? [] : hits.split(',').map(Number);
}

function permute({ tests, statements, hits }: Spectrum, random: () => number): Spectrum {
  const testOrder = shuffle(tests.length, random);
  const statementOrder = shuffle(statements.length, random);
  const at = <Item>(items: readonly Item[], index: number) => items[index] as Item;
  return {
    tests: testOrder.map((index) => at(tests, index)),
    statements: statementOrder.map((index) => at(statements, index)),
    hits: testOrder.map((index) =>
      numbers(hits[index])
        .map((hit) => statementOrder.indexOf(hit))
        .sort((a, b) => a - b)
        .join(','),
    ),
  };
}

function shuffle(length: number, random: () => number): number[] {
  return Array.from({ length }, (_, index) => ({ index, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ index }) => index);
}
