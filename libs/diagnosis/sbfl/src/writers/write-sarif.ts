import { parseLoc, type RankedStatement, type SpectrumReport } from '@h/contracts';

export interface SarifOptions {
  /** At most so many results; 50 when absent, as many as probe points. */
  readonly limit?: number;
  /** Version of the tool to name; left out when absent. */
  readonly version?: string;
}

const rules = {
  suspicious: {
    id: 'suspicious-statement',
    shortDescription: { text: 'The tests that execute the statement fail more than the others.' },
  },
  reserve: {
    id: 'executed-by-every-test',
    shortDescription: {
      text: 'Every test executes the statement: the tests do not tell it apart, and it may be at fault.',
    },
  },
} as const;

/**
 * A ranking as SARIF 2.1.0 text, one result a statement in rank order; places are relative to `%SRCROOT%`. `rank` of a result is 100 times
 * suspiciousness where the formula is from 0 to 1 (ochiai: 0 in reserve), else left out. Excluded tests are notifications of the run.
 */
export function writeSarif(report: SpectrumReport, { limit = 50, version }: SarifOptions = {}): string {
  const run = {
    tool: {
      driver: {
        name: '@h/sbfl',
        ...(version === undefined ? {} : { version }),
        rules: Object.values(rules),
      },
    },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: { '%SRCROOT%': { description: { text: 'The root of the repository.' } } },
    invocations: [
      {
        executionSuccessful: true,
        toolExecutionNotifications: report.excluded_tests.map(({ test, why }) => ({
          level: 'note',
          message: { text: `${test} was left out: ${why}` },
        })),
      },
    ],
    results: report.statements.slice(0, Math.max(0, limit)).map((statement) => resultOf(statement, report)),
    properties: {
      formula: report.formula,
      verdict: report.verdict,
      totalFailed: report.total_failed,
      totalPassed: report.total_passed,
      rankedStatements: report.statements.length + (report.cut ?? 0),
    },
  };
  const schema = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, undefined, 2)}\n`;
}

const fromZeroToOne = new Set([
  'ochiai',
  'tarantula',
  'jaccard',
  'barinel',
  'ochiai2',
  'ample',
  'kulczynski2',
  'zoltar',
]);

function resultOf(statement: RankedStatement, { formula, total_failed, total_passed }: SpectrumReport) {
  const { location, tier, score, failed_runs, passed_runs, rank, tie_size, worst_rank, group, kind, loaded } =
    statement;
  const { file, line } = parseLoc(location);
  const suspiciousness = tier === 'reserve' ? 0 : score;
  const runs = `${failed_runs} of ${total_failed} failing and ${passed_runs} of ${total_passed} passing tests`;
  return {
    ruleId: tier === 'reserve' ? rules.reserve.id : rules.suspicious.id,
    ruleIndex: tier === 'reserve' ? 1 : 0,
    level: tier === 'reserve' ? 'note' : 'warning',
    message: {
      text: `Rank ${rank}: executed by ${runs}; ${tie_size} ${tie_size === 1 ? 'statement has' : 'statements have'} this score.`,
    },
    ...(fromZeroToOne.has(formula) ? { rank: 100 * suspiciousness } : {}),
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file), uriBaseId: '%SRCROOT%' },
          region: { startLine: Math.max(1, line) },
        },
      },
    ],
    properties: {
      rank,
      score,
      tier,
      kind,
      loaded,
      failedRuns: failed_runs,
      passedRuns: passed_runs,
      tieSize: tie_size,
      worstRank: worst_rank,
      group,
    },
  };
}

/** A path as a relative reference; what is no well-formed text becomes U+FFFD. */
function uriOf(file: string): string {
  return file
    .replace(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}
