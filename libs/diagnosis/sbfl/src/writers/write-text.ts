import type { RankedStatement, SpectrumReport } from '@h/contracts';

export interface TextOptions {
  /** Statements shown per part; 20 when absent. */
  readonly limit?: number;
}

/**
 * A ranking for a terminal: what the tests tell apart, what every test executes, what ran outside them (loading, set-up kept apart), imports and
 * definitions, each under a heading of its own with the ranks of the whole; then the tests that were left out. No line end at the end.
 */
export function writeText(report: SpectrumReport, { limit = 20 }: TextOptions = {}): string {
  const { verdict, statements, excluded_tests, total_failed, total_passed, cut = 0 } = report;
  const left = excluded_tests.map(({ test, why }) => `left out: ${test}: ${why}`);
  if (statements.length === 0) return ['No failing test executed a statement: nothing to rank.', ...left].join('\n');
  const total = statements.length + cut;
  const contrast = verdict === 'no_contrast' ? '; no test passes, so nothing tells them apart' : '';
  return [
    `${total_failed} failing, ${total_passed} passing; ${total} statements ran in a failing test${contrast}`,
    ...parts.flatMap(({ title, holds }) => partOf(title, statements.filter(holds), limit)),
    ...(cut === 0 ? [] : [`${cut} more statements are not in the report`]),
    ...left,
  ].join('\n');
}

type Holds = (statement: RankedStatement) => boolean;

const isBody: Holds = ({ kind = 'statement', loaded }) => kind === 'statement' && loaded !== true;

const parts: readonly { readonly title: string; readonly holds: Holds }[] = [
  { title: '', holds: (statement) => isBody(statement) && statement.tier === 'discriminating' },
  { title: 'every test executes:', holds: (statement) => isBody(statement) && statement.tier === 'reserve' },
  {
    title: 'ran outside the tests:',
    holds: ({ kind = 'statement', loaded }) => kind === 'statement' && loaded === true,
  },
  { title: 'imports and definitions:', holds: ({ kind = 'statement' }) => kind !== 'statement' },
];

function partOf(title: string, statements: readonly RankedStatement[], limit: number): string[] {
  if (statements.length === 0) return [];
  const more = statements.length - limit;
  return [
    ...(title === '' ? [] : [title]),
    ...statements.slice(0, limit).map(row),
    ...(more > 0 ? [`      and ${more} more`] : []),
  ];
}

function row({ rank, tier, score, tie_size, location }: RankedStatement): string {
  const shown = tier === 'reserve' ? 0 : score;
  const figure = shown >= 1e6 ? 'perfect' : shown.toFixed(3);
  return `${String(rank).padStart(4)}  ${figure}  ${String(tie_size).padStart(4)} tied  ${location}`;
}
