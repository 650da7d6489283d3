import { type DynamicSlice, RefinedRanking, type SpectrumReport } from '@h/contracts';
import { expect, it } from 'vitest';
import { measureExtents, rankStatements, refineRanking } from '../src/index.ts';

const statements = [1, 2, 3].map((line) => ({ file: 'a.py', first: line, last: line, kind: 'statement' as const }));
const spectrum = (passing: string[]) => ({
  tests: [
    { id: 'bad', outcome: 'failed' as const },
    ...passing.map((_, at) => ({ id: `good${at}`, outcome: 'passed' as const })),
  ],
  statements,
  hits: ['0-2', ...passing],
});
const sliceOf = (depths: Record<string, number>): DynamicSlice => ({
  slice: Object.keys(depths).map((location) => ({
    location,
    value: { type: 'int', text: '1', truncated: false },
    relation: 'data_dependency',
  })),
  links: Object.values(depths).map((depth, sequence) => ({ execution_id: 'a'.repeat(64), sequence, depth })),
  discarded: 0,
});
const order = (report: SpectrumReport, options: Parameters<typeof refineRanking>[1]) => {
  const ranking = refineRanking(report, options);
  expect(RefinedRanking.parse(ranking)).toEqual(ranking);
  expect(ranking.statements.map(({ rank }) => rank)).toEqual(ranking.statements.map((_, at) => at + 1));
  return ranking.statements.map(({ location }) => location.slice('a.py:'.length)).join(' ');
};
const tied = rankStatements(spectrum(['0-2', '']));

it('is the order of the report where nothing else is known', () => expect(order(tied, {})).toBe('1 2 3'));
it('fuses the order of the report with that of the slice: what is in it before what is not, what is nearer first', () => {
  expect(order(tied, { slice: sliceOf({ 'a.py:2': 1 }) })).toBe('1 2 3');
  expect(order(tied, { slice: sliceOf({ 'a.py:2': 1, 'a.py:3': 2 }) })).toBe('2 1 3');
  expect(order(tied, { slice: sliceOf({ 'a.py:1': 90, 'a.py:3': 1, 'a.py:2': 0 }) })).toBe('2 1 3');
});
it('is the mean of both places for a statement that one of them puts last', () => {
  const { statements: ranked } = refineRanking(tied, { slice: sliceOf({ 'a.py:3': 0, 'a.py:2': 1 }) });
  expect(ranked.map(({ location, weight }) => [location, weight])).toEqual(
    [
      ['a.py:2', 1 / 7 + 1 / 7],
      ['a.py:1', 1 / 6 + 1 / 8],
      ['a.py:3', 1 / 6 + 1 / 8],
    ].sort((a, b) => Number(b[1]) - Number(a[1])),
  );
});
it('takes the nearest of the steps of a statement', () => {
  const slice = sliceOf({ 'a.py:1': 3, 'a.py:2': 2 });
  const twice = { ...slice, slice: [...slice.slice, ...slice.slice.slice(0, 1)] };
  const links = [...slice.links, { execution_id: 'a'.repeat(64), sequence: 9, depth: 0 }];
  expect(order(tied, { slice: { ...twice, links } })).toBe('1 2 3');
});
it('takes a slice whose distances are not known for none', () => {
  const slice = sliceOf({ 'a.py:3': 1 });
  const bare = { ...slice, links: slice.links.map(({ depth: _, ...link }) => link) };
  expect(order(tied, { slice: bare })).toBe('1 2 3');
});
it('lets the tests outweigh distance where they tell much', () => {
  const told = rankStatements(spectrum(['0', '0', '0', '0', '0', '0', '0', '0']));
  expect(order(told, { slice: sliceOf({ 'a.py:1': 0, 'a.py:2': 9, 'a.py:3': 4 }) })).toBe('2 3 1');
});
it('takes a decision for as suspicious as where it leads', () => {
  const told = rankStatements(spectrum(['0', '0', '0']));
  expect(order(told, {})).toBe('2 3 1');
  expect(order(told, { adjacentBranch: { 'a.py:1': 1 }, extents: { 'a.py:1': 27 } })).toBe('2 1 3');
  expect(order(told, { extents: { 'a.py:1': 27 } })).toBe('2 3 1');
});
it('puts what computes more first', () => expect(order(tied, { extents: { 'a.py:3': 3 } })).toBe('1 3 2'));
it('halves the suspicion of what every run executes', () => {
  const told = rankStatements({
    tests: ['bad', 'worse', 'good'].map((id) => ({
      id,
      outcome: id === 'good' ? ('passed' as const) : ('failed' as const),
    })),
    statements,
    hits: ['0-2', '1-2', '1'],
  });
  expect(told.statements.map(({ location, tier }) => [location, tier])).toEqual([
    ['a.py:3', 'discriminating'],
    ['a.py:1', 'discriminating'],
    ['a.py:2', 'reserve'],
  ]);
  expect(order(told, {})).toBe('3 1 2');
  expect(order(told, { extents: { 'a.py:2': 4 } })).toBe('3 1 2');
  expect(order(told, { extents: { 'a.py:2': 40 } })).toBe('3 2 1');
});
it('leaves suspicion out where no test passes', () => {
  const alone = rankStatements(spectrum([]));
  expect(order(alone, { slice: sliceOf({ 'a.py:3': 0 }) })).toBe('1 3 2');
});
it('keeps imports and definitions last', () => {
  const kinds = {
    ...spectrum(['0-2']),
    statements: [{ file: 'a.py', first: 1, last: 1, kind: 'import' as const }, ...statements.slice(1)],
  };
  expect(order(rankStatements(kinds), { slice: sliceOf({ 'a.py:1': 0 }) })).toBe('2 3 1');
});
it('knows no name that only objects have', () => {
  // The third of the report, and the most suspicious one.
  const statements = tied.statements.map((one) =>
    one.rank === 3 ? { ...one, location: 'constructor', score: 1 } : { ...one, score: 0.1 },
  );
  const { statements: ranked } = refineRanking({ ...tied, statements }, { extents: {}, adjacentBranch: {} });
  expect(ranked.find(({ location }) => location === 'constructor')?.weight).toBe(1 / 6 + 1 / 8);
});

it('measures operators, names and literals of each statement', () => {
  const text = 'x = a + 1\nif not x: y()';
  const token = (kind: string, word: string, from = 0) => {
    const start = text.indexOf(word, from);
    return { kind, text: word, start, end: start + word.length };
  };
  const tokens = [
    ...[token('name', 'x'), token('operator', '='), token('name', 'a'), token('operator', '+'), token('number', '1')],
    ...[token('keyword', 'if'), token('keyword', 'not'), token('name', 'x', 10), token('name', 'y')],
  ];
  const spans = [
    { first: 1, start: 0, end: 9 },
    { first: 2, start: 10, end: 18 },
    { first: 2, start: 20, end: text.length },
  ];
  expect(measureExtents({ 'a.py': { statements: spans, tokens } })).toEqual({ 'a.py:1': 4.5, 'a.py:2': 2.5 });
});
