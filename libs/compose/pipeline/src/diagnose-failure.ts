// Baseline runs → spectrum → ranked statements.
import type {
  CandidateProbePoints,
  Loc,
  ProgressEvent,
  Spectrum,
  SpectrumReport,
  TestId,
  TestRunReport,
} from '@h/contracts';
import { measureExtents, projectProbePoints, rankStatements, scoreBranches, spectrumFromReport } from '@h/sbfl';
import { languageOf, type Outline } from '@h/syntax';
import { compareReports, runSuite } from '@h/test-runners';
import { decodeSource } from './decode-source.ts';
import { badInput, noTestsFound, unknownTest } from './errors.ts';
import type { Session } from './open-session.ts';

export interface DiagnoseOptions {
  /** Failing tests to explain; all that fail when absent. */
  readonly tests?: readonly TestId[];
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ProgressEvent) => void;
}

export interface Diagnosis {
  /** The plain run: what candidates are compared with. */
  readonly baseline: TestRunReport;
  /** Wall time of the plain run, start of the runner included. */
  readonly baselineMs: number;
  /** The run with coverage. */
  readonly observed: TestRunReport;
  readonly failing: readonly TestId[];
  readonly excluded: readonly ExcludedTest[];
  readonly spectrum: Spectrum;
  readonly report: SpectrumReport;
  readonly probePoints: CandidateProbePoints;
  /** By location: score of the most suspicious branch next to it, and how much it computes. */
  readonly adjacentBranch: Readonly<Record<string, number>>;
  readonly extents: Readonly<Record<string, number>>;
  /** Source text by path, of every file with a ranked statement that is valid UTF-8. */
  readonly sources: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

export type DiagnosisOutcome =
  | { status: 'failing'; diagnosis: Diagnosis }
  | { status: 'nothing_failing'; baseline: TestRunReport; observed?: TestRunReport; excluded: readonly ExcludedTest[] };

export interface ExcludedTest {
  readonly test: TestId;
  readonly why: string;
}

/** Runs the tests twice, plainly and with coverage, and ranks the statements. Throws `unknown_test` and `no_tests_found`. */
export async function diagnoseFailure(session: Session, options: DiagnoseOptions): Promise<DiagnosisOutcome> {
  const { signal, onEvent } = options;
  const observe = { ...(signal === undefined ? {} : { signal }), ...(onEvent === undefined ? {} : { onEvent }) };
  onEvent?.({ kind: 'stage', message: `running the tests with ${session.detection.runner}` });
  const started = Date.now();
  const baseline = await runSuite(session.suite, session.host, observe);
  const baselineMs = Date.now() - started;
  signal?.throwIfAborted();
  requireTests(baseline, options.tests ?? []);
  requireStarted(session, baseline);
  const plain = compareReports(baseline, baseline);
  if (!plain.failing.some((test) => options.tests?.includes(test) ?? true))
    return { status: 'nothing_failing', baseline, excluded: [] };
  onEvent?.({ kind: 'stage', message: 'running them again with coverage' });
  const observed = await runSuite(session.suite, session.host, { ...observe, coverage: true });
  signal?.throwIfAborted();
  const { failing: agreed, disagreeing } = compareReports(baseline, observed);
  const asked = agreed.filter((test) => options.tests?.includes(test) ?? true);
  const { unstable, lastLines } = await runAgain(session, { baseline, observed }, asked, options);
  const failing = asked.filter((test) => !unstable.has(test));
  const excluded = [
    ...[...unstable].map((test) => ({ test, why: 'failed at first, and passed when it was run again' })),
    ...disagreeing.map(({ test, first, second }) => ({
      test,
      why: `${first} in the plain run, ${second} with coverage`,
    })),
    ...agreed
      .filter((test) => !asked.includes(test))
      .map((test) => ({ test, why: 'fails too, but was not asked for' })),
  ];
  if (failing.length === 0) return { status: 'nothing_failing', baseline, observed, excluded };
  onEvent?.({ kind: 'stage', message: 'ranking statements' });
  return {
    status: 'failing',
    diagnosis: await rank(session, { baseline, baselineMs, observed, failing, excluded }, lastLines),
  };
}

const RERUNS = 2;

type LastLines = Record<TestId, readonly Loc[]>;

/**
 * Failing tests that pass in one of two more runs of their own, and the order of execution. Those that hang are not run again. Where the
 * covered run did not tell the order, which is dear where thousands of tests run, the first of the two tells it.
 */
async function runAgain(
  session: Session,
  { baseline, observed }: Pick<Runs, 'baseline' | 'observed'>,
  failing: readonly TestId[],
  { signal, onEvent }: DiagnoseOptions,
): Promise<{ unstable: Set<TestId>; lastLines: LastLines }> {
  const unstable = new Set<TestId>();
  const lastLines = lastLinesOf(observed, failing);
  const isUntold = failing.some((test) => lastLines[test] === undefined);
  const hanging = baseline.tests.some(({ test, outcome }) => outcome === 'timeout' && failing.includes(test));
  if (hanging || failing.length === 0) return { unstable, lastLines };
  onEvent?.({ kind: 'stage', message: 'running the failing tests again, to see that they fail each time' });
  for (let ordinal = 1; ordinal <= RERUNS; ordinal += 1) {
    const ordered = ordinal === 1 && isUntold ? { coverage: true, order: true } : {};
    const options = { tests: failing, ordinal, ...ordered, ...(signal === undefined ? {} : { signal }) };
    const again = await runSuite(session.suite, session.host, options);
    signal?.throwIfAborted();
    for (const { test, outcome } of again.tests) if (outcome === 'passed' && failing.includes(test)) unstable.add(test);
    Object.assign(lastLines, lastLinesOf(again, failing));
  }
  return { unstable, lastLines };
}

function lastLinesOf({ tests }: TestRunReport, wanted: readonly TestId[]): LastLines {
  const told = tests.filter(({ test, last_lines }) => last_lines !== undefined && wanted.includes(test));
  return Object.fromEntries(told.map(({ test, last_lines = [] }) => [test, last_lines]));
}

type Runs = Pick<Diagnosis, 'baseline' | 'baselineMs' | 'observed' | 'failing' | 'excluded'>;

async function rank(session: Session, runs: Runs, known: LastLines): Promise<Diagnosis> {
  const { sources, outlines, warnings } = await outlineFiles(session, coveredFiles(runs.observed));
  const statements = Object.fromEntries(outlines);
  const spectrum = spectrumFromReport(runs.observed, statements, {
    failing: runs.failing,
    exclude: runs.excluded,
  });
  const lastLines = Object.fromEntries(runs.failing.map((test) => [test, known[test] ?? []]));
  const adjacentBranch = scoreBranches(spectrum, statements);
  const report = rankStatements(spectrum, { lastLines, adjacentBranch });
  const extents = measureExtents(measuredFiles(session, outlines, sources));
  const probePoints = projectProbePoints(report);
  return { ...runs, spectrum, report, probePoints, adjacentBranch, extents, sources, warnings };
}

function measuredFiles(
  { parser }: Session,
  outlines: ReadonlyMap<string, Outline>,
  sources: ReadonlyMap<string, string>,
) {
  return Object.fromEntries(
    [...outlines].map(([file, { language, statements }]) => [
      file,
      { statements, tokens: parser.tokens(sources.get(file) ?? '', language) },
    ]),
  );
}

function coveredFiles(report: TestRunReport): string[] {
  const files = [...report.tests.flatMap(({ coverage }) => coverage ?? []), ...(report.import_coverage ?? [])];
  return [...new Set(files.map(({ file }) => file))].sort();
}

async function outlineFiles(session: Session, files: readonly string[]) {
  const sources = new Map<string, string>();
  const outlines = new Map<string, Outline>();
  const warnings: string[] = [];
  for (const file of files) {
    const language = languageOf(file);
    const text = decodeSource(await session.repository.reader.read(file).catch(() => undefined));
    if (text === undefined)
      warnings.push(`${file} is not UTF-8: its statements are ranked by line and get no candidates`);
    if (language === undefined || text === undefined) continue;
    sources.set(file, text);
    const outline = session.parser.outline(text, language);
    if (outline.partial) warnings.push(`${file} could be parsed only in part`);
    outlines.set(file, outline);
  }
  return { sources, outlines, warnings };
}

/** A command that its host cannot start is a slip of the caller, not a failing test. */
function requireStarted({ suite }: Session, { tests }: TestRunReport): void {
  for (const { command, cwd } of suite) {
    const result = tests.find(({ test }) => test === command?.label);
    if (
      command === undefined ||
      result?.outcome !== 'error' ||
      !/^exit code 12[67]\b/i.test(result.failure?.message ?? '')
    )
      continue;
    throw badInput(
      `The command ${command.label} could not be started: ${result.failure?.message.replaceAll('\n', ' ')}`,
      `Is ${command.argv[0]} a program that the sandbox sees? Name it as a shell in ${cwd === '' ? 'the repository' : cwd} would.`,
    );
  }
}

function requireTests(baseline: TestRunReport, wanted: readonly TestId[]): void {
  const ids = baseline.tests.map(({ test }) => test);
  if (ids.length === 0) {
    const errors = baseline.collection_errors.map(
      ({ file, message }) => `${file ?? 'collection'}: ${message.split('\n', 1)[0]}`,
    );
    const silent = `${baseline.runner} reported none: it found none, or its folder was deleted while it ran`;
    throw noTestsFound(errors.length === 0 ? silent : `none could be collected: ${errors.slice(0, 3).join('; ')}`);
  }
  for (const test of wanted) {
    if (!ids.includes(test)) throw unknownTest(test, nearestIds(test, ids));
  }
}

/** Ids that share the wanted one's last part, or hold it, at most three. */
export function nearestIds(wanted: string, ids: readonly string[]): string[] {
  const last = wanted.split(/::| > /).at(-1) ?? wanted;
  return ids.filter((id) => id.includes(last) || wanted.includes(id)).slice(0, 3);
}
