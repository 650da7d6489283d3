// The primitives of seed 12 §3.8 that run a program: each makes its own small plan.
import {
  type CancelOptions,
  getTree,
  type HypothesisSet,
  type Loc,
  type ObservedRun,
  type ObserveOptions,
  type ProbePlan,
  type RawEvent,
  type RepoPath,
  type TracePlan,
} from '@h/contracts';
import { createParser, languageOf, type NameTable, type Outline, type Parser } from '@h/syntax';
import { languageUnknown, noStatement, notText, unknownFile } from './errors.ts';
import { observeTest, type TestSetting } from './observe-test.ts';
import { type ProgramShape, planProbes } from './plan-probes.ts';
import { planTrace, TRACE_BYTES } from './plan-trace.ts';

/** What was seen at the points of a plan, beside the run it comes from. */
export interface Observation {
  readonly plan: ProbePlan;
  readonly run: ObservedRun;
  /** Events of the plan's points alone, by sequence. */
  readonly seen: readonly RawEvent[];
}

/** Captures the data of a statement, or of a function's first one, each time a test executes it. Throws `no_statement`. */
export async function observe(
  point: { readonly location: Loc | string },
  setting: TestSetting,
  options: ObserveOptions = {},
): Promise<Observation> {
  return observePoint({ location: point.location, variable: 'this' }, setting, options);
}

/** Observes one variable at one place: the demand-driven question. Throws `no_statement`. */
export async function probe(
  question: { readonly location: Loc | string; readonly variable: string },
  setting: TestSetting,
  options: ObserveOptions = {},
): Promise<Observation> {
  const { plan, run, seen } = await observePoint(question, setting, options);
  const wanted = plan.probe_points[0]?.variables ?? [];
  return { plan, run, seen: seen.filter(({ payload }) => wanted.some((name) => name in (payload.variables ?? {}))) };
}

/** Records the path a test takes through functions (`file::qualified_name`), without values. Throws `no_statement`. */
export async function tracePath(
  functions: readonly string[],
  setting: TestSetting,
  options: ObserveOptions = {},
): Promise<ObservedRun> {
  const files = functions.map((name) => name.slice(0, name.lastIndexOf('::')));
  return withShape(files, setting, options, (shape, parser) => {
    for (const name of functions) requireFunction(shape, name);
    const trace: TracePlan = { functions: [...new Set(functions)].sort(), variables: [], max_bytes: TRACE_BYTES };
    return observeTest({ ...setting, parser, plan: { probe_points: [] }, trace }, options);
  });
}

async function observePoint(
  question: { location: string; variable: string },
  setting: TestSetting,
  options: ObserveOptions,
): Promise<Observation> {
  const [, file = question.location] = /^(.+?)(?:::.*|:\d+)$/s.exec(question.location) ?? [];
  return withShape([file], setting, options, async (shape, parser) => {
    const plan = planProbes({ ...shape, hypotheses: ask(question) });
    const [unresolved] = plan.unresolved ?? [];
    if (unresolved !== undefined) throw noStatement(question.location, unresolved.why);
    const trace = planTrace({ probe_points: [] }, shape);
    const run = await observeTest({ ...setting, parser, plan, trace }, options);
    return { plan, run, seen: run.events.filter(({ probe_id }) => probe_id !== 'trace') };
  });
}

function ask({ location, variable }: { location: string; variable: string }): HypothesisSet {
  const hypothesis = { hypothesis_id: 'question', claim: '', observe: { variable, location }, expectation: '' };
  return { debugging_question: '', hypotheses: [hypothesis] };
}

function requireFunction({ outlines }: ProgramShape, name: string): void {
  const at = name.lastIndexOf('::');
  const functions = outlines.get(name.slice(0, at))?.functions ?? [];
  if (!functions.some(({ qualified_name, kind }) => kind !== 'class' && qualified_name === name.slice(at + 2)))
    throw noStatement(name, 'there is no such function');
}

async function withShape<T>(
  files: readonly RepoPath[],
  { tree, artifacts, parser: given }: TestSetting,
  options: CancelOptions,
  use: (shape: ProgramShape, parser: Parser) => Promise<T>,
): Promise<T> {
  const entries = new Map((await getTree(tree, artifacts, options)).map(({ path, sha }) => [path, sha]));
  const parser = given ?? (await createParser(options));
  try {
    const [outlines, names] = [new Map<RepoPath, Outline>(), new Map<RepoPath, NameTable>()];
    for (const file of new Set(files)) {
      const [sha, language] = [entries.get(file), languageOf(file)];
      if (sha === undefined) throw unknownFile(file);
      if (language === undefined) throw languageUnknown(file);
      const text = decode(file, await artifacts.get(sha, options));
      outlines.set(file, parser.outline(text, language));
      names.set(file, parser.names(text, language));
    }
    return await use({ outlines, names }, parser);
  } finally {
    if (given === undefined) parser.dispose();
  }
}

function decode(file: RepoPath, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText(file);
  }
}
