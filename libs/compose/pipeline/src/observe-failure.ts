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
  type TestId,
  type TracePlan,
} from '@h/contracts';
import { assemblePack, judgeHypotheses } from '@h/evidence';
import { observeTest, planProbes, planTrace } from '@h/instrument';
import { chooseSibling, compareRuns, dynamicSlice, type PlannedPlace } from '@h/slice';
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
  const failing = diagnosis.observed.tests.find(
    ({ test, outcome }) => diagnosis.failing.includes(test) && outcome !== 'timeout',
  );
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
  const plan = planProbes({ ...known, ...(hypotheses === undefined ? {} : { hypotheses }) });
  const sibling = chooseSibling(
    failing,
    diagnosis.observed,
    plan.probe_points.map(({ location }) => placeOf(shape.outlines, location)),
  );
  const tests = [failing.test, ...('test' in sibling ? [sibling.test] : [])];
  const trace = planTrace(plan, { ...shape, tests, frames: failing.failure?.frames ?? [] });
  onEvent?.({
    kind: 'stage',
    message: `observing ${tests.length === 1 ? 'the failing test' : 'the failing and a passing test'}, each twice`,
  });
  const observed = await Promise.all(
    tests.flatMap((test) => [0, 1].map((ordinal) => observeTestOf(session, { plan, trace, test, ordinal }, signal))),
  );
  signal?.throwIfAborted();
  const [run, again, passing, passingAgain] = observed;
  if (run === undefined) throw new RangeError('no run was observed');
  const divergence = compareRuns({
    failing: run,
    failingAgain: again,
    passing,
    passingAgain,
    ...('test' in sibling ? { sibling } : {}),
  });
  const slice = dynamicSlice(divergence, run);
  const runs = [run, ...(passing === undefined ? [] : [passing])];
  const assembled = assemblePack({ slice, divergence, runs });
  const pack = assembled.status === 'gated' ? assembled.pack : undefined;
  return {
    test: failing.test,
    plan,
    trace,
    runs,
    divergence,
    slice,
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
