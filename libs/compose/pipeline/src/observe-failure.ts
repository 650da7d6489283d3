// Ranked statements → probes → a failing and a passing run, each observed twice → first divergence → slice → gated pack.
import {
  type DivergenceRecord,
  type DynamicSlice,
  type EvidencePack,
  type HypothesisSet,
  type HypothesisVerdict,
  type ModelCall,
  type ObservedRun,
  type ProbePlan,
  type ProgressEvent,
  parseLoc,
  type RefinedRanking,
  type TestId,
  type TestResult,
  type TracePlan,
} from '@h/contracts';
import { assemblePack, judgeHypotheses, selectSlice } from '@h/evidence';
import { narrowPlans, observeTest, type Plans, planProbes, planTrace, TRACE_BYTES } from '@h/instrument';
import { refineRanking } from '@h/sbfl';
import { chooseFailing, chooseSibling, compareRuns, dynamicSlice, type PlannedPlace } from '@h/slice';
import { languageOf, type NameTable, type Outline } from '@h/syntax';
import { planTest } from '@h/test-runners';
import { askForHypotheses, type Question } from './ask-model.ts';
import { decodeSource } from './decode-source.ts';
import type { Diagnosis } from './diagnose-failure.ts';
import type { Session } from './open-session.ts';

export interface ObserveOptions {
  /** Asked once what to observe. */
  readonly model?: ModelCall;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ProgressEvent) => void;
}

export interface Observation {
  readonly test: TestId;
  readonly plan: ProbePlan;
  readonly trace: TracePlan;
  /** The failing run, and the passing one where there is a sibling; internal, never shown to a model. */
  readonly runs: readonly ObservedRun[];
  readonly divergence: DivergenceRecord;
  readonly slice: DynamicSlice;
  /** The ranked statements in the order that the slice gives them. */
  readonly ranking: RefinedRanking;
  /** Absent: the gate rejected it, see `violations`. */
  readonly pack?: EvidencePack;
  readonly violations: readonly string[];
  readonly question?: Question;
  readonly hypotheses?: HypothesisSet;
  readonly verdicts: readonly HypothesisVerdict[];
}

/**
 * Observes the first failing test that ends by itself, beside the passing test nearest to it. Nothing to observe: every failing test
 * hangs, or none executed a statement that a probe could stand at.
 */
export async function observeFailure(
  session: Session,
  diagnosis: Diagnosis,
  options: ObserveOptions = {},
): Promise<Observation | undefined> {
  const { signal, onEvent } = options;
  const failing = chooseFailing(diagnosis.observed, diagnosis.failing, diagnosis.report);
  if (failing === undefined) return undefined;
  onEvent?.({ kind: 'stage', message: 'planning what to observe' });
  const shape = await readShape(session, [...diagnosis.sources.keys(), failing.file]);
  const known = {
    ...shape,
    candidates: diagnosis.probePoints,
    ...(failing.failure === undefined ? {} : { failure: failing.failure }),
  };
  if (planProbes(known).probe_points.length === 0) return undefined;
  const asked = options.model === undefined ? undefined : await askForHypotheses(diagnosis, options.model, options);
  const hypotheses = asked?.hypotheses;
  const wanted = planProbes({ ...known, ...(hypotheses === undefined ? {} : { hypotheses }) });
  const sibling = chooseSibling(
    failing,
    diagnosis.observed,
    wanted.probe_points.map(({ location }) => placeOf(shape.outlines, location)),
  );
  const tests = [failing.test, ...('test' in sibling ? [sibling.test] : [])];
  onEvent?.({
    kind: 'stage',
    message: `observing ${tests.length === 1 ? 'the failing test' : 'the failing and a passing test'}, each twice`,
  });
  const { plan, trace, run } = await observeFirst(session, { plan: wanted, shape, tests, failing }, signal);
  const others = tests.flatMap((test) => [0, 1].map((ordinal) => ({ test, ordinal }))).slice(1);
  const [again, passing, passingAgain] = await Promise.all(
    others.map((other) => observeTestOf(session, { plan, trace, ...other }, signal)),
  );
  signal?.throwIfAborted();
  const divergence = compareRuns({
    failing: run,
    failingAgain: again,
    passing,
    passingAgain,
    plain: failing,
    ...('test' in sibling ? { sibling } : {}),
  });
  const slice = dynamicSlice(divergence, run);
  const runs = [run, ...(passing === undefined ? [] : [passing])];
  const ranking = refineRanking(diagnosis.report, { ...diagnosis, slice });
  const shown = selectSlice(
    { slice, divergence, runs },
    {
      order: ranking.statements.map(({ location }) => location),
      points: pointsInQuestion(wanted, hypotheses),
    },
  );
  const assembled = assemblePack({ slice: shown, divergence, runs });
  const pack = assembled.status === 'gated' ? assembled.pack : undefined;
  return {
    test: failing.test,
    plan,
    trace,
    runs,
    divergence,
    slice,
    ranking,
    violations: assembled.status === 'gated' ? [] : assembled.violations.map((one) => JSON.stringify(one)),
    ...(pack === undefined ? {} : { pack }),
    ...(asked === undefined ? {} : { question: asked.question }),
    ...(hypotheses === undefined ? {} : { hypotheses }),
    verdicts:
      pack === undefined || hypotheses === undefined
        ? []
        : judgeHypotheses(pack, hypotheses, { execution_id: run.execution_id, runs }),
  };
}

