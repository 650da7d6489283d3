import { PROBE_PROTOCOL, type ProbeSpec, type ProbeTable } from '@h/agents';
import type { ProbePlan, RepoPath, TracePlan } from '@h/contracts';
import { type Language, languageOf, type Parser, type StatementSpan } from '@h/syntax';
import { duplicatePoint, languageUnknown, tooManyPoints, unknownFile, unknownStatement } from './errors.ts';
import {
  ARROW_BODY,
  analyzeFlow,
  type FileFlow,
  type Flow,
  type SharedVariable,
  type StatementFlow,
} from './flow/analyze-flow.ts';
import { PROBE_CAP } from './plan-probes.ts';
import { splitLocation } from './plan-trace.ts';

/** Executed statements recorded where the caller sets no bound. */
export const TRACE_EVENTS = 200_000;

export interface SourceText {
  readonly file: RepoPath;
  readonly text: string;
}

/** What the host knows of a probe and the target need not: how to read its events. */
export interface ProbeSite {
  readonly n: number;
  readonly file: RepoPath;
  readonly line: number;
  /** Qualified name; "" at module level. */
  readonly function: string;
  readonly role: ProbeSpec['role'];
  /** Id of the probe point; absent: the dense stream alone. */
  readonly point?: string;
  readonly defs: readonly string[];
  readonly touches: readonly string[];
  /** Variables that functions which are not observed may change while the statement runs. */
  readonly exposed: readonly string[];
  readonly uses: readonly string[];
  /** Numbers of the branches of which the one that ran last decided. */
  readonly controllers: readonly number[];
  /** In an exception handler: numbers of the statements that may have raised, and the names it binds. */
  readonly guarded: readonly number[];
  readonly caught: readonly string[];
}

export interface ProbeTableBuild {
  readonly table: ProbeTable;
  /** By number. */
  readonly sites: readonly ProbeSite[];
}

export interface TableOptions {
  readonly parser: Parser;
  /** Default 200,000. */
  readonly maxEvents?: number;
}

const BRANCHES = new Set([
  'if_statement',
  'elif_clause',
  'while_statement',
  'for_statement',
  'for_in_statement',
  'do_statement',
  'match_statement',
  'switch_statement',
]);
/** Clauses that run as part of the statement around them. */
const CASES = new Set(['case_clause', 'switch_case']);
/** Nothing of them runs, or nothing that a probe could stand at. */
const SILENT = new Set([
  ...CASES,
  'try_statement',
  'except_clause',
  'except_group_clause',
  'global_statement',
  'nonlocal_statement',
]);
const PYTHON_DEFINITIONS = new Set(['function_definition', 'class_definition', 'decorated_definition']);

/**
 * The table that tells the target what to record: an entry for each traced function, a probe for each of its statements, and
 * the probe points outside of them. Numbers follow file and place, so that the same plan and text give the same bytes.
 *
 * Throws `too_many_points`, `duplicate_point`, `unknown_file`, `unknown_statement`, `language_unknown`.
 */
export function buildProbeTable(
  plan: ProbePlan,
  trace: TracePlan,
  sources: readonly SourceText[],
  { parser, maxEvents = TRACE_EVENTS }: TableOptions,
): ProbeTableBuild {
  requirePlan(plan);
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  const files: ProbeTable['files'][number][] = [];
  const sites: ProbeSite[] = [];
  for (const file of plannedFiles(plan, trace)) {
    const text = texts.get(file);
    if (text === undefined) throw unknownFile(file);
    const language = languageOf(file);
    if (language === undefined) throw languageUnknown(file);
    const flow = analyzeFlow(text, language, parser);
    const draft = draftFile({ file, language, plan, trace, flow, observed: observedFunctions(file, trace, flow) });
    const placed = number(draft, sites.length);
    if (placed.probes.length > 0) files.push({ file, probes: placed.probes });
    sites.push(...placed.sites);
  }
  return { table: { protocol: PROBE_PROTOCOL, max_bytes: trace.max_bytes, max_events: maxEvents, files }, sites };
}

/** The files that a plan and its trace name, in code-unit order. */
export function plannedFiles(plan: ProbePlan, trace: TracePlan): RepoPath[] {
  const named = [
    ...plan.probe_points.map(({ location }) => splitLocation(location).file),
    ...trace.functions.map((name) => name.slice(0, name.lastIndexOf('::'))),
  ];
  return [...new Set(named)].sort();
}

function requirePlan({ probe_points }: ProbePlan): void {
  if (probe_points.length > PROBE_CAP) throw tooManyPoints(probe_points.length, PROBE_CAP);
  const names = probe_points.flatMap(({ id, location }) => [id, location]);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw duplicatePoint(twice);
}

interface PlannedFile {
  readonly file: RepoPath;
  readonly language: Language;
  readonly plan: ProbePlan;
  readonly trace: TracePlan;
  readonly flow: FileFlow;
  /** Indexes of the functions whose statements are observed. */
  readonly observed: ReadonlySet<number>;
}

/** A probe before it has its number. */
interface Draft {
  readonly start: number;
  readonly spec: Omit<ProbeSpec, 'n'>;
  readonly site: Omit<ProbeSite, 'n' | 'controllers' | 'guarded'>;
  /** Statements; absent: an entry. */
  readonly flow?: StatementFlow;
}

/** A Python lambda holds no statement that could be observed. */
function observedFunctions(file: RepoPath, { functions }: TracePlan, { outline }: FileFlow): Set<number> {
  const isOne = (kind: string) => kind !== 'class' && !(kind === 'lambda' && outline.language === 'python');
  return new Set(
    outline.functions.flatMap(({ kind, qualified_name }, index) =>
      isOne(kind) && functions.includes(`${file}::${qualified_name}`) ? [index] : [],
    ),
  );
}

