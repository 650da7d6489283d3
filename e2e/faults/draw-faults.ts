// Faults for the checks of diagnosis and repair: one changed statement in a real package, drawn by a seed, that fails at least one test of a suite
// that passed. The changes come from the injector of @h/fix-templates' bench, which works on tokens and knows no template.
import { editTree, parseLines, type TestRunReport } from '@h/contracts';
import { createParser, languageOf, type Parser, statementAt } from '@h/syntax';
import { compareReports, runTests } from '@h/test-runners';
import {
  type Fault as Injected,
  injectFaults,
  KIND_WEIGHTS,
  seededRandom,
} from '../../libs/generation/fix-templates/bench/inject-faults.ts';
import { type OpenPackage, openPackage } from '../real-packages/open-package.ts';
import type { ObtainedPackage, RealPackage } from '../real-packages/real-package.ts';

export interface Fault {
  /** "toolz-3": package and number within it. */
  readonly id: string;
  readonly package: string;
  readonly language: RealPackage['language'];
  /** Kind of the injector. */
  readonly kind: string;
  readonly file: string;
  /** First line of the statement that is to be changed, 1-based, in the faulty text. */
  readonly line: number;
  /** Lines of that statement in the faulty text. */
  readonly lines: readonly [first: number, last: number];
  readonly original: string;
  readonly faulty: string;
  /** Tests that fail by it; all of them passed before. */
  readonly failing: readonly string[];
  readonly tests: number;
}

export interface DrawOptions {
  readonly seed: number;
  /** Faults wanted of the package. */
  readonly count: number;
  readonly onProgress: (text: string) => void;
}

/** A run of the suite with a fault in it is given up after so many times the plain run, at least ten seconds: hangs are no faults here. */
const PATIENCE = 4;
/** Mutants looked at for each fault wanted. */
const TRIES_PER_FAULT = 6;

/** The faults of one package, in the order of the draw; fewer where the tries are used up. Throws where its suite does not pass. */
export async function drawFaults(obtained: ObtainedPackage, options: DrawOptions): Promise<Fault[]> {
  const open = await openPackage(obtained);
  try {
    return await drawFrom(open, obtained, options);
  } finally {
    await open.close();
  }
}

async function drawFrom(open: OpenPackage, { pin }: ObtainedPackage, options: DrawOptions): Promise<Fault[]> {
  const { seed, count, onProgress } = options;
  const parser = await createParser();
  const started = Date.now();
  const plain = await runTests(open.detection, open.host);
  const wall_ms = Math.max(10_000, PATIENCE * (Date.now() - started));
  const observed = await runTests(open.detection, open.host, { coverage: true });
  const passing = new Set(plain.tests.flatMap(({ test, outcome }) => (outcome === 'passed' ? [test] : [])));
  if (passing.size === 0) throw new Error(`${pin.name}: no test passes: ${(plain.notes ?? []).join(' ')}`);
  const mutants = await orderMutants(open, observed, parser, seededRandom(seed));
  const faults: Fault[] = [];
  for (const mutant of mutants.slice(0, count * TRIES_PER_FAULT)) {
    if (faults.length === count) break;
    const reaching = reachingTests(observed, passing, mutant);
    const failing = await failsBy(open, mutant, reaching, wall_ms);
    if (failing?.length === passing.size) continue;
    onProgress(
      `${pin.name}: ${mutant.kind} at ${mutant.file}:${mutant.line}: ${failing === undefined ? 'no fault' : `${failing.length} tests fail`}`,
    );
    if (failing === undefined) continue;
    const id = `${pin.name}-${faults.length + 1}`;
    faults.push({ id, package: pin.name, language: pin.language, ...mutant, failing, tests: passing.size });
  }
  return faults;
}

type Mutant = Pick<Fault, 'kind' | 'file' | 'line' | 'lines' | 'original' | 'faulty'>;

