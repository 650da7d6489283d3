// The three questions a model may be asked in a run, from what the stages know. Without a model nothing here is reached.
import {
  type EditChoice,
  type HypothesisSet,
  type IntentPackage,
  type LedgerEntry,
  type ModelCall,
  type ModelOutcome,
  type ProposedEdit,
  parseLines,
  parseLoc,
  sha256Hex,
  type TestFailure,
  type TestId,
} from '@h/contracts';
import {
  type AssembledIntent,
  assembleIntent,
  chooseFormat,
  type IntentParts,
  type Sourced,
} from '@h/edit-apply/intent';
import {
  type CallResult,
  type CandidatesInput,
  type InterpretedIntent,
  interpretIntent,
  limitCalls,
  proposeCandidates,
  proposeHypotheses,
} from '@h/llm-stub';
import { type FunctionSpan, languageOf, type Outline } from '@h/syntax';
import type { Diagnosis } from './diagnose-failure.ts';
import type { Session } from './open-session.ts';

/** One question, asked or not, and what became of it. */
export interface Question {
  readonly entry: 'hypotheses' | 'candidates' | 'intent';
  readonly status: CallResult['status'];
  /** Why there is no answer; absent where there is one. */
  readonly detail?: string;
  readonly outcome?: ModelOutcome;
}

interface AskOptions {
  readonly signal?: AbortSignal;
}

/** A question for candidates: what it was made of, for whoever has to trace it, and what came back. */
export interface AskedCandidates {
  readonly question: Question;
  readonly candidates: readonly ProposedEdit[];
  /** Absent where no statement could be asked about, as are the other two. */
  readonly intent?: IntentPackage;
  /** Where each field of the intent came from, and what a cap cut; never in the prompt. */
  readonly notes?: Omit<AssembledIntent, 'intent'>;
  readonly choice?: EditChoice;
}

/** Asks what to observe (seed 12 §4). */
export async function askForHypotheses(
  diagnosis: Pick<Diagnosis, 'baseline' | 'failing' | 'probePoints'>,
  model: ModelCall,
  { signal }: AskOptions = {},
): Promise<{ question: Question; hypotheses?: HypothesisSet }> {
  const test = diagnosis.failing[0] ?? '';
  const failure = failureOf(diagnosis, test);
  const input = {
    failure: {
      test,
      class: failure.class,
      message: failure.message,
      ...(failure.location === undefined ? {} : { location: failure.location }),
    },
    candidatePoints: diagnosis.probePoints.candidate_probe_points,
    existingTests: diagnosis.baseline.tests.map((one) => one.test),
  };
  const { call, hypotheses } = await proposeHypotheses(
    input,
    limitCalls(model, 1),
    signal === undefined ? {} : { signal },
  );
  signal?.throwIfAborted();
  return { question: questionOf('hypotheses', call), ...(hypotheses === undefined ? {} : { hypotheses }) };
}

/** Asks for candidates over the function of the highest-ranked statement (seed 09 §4). */
export async function askForCandidates(
  session: Session,
  diagnosis: Diagnosis,
  model: ModelCall,
  { requirement, multiEdit = false, signal }: AskOptions & { requirement?: string; multiEdit?: boolean } = {},
): Promise<AskedCandidates> {
  const parts = intentParts(session, diagnosis, requirement);
  if (parts === undefined) {
    const detail = 'no ranked statement stands in a file that can be read as text';
    return { question: { entry: 'candidates', status: 'not_fired', detail }, candidates: [] };
  }
  const { intent, ...notes } = assembleIntent(parts);
  const choice = chooseFormat({ span: intent.target.span });
  const input = candidateQuestion(intent, diagnosis.sources.get(intent.target.file) ?? '', { multiEdit });
  const { batch, call } = await proposeCandidates(input, limitCalls(model, 1), signal === undefined ? {} : { signal });
  signal?.throwIfAborted();
  return { question: questionOf('candidates', call), intent, notes, choice, candidates: batch.candidates };
}

/** Asks which of a patch's unexpected differences are meant (seed 19 §4); a patch without any asks nothing. */
export async function askForIntent(
  { ledger }: LedgerEntry,
  diagnosis: Diagnosis,
  model: ModelCall,
  { requirement, signal }: AskOptions & { readonly requirement?: string } = {},
): Promise<{ question: Question } & Pick<InterpretedIntent, 'annotations' | 'violation'>> {
  const entries = ledger.unexpected_differences.map(({ divergence_id, behavior, baseline, candidate, marker }) => ({
    divergence_id,
    behavior,
    pinned: baseline,
    candidate,
    marker,
  }));
  const input = {
    manifest: { entries, routed_to: 'review' as const },
    issueIntent: requirement ?? failureText(diagnosis),
    impactContext: ledger.obligations.map(({ impact_source }) => impact_source),
  };
  const { call, ...told } = await interpretIntent(input, limitCalls(model, 1), signal === undefined ? {} : { signal });
  signal?.throwIfAborted();
  return { question: questionOf('intent', call), ...told };
}