/** Where the hypotheses look: as the plan resolved their points ("file::function" to a statement), and as they name them, where the plan had no room. */
export function pointsInQuestion({ probe_points }: ProbePlan, set?: HypothesisSet): string[] {
  const resolved = probe_points.filter(({ source }) => source === 'hypothesis').map(({ location }) => location);
  return [...new Set([...resolved, ...(set?.hypotheses ?? []).map(({ observe }) => observe.location)])];
}

interface FirstRun {
  readonly plan: ProbePlan;
  readonly shape: Shape;
  readonly tests: readonly TestId[];
  readonly failing: TestResult;
}

/** Bound of the first try: what does not fit is traced again without the functions that filled it. */
const FIRST_BYTES = 33_554_432;

/** The first run of the failing test, with everything traced that it executed; where that is too much, without the functions that fill the stream. */
async function observeFirst(
  session: Session,
  { plan, shape, tests, failing }: FirstRun,
  signal?: AbortSignal,
): Promise<Plans & { readonly run: ObservedRun }> {
  const { failure, coverage, test } = failing;
  const frames = failure?.frames ?? [];
  const executed = coverage === undefined ? {} : { executed: coverage };
  const trace = planTrace(plan, { ...shape, tests, frames, ...executed, maxBytes: FIRST_BYTES });
  const run = await observeTestOf(session, { plan, trace, test, ordinal: 0 }, signal);
  if (!run.truncated) return { plan, trace, run };
  const { left_out, ...narrow } = narrowPlans({ plan, trace: { ...trace, max_bytes: TRACE_BYTES } }, run, frames);
  const again = await observeTestOf(session, { ...narrow, test, ordinal: 0 }, signal);
  const note = `Not traced, since they filled the stream: ${left_out.join(', ')}.`;
  return { ...narrow, run: left_out.length === 0 ? again : { ...again, notes: [...again.notes, note] } };
}

interface Shape {
  readonly outlines: ReadonlyMap<string, Outline>;
  readonly names: ReadonlyMap<string, NameTable>;
}

/** Outlines and names of files; those that cannot be read as text of a known language are left out. */
export async function readShape({ repository, parser }: Session, files: readonly string[]): Promise<Shape> {
  const outlines = new Map<string, Outline>();
  const names = new Map<string, NameTable>();
  for (const file of new Set(files)) {
    const language = languageOf(file);
    const text = await repository.reader.read(file).then(decodeSource, () => undefined);
    if (language === undefined || text === undefined) continue;
    outlines.set(file, parser.outline(text, language));
    names.set(file, parser.names(text, language));
  }
  return { outlines, names };
}

/** A place with the lines of the function around it. */
export function placeOf(outlines: Shape['outlines'], location: string): PlannedPlace {
  const { file, line } = parseLoc(location);
  const around = outlines
    .get(file)
    ?.functions.findLast(({ kind, first, last }) => kind !== 'class' && first <= line && line <= last);
  return { file, line, ...(around === undefined ? {} : { first: around.first, last: around.last }) };
}

interface Wanted {
  readonly plan: ProbePlan;
  readonly trace: TracePlan;
  readonly test: TestId;
  readonly ordinal: number;
}

/** Observes one test of the repository once. */
export function observeTestOf(
  session: Session,
  { plan, trace, test, ordinal }: Wanted,
  signal?: AbortSignal,
): Promise<ObservedRun> {
  const { host, parser } = session;
  const planned = planTest(session.suite, test, host);
  return observeTest(
    {
      executor: host.executor,
      artifacts: host.artifacts,
      policy: host.policy,
      command: planned.command,
      agentFiles: planned.agent_files,
      tree: host.tree,
      test,
      ordinal,
      plan,
      trace,
      parser,
    },
    signal === undefined ? {} : { signal },
  );
}