/** Changes of statements that some passing test executed, in a drawn order: files by their covered statements, kinds by their weights. */
async function orderMutants(
  { host, entries }: OpenPackage,
  observed: TestRunReport,
  parser: Parser,
  random: () => number,
): Promise<Mutant[]> {
  const covered = coveredLines(observed);
  const keyed: { key: number; mutant: Mutant }[] = [];
  for (const { path, sha } of entries) {
    const lines = covered.get(path);
    const language = languageOf(path);
    if (lines === undefined || language === undefined) continue;
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await host.artifacts.get(sha));
    const injected = injectFaults({ path, text, language, group: path }, parser, random, PER_KIND);
    for (const fault of injected) {
      const mutant = locate(fault, text, parser, lines);
      // Weighted order without replacement: the k-th root of a uniform number, k the weight (Efraimidis and Spirakis 2006).
      if (mutant !== undefined)
        keyed.push({ key: random() ** (1 / ((KIND_WEIGHTS[fault.kind] ?? 1) * lines.size)), mutant });
    }
  }
  return keyed.sort((a, b) => b.key - a.key).map(({ mutant }) => mutant);
}

const PER_KIND = 4;

function locate(fault: Injected, original: string, parser: Parser, covered: ReadonlySet<number>): Mutant | undefined {
  const language = languageOf(fault.program);
  if (language === undefined) return undefined;
  const outline = parser.outline(fault.faulty, language);
  const index = statementAt(outline, fault.at);
  const statement = index === undefined ? undefined : outline.statements[index];
  if (statement === undefined || statement.kind !== 'statement') return undefined;
  const shift = fault.faulty.split('\n').length - original.split('\n').length;
  if (![statement.first, statement.first - shift].some((line) => covered.has(line))) return undefined;
  const { first, last } = statement;
  return { kind: fault.kind, file: fault.program, line: first, lines: [first, last], original, faulty: fault.faulty };
}

/** First lines of statements that tests which passed executed, by file; what only loading executed is left out. */
function coveredLines({ tests }: TestRunReport): Map<string, Set<number>> {
  const covered = new Map<string, Set<number>>();
  for (const { outcome, coverage } of tests) {
    if (outcome !== 'passed') continue;
    for (const { file, lines } of coverage ?? []) {
      const known = covered.get(file) ?? new Set<number>();
      covered.set(file, known);
      for (const line of parseLines(lines)) known.add(line);
    }
  }
  return covered;
}

/** Passing tests that executed the statement before it was changed: no other can fail by the change. */
function reachingTests(
  { tests }: TestRunReport,
  passing: ReadonlySet<string>,
  { file, lines, original, faulty }: Mutant,
): string[] {
  const shift = faulty.split('\n').length - original.split('\n').length;
  const own = new Set([lines[0], lines[0] - shift]);
  return tests
    .filter(({ test }) => passing.has(test))
    .filter(({ coverage = [] }) =>
      coverage.some((one) => one.file === file && parseLines(one.lines).some((line) => own.has(line))),
    )
    .map(({ test }) => test);
}

/** Those of the tests that the change makes fail; undefined: none, some hang, or the outcome wavers. */
async function failsBy(
  { detection, host }: OpenPackage,
  { file, faulty }: Mutant,
  tests: readonly string[],
  wall_ms: number,
): Promise<string[] | undefined> {
  if (tests.length === 0) return undefined;
  const tree = await editTree(host.tree, [{ path: file, bytes: new TextEncoder().encode(faulty) }], host.artifacts);
  const limited = { ...host, tree, policy: { ...host.policy, wall_ms } };
  const first = await runTests(detection, limited, { tests });
  const failing = first.tests.flatMap(({ test, outcome }) =>
    isFailure(outcome) && tests.includes(test) ? [test] : [],
  );
  if (failing.length === 0 || first.tests.some(({ outcome }) => UNCLEAR.has(outcome))) return undefined;
  const again = await runTests(detection, limited, { tests: failing, ordinal: 1 });
  const still = new Set(compareReports(again, again).failing);
  return failing.every((test) => still.has(test)) ? failing : undefined;
}

const UNCLEAR = new Set(['timeout', 'not_run']);

function isFailure(outcome: string): boolean {
  return outcome === 'failed' || outcome === 'error';
}
