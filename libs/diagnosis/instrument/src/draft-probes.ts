// The probes of one file: which statements and entries of it are observed, and which names there.
import type { ProbeSpec } from '@h/agents';
import { type ProbePlan, parseLoc, type RepoPath } from '@h/contracts';
import type { Language, StatementSpan } from '@h/syntax';
import { unknownStatement } from './errors.ts';
import {
  ARROW_BODY,
  type FileFlow,
  type Flow,
  firstName,
  type SharedVariable,
  type StatementFlow,
} from './flow/analyze-flow.ts';

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
  /** A handler of the function catches what the statement raises. */
  readonly isGuarded?: true;
  /** Whether the statement gives a value out of a generator; absent: an entry. */
  readonly yields?: boolean;
  /** A loop over items: it binds only where it took one. */
  readonly isPerItem?: true;
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

export interface PlannedFile {
  readonly file: RepoPath;
  readonly language: Language;
  readonly plan: ProbePlan;
  /** Variables of the trace. */
  readonly asked: ReadonlySet<string>;
  readonly flow: FileFlow;
  /** Indexes of the functions whose statements are observed. */
  readonly observed: ReadonlySet<number>;
  /** Its source is not rewritten. */
  readonly isHooked?: boolean;
}

/** A probe before it has its number. */
export interface ProbeDraft {
  readonly start: number;
  readonly spec: Omit<ProbeSpec, 'n'>;
  readonly site: Omit<ProbeSite, 'n' | 'controllers' | 'guarded' | 'isGuarded'>;
  /** Statements; absent: an entry. */
  readonly flow?: StatementFlow;
}

/** In source order, an entry before what stands at the same place. Throws `unknown_statement`. */
export function draftProbes(planned: PlannedFile): ProbeDraft[] {
  const { file, plan, flow, observed } = planned;
  const { statements } = flow.outline;
  const points = new Map<number, ProbePlan['probe_points'][number]>();
  const inClasses: ProbeDraft[] = [];
  for (const point of plan.probe_points) {
    const place = parseLoc(point.location);
    if (place.file !== file) continue;
    const statement = statements.findIndex(({ first, kind }) => first === place.line && kind === 'statement');
    const isInClass = statement >= 0 && flow.statements[statement] === undefined;
    if (statement < 0 || (isInClass && planned.language !== 'python')) throw unknownStatement(point.location);
    if (isInClass) inClasses.push(draftInClass(planned, statements[statement] as StatementSpan, point));
    else points.set(statement, point);
  }
  const entries = [...observed].flatMap((index) => draftEntry(planned, index));
  const drafts = flow.statements.flatMap((each, index) => {
    if (each === undefined || (!points.has(index) && !(observed.has(each.function) && isObserved(planned, index))))
      return [];
    return [draftStatement(planned, withCases(planned, each), points.get(index))];
  });
  const all = [...entries, ...drafts].map((draft) => (planned.isHooked ? hooked(draft, statements) : draft));
  return [...all, ...inClasses].sort((a, b) => a.start - b.start || (a.flow ? 1 : 0) - (b.flow ? 1 : 0));
}

/** Without a probe in the source. */
function hooked(draft: ProbeDraft, statements: readonly StatementSpan[]): ProbeDraft {
  const last = draft.flow === undefined ? undefined : statements[draft.flow.statement]?.last;
  const more = last === undefined || last === draft.spec.line ? {} : { last };
  return { ...draft, spec: { ...draft.spec, method: 'hook', ...more } };
}

/** A statement of a class body: no probe may stand there, since a metaclass may have made any namespace. */
function draftInClass(
  { file, flow }: PlannedFile,
  { first: line, last, start, function: holder = -1 }: StatementSpan,
  { id: point, variables }: ProbePlan['probe_points'][number],
): ProbeDraft {
  const names = [...variables].sort();
  return {
    start,
    spec: {
      ...{ line, role: 'statement', before: names, after: names, start, method: 'hook' },
      ...(last === line ? {} : { last }),
    },
    site: {
      ...{ file, line, function: flow.outline.functions[holder]?.qualified_name ?? '', role: 'statement', point },
      ...{ defs: names, touches: [], exposed: [], uses: names, caught: [] },
    },
  };
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

function draftEntry({ file, asked, flow }: PlannedFile, index: number): ProbeDraft[] {
  const span = flow.outline.functions[index];
  const entry = flow.entries[index];
  if (span === undefined || entry === undefined) return [];
  const { first: line, start, qualified_name } = span;
  const { defs } = entry;
  const after = recordable(entry, asked, [], defs);
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
  { file, language, asked, flow, observed }: PlannedFile,
  each: StatementFlow,
  point: ProbePlan['probe_points'][number] | undefined,
): ProbeDraft {
  const { first: line, start, node } = flow.outline.statements[each.statement] as StatementSpan;
  const role = roleOf(node);
  const { defs, touches, caught } = each;
  const unseen = (shared: readonly SharedVariable[]) =>
    shared.filter(({ by }) => by.some((index) => !observed.has(index))).map(({ name }) => name);
  const exposed = unite(unseen(each.exposes)).filter((name) => !defs.includes(name));
  const uses = unite(each.uses, unseen(each.lends), exposed);
  const named = point?.variables ?? [];
  const before = unite(recordable(each, asked, named, [...uses, ...touches]), named);
  const after = recordable(each, asked, named, [...defs, ...touches, ...exposed]);
  return {
    start,
    spec: { line, role, before, after, start, ...nameOf(role, flow.outline.functions[each.function]) },
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
      yields: each.yields,
      ...(node === 'for_in_statement' || (node === 'for_statement' && language === 'python')
        ? { isPerItem: true }
        : {}),
    },
    flow: each,
  };
}

/** What a function returns may be a secret by its name. */
function nameOf(role: ProbeSpec['role'], owner: { readonly name: string } | undefined): { function?: string } {
  return role === 'return' && owner !== undefined && /^[\p{L}_$#]/u.test(owner.name) ? { function: owner.name } : {};
}

function roleOf(node: string): ProbeSpec['role'] {
  if (BRANCHES.has(node)) return 'branch';
  return node === 'return_statement' || node === ARROW_BODY ? 'return' : 'statement';
}

/** Of the names, those that a plan names and that can be read there. */
function recordable(
  { readable }: Flow,
  asked: ReadonlySet<string>,
  named: readonly string[],
  names: readonly string[],
): string[] {
  const isAsked = (name: string) => asked.has(name) || named.includes(name);
  return unite(names.map(firstName).filter((name) => readable.includes(name) && isAsked(name)));
}

function unite(...lists: (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].sort();
}

/** A Python lambda holds no statement that could be observed. */
export function observedFunctions(file: RepoPath, traced: ReadonlySet<string>, { outline }: FileFlow): Set<number> {
  const isOne = (kind: string) => kind !== 'class' && !(kind === 'lambda' && outline.language === 'python');
  return new Set(
    outline.functions.flatMap(({ kind, qualified_name }, index) =>
      isOne(kind) && traced.has(`${file}::${qualified_name}`) ? [index] : [],
    ),
  );
}