/** The first failing test and what it said, verbatim. */
function failureText(diagnosis: Diagnosis): string {
  const test = diagnosis.failing[0] ?? '';
  return `${test}: ${failureOf(diagnosis, test).message}`;
}

/** What the candidate entry asks over a target, given the text of its file: one block a candidate, or a list of them where that is allowed. */
export function candidateQuestion(
  intent: IntentPackage,
  text: string,
  { multiEdit = false }: { multiEdit?: boolean } = {},
): CandidatesInput {
  const { span } = intent.target;
  const { format } = chooseFormat({ span });
  const form = format === 'search_replace' && multiEdit ? 'multi_edit' : format;
  return { intent, form, before: sha256Hex(text), targetText: form === 'whole_file' ? text : linesOf(text, span) };
}

function questionOf(entry: Question['entry'], call: CallResult): Question {
  const detail =
    call.status === 'no_op'
      ? `${call.kind}: ${call.reason}`
      : call.status === 'not_fired'
        ? `missing: ${call.missing.join(', ')}`
        : undefined;
  const outcome = call.status === 'answered' || call.status === 'no_op' ? call.outcome : undefined;
  return {
    entry,
    status: call.status,
    ...(detail === undefined ? {} : { detail }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

/** design/seeds.md, spec 09: the ranked statement's function; the caller's text, else the failing test and its message verbatim. */
function intentParts(session: Session, diagnosis: Diagnosis, requirement: string | undefined): IntentParts | undefined {
  const { probePoints, sources, failing } = diagnosis;
  const top = probePoints.candidate_probe_points.find(({ location }) => sources.has(parseLoc(location).file));
  if (top === undefined) return undefined;
  const { file, line } = parseLoc(top.location);
  const outline = outlineOf(session, sources.get(file) ?? '', file);
  const around = outline === undefined ? undefined : enclosing(outline, line);
  const span: [number, number] = around === undefined ? [line, line] : [around.first, around.last];
  return {
    target: { value: { entity: around?.qualified_name ?? file, file, span }, from: `ranked statement ${top.location}` },
    requirement:
      requirement === undefined
        ? { value: failureText(diagnosis), from: `failing test ${failing[0]}` }
        : { value: requirement, from: 'the caller' },
    dependencies: signatures(session, sources.get(file) ?? '', file, span, outline),
    validation: [
      ...failing.map((value) => ({ value, from: 'failing test' })),
      ...passingThrough(diagnosis, file, span).map((value) => ({ value, from: 'passes, and ran the span' })),
    ],
  };
}

/** Tests that pass and ran a statement of the span, in the order of the run: what a change there has to keep. */
function passingThrough(
  { observed, excluded }: Pick<Diagnosis, 'observed' | 'excluded'>,
  file: string,
  [first, last]: readonly [number, number],
): TestId[] {
  const wavering = new Set(excluded.map(({ test }) => test));
  const ranSpan = ({ lines }: { lines: string }) => parseLines(lines).some((line) => line >= first && line <= last);
  return observed.tests
    .filter(({ test, outcome }) => outcome === 'passed' && !wavering.has(test))
    .filter(({ coverage = [] }) => coverage.some((one) => one.file === file && ranSpan(one)))
    .map(({ test }) => test);
}

/** Functions and classes of the same file that the span uses, in the order of their first use. */
function signatures(
  session: Session,
  text: string,
  file: string,
  [first, last]: readonly [number, number],
  outline: Outline | undefined,
): Sourced<{ name: string; signature: string }>[] {
  const language = languageOf(file);
  if (language === undefined || outline === undefined) return [];
  const used = session.parser.names(text, language).uses.filter(({ line }) => line >= first && line <= last);
  const names = [...new Set(used.map(({ name }) => name))];
  return names.flatMap((name) => {
    const found = outline.functions.find(
      (one) => one.qualified_name === name && (one.first < first || one.last > last),
    );
    const header = outline.statements.find(({ kind, start }) => kind === 'definition' && start === found?.start);
    return header === undefined
      ? []
      : [{ value: { name, signature: text.slice(header.start, header.end).trim() }, from: `${file}:${header.first}` }];
  });
}

function outlineOf(session: Session, text: string, file: string): Outline | undefined {
  const language = languageOf(file);
  return language === undefined ? undefined : session.parser.outline(text, language);
}

function enclosing({ functions }: Outline, line: number): FunctionSpan | undefined {
  return functions.findLast(
    ({ kind, first, last }) => kind !== 'class' && kind !== 'lambda' && first <= line && line <= last,
  );
}

function failureOf({ baseline }: Pick<Diagnosis, 'baseline'>, test: TestId): TestFailure {
  const found = baseline.tests.find((one) => one.test === test);
  return found?.failure ?? { class: found?.outcome ?? 'unknown', message: '', frames: [] };
}

function linesOf(text: string, [first, last]: readonly [number, number]): string {
  return (text.match(/[^\r\n]*(?:\r\n|\r|\n|$)/g) ?? []).slice(first - 1, last).join('');
}