function draftFile(planned: PlannedFile): Draft[] {
  const { file, plan, flow, observed } = planned;
  const { statements } = flow.outline;
  const points = new Map<number, ProbePlan['probe_points'][number]>();
  for (const point of plan.probe_points) {
    const place = splitLocation(point.location);
    if (place.file !== file) continue;
    const statement = statements.findIndex(({ first, kind }) => first === place.line && kind === 'statement');
    if (statement < 0 || flow.statements[statement] === undefined) throw unknownStatement(point.location);
    points.set(statement, point);
  }
  const entries = [...observed].flatMap((index) => draftEntry(planned, index));
  const drafts = flow.statements.flatMap((each, index) => {
    if (each === undefined || (!points.has(index) && !(observed.has(each.function) && isObserved(planned, index))))
      return [];
    return [draftStatement(planned, withCases(planned, each), points.get(index))];
  });
  return [...entries, ...drafts].sort((a, b) => a.start - b.start || (a.flow ? 1 : 0) - (b.flow ? 1 : 0));
}

function isObserved({ language, flow }: PlannedFile, index: number): boolean {
  const { kind, node } = flow.outline.statements[index] as StatementSpan;
  if (SILENT.has(node)) return false;
  if (kind === 'statement') return true;
  return language === 'python' && (kind === 'import' || PYTHON_DEFINITIONS.has(node));
}

/** The cases of a `match` or `switch` are tried by it: what they read it reads, what they bind it may bind. */
function withCases({ flow }: PlannedFile, header: StatementFlow): StatementFlow {
  const node = flow.outline.statements[header.statement]?.node;
  if (node !== 'match_statement' && node !== 'switch_statement') return header;
  const cases = flow.statements.filter(
    (each) =>
      each?.controllers.includes(header.statement) && CASES.has(flow.outline.statements[each.statement]?.node ?? ''),
  );
  const all = <T>(of: (each: StatementFlow) => readonly T[]) =>
    [header, ...cases].flatMap((each) => (each ? of(each) : []));
  return {
    ...header,
    touches: unite(
      all(({ touches }) => touches),
      cases.flatMap((each) => each?.defs ?? []),
    ),
    uses: unite(all(({ uses }) => uses)),
    lends: all(({ lends }) => lends),
    exposes: all(({ exposes }) => exposes),
    readable: unite(all(({ readable }) => readable)),
  };
}

function draftEntry({ file, trace, flow }: PlannedFile, index: number): Draft[] {
  const span = flow.outline.functions[index];
  const entry = flow.entries[index];
  if (span === undefined || entry === undefined) return [];
  const { first: line, start, qualified_name } = span;
  const { defs } = entry;
  const after = recordable(entry, trace, [], defs);
  return [
    {
      start,
      spec: { line, role: 'entry', before: [], after, start },
      site: {
        file,
        line,
        function: qualified_name,
        role: 'entry',
        defs,
        touches: [],
        exposed: [],
        uses: [],
        caught: [],
      },
    },
  ];
}

function draftStatement(
  { file, trace, flow, observed }: PlannedFile,
  each: StatementFlow,
  point: ProbePlan['probe_points'][number] | undefined,
): Draft {
  const { first: line, start, node } = flow.outline.statements[each.statement] as StatementSpan;
  const role = roleOf(node);
  const { defs, touches, caught } = each;
  const unseen = (shared: readonly SharedVariable[]) =>
    shared.filter(({ by }) => by.some((index) => !observed.has(index))).map(({ name }) => name);
  const exposed = unite(unseen(each.exposes)).filter((name) => !defs.includes(name));
  const uses = unite(each.uses, unseen(each.lends), exposed);
  const named = point?.variables ?? [];
  const before = unite(recordable(each, trace, named, [...uses, ...touches]), named);
  const after = recordable(each, trace, named, [...defs, ...touches, ...exposed]);
  return {
    start,
    spec: { line, role, before, after, start },
    site: {
      file,
      line,
      function: flow.outline.functions[each.function]?.qualified_name ?? '',
      role,
      ...(point === undefined ? {} : { point: point.id }),
      defs,
      touches,
      exposed,
      uses,
      caught,
    },
    flow: each,
  };
}

function roleOf(node: string): ProbeSpec['role'] {
  if (BRANCHES.has(node)) return 'branch';
  return node === 'return_statement' || node === ARROW_BODY ? 'return' : 'statement';
}

/** Of the names, those that a plan names and that can be read there. */
function recordable(
  { readable }: Flow,
  trace: TracePlan,
  named: readonly string[],
  names: readonly string[],
): string[] {
  const asked = new Set([...trace.variables, ...named]);
  return unite(names.filter((name) => readable.includes(name) && asked.has(name)));
}

function unite(...lists: (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort();
}

function number(drafts: readonly Draft[], first: number): { probes: ProbeSpec[]; sites: ProbeSite[] } {
  const numbers = new Map(drafts.map(({ flow }, index) => [flow?.statement ?? -1, first + index]));
  numbers.delete(-1);
  const numbersOf = (statements: readonly number[] = []) => statements.flatMap((each) => numbers.get(each) ?? []);
  return {
    probes: drafts.map(({ spec }, index) => ({ n: first + index, ...spec })),
    sites: drafts.map(({ site, flow }, index) => ({
      n: first + index,
      ...site,
      controllers: numbersOf(flow?.controllers),
      guarded: numbersOf(flow?.guarded),
    })),
  };
}
