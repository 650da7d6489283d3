import type { CandidateProbePoints, HypothesisSet, ProbePlan, RepoPath, TestFailure } from '@h/contracts';
import { type NameTable, type Outline, visibleNames } from '@h/syntax';
import { type BasicBlock, basicBlocks } from './basic-blocks.ts';
import { type PlacedNames, placeNames } from './flow/place-names.ts';

/** Seed 12 §3.2: at most this many points in one plan. */
export const PROBE_CAP = 16;

/** What is known of the files that may be observed. */
export interface ProgramShape {
  readonly outlines: ReadonlyMap<RepoPath, Outline>;
  readonly names: ReadonlyMap<RepoPath, NameTable>;
}

export interface PlanInput extends ProgramShape {
  /** The ranked list; absent: none. */
  readonly candidates?: CandidateProbePoints;
  /** Of the failing test; without a hypothesis its statement is always observed. */
  readonly failure?: TestFailure;
  /** The answer to the one question; absent or empty: the deterministic default. */
  readonly hypotheses?: HypothesisSet;
}

type Point = ProbePlan['probe_points'][number];

/**
 * Which statements and variables to observe (seed 12 §3.2): the hypotheses' points first, in order; where none of them can be
 * planned, the failing statement and the decision over its block; then the ranked list, one point per basic block, until there
 * are 16. A point observes the data that its statement defines or uses and that flows into it within its block.
 *
 * A hypothesis whose point does not resolve is in `unresolved`, never replaced. Candidates of files without an outline, and
 * imports and definitions, are left out. The failing statement is the innermost frame that lies in an outline.
 */
export function planProbes(input: PlanInput): ProbePlan {
  const program = readProgram(input);
  const draft = createDraft(program);
  const unresolved: { hypothesis_id: string; why: string }[] = [];
  for (const hypothesis of input.hypotheses?.hypotheses ?? []) {
    const point = resolvePoint(program, hypothesis.observe, hypothesis.expectation);
    if ('why' in point) unresolved.push({ hypothesis_id: hypothesis.hypothesis_id, why: point.why });
    else draft.add(point, 'hypothesis', point.variable);
  }
  if (draft.isEmpty())
    for (const point of neighborhood(program, input.failure)) draft.add(point, 'failure_neighborhood');
  for (const { location } of input.candidates?.candidate_probe_points ?? []) {
    const point = statementAtLine(program, location);
    if (point !== undefined && !draft.holdsBlock(point)) draft.add(point, 'sbfl');
  }
  return { probe_points: draft.points(), ...(unresolved.length === 0 ? {} : { unresolved }) };
}

interface FileShape {
  readonly outline: Outline;
  readonly names: NameTable;
  readonly placed: PlacedNames;
  readonly blocks: readonly BasicBlock[];
}

/** Files are read when they are first asked for. */
interface Program {
  readonly files: readonly RepoPath[];
  shape(file: RepoPath): FileShape | undefined;
}

interface PlacedPoint {
  readonly file: RepoPath;
  readonly statement: number;
}

function readProgram({ outlines, names }: ProgramShape): Program {
  const read = new Map<RepoPath, FileShape>();
  return {
    files: [...outlines.keys()].sort(),
    shape(file) {
      const [outline, table] = [outlines.get(file), names.get(file)];
      if (outline === undefined || table === undefined) return undefined;
      const known = read.get(file);
      if (known) return known;
      const shape = { outline, names: table, placed: placeNames(outline, table), blocks: basicBlocks(outline) };
      read.set(file, shape);
      return shape;
    },
  };
}

/** The plan as it grows: one point per location, 16 at most. */
interface Draft {
  isEmpty(): boolean;
  holdsBlock(point: PlacedPoint): boolean;
  add(point: PlacedPoint, source: Point['source'], variable?: string): void;
  points(): Point[];
}

function createDraft(program: Program): Draft {
  const points = new Map<string, Pick<Point, 'block' | 'source'> & { variables: Set<string> }>();
  const blocks = new Set<BasicBlock>();
  const blockOf = ({ file, statement }: PlacedPoint) => program.shape(file)?.blocks[statement];
  return {
    isEmpty: () => points.size === 0,
    holdsBlock: (point) => blocks.has(blockOf(point) as BasicBlock),
    add(point, source, variable) {
      const shape = program.shape(point.file);
      const block = blockOf(point);
      if (shape === undefined || block === undefined) return;
      const location = `${point.file}:${shape.outline.statements[point.statement]?.first}`;
      const known = points.get(location);
      if (known === undefined && points.size >= PROBE_CAP) return;
      const variables = known?.variables ?? variablesAt(shape, point.statement, block);
      if (variable !== undefined) variables.add(variable);
      if (known === undefined) points.set(location, { block: block.text, source, variables });
      blocks.add(block);
    },
    points: () =>
      [...points].map(([location, { source, block, variables }], index) => ({
        id: `PP${index + 1}`,
        location,
        block,
        variables: [...variables].sort(),
        source,
      })),
  };
}

/** The names a statement defines or uses, and those that flow into these within its block: a backward closure over the block. */
function variablesAt({ placed, names }: FileShape, statement: number, block: BasicBlock): Set<string> {
  const isOfClass = ({ home }: { home: number }) => names.scopes[home]?.kind === 'class';
  const mentions = (index: number, of: 'definitions' | 'uses') =>
    placed[of]
      .filter((mention) => mention.statement === index && (!placed.isInternal(mention) || isOfClass(mention)))
      .filter(({ home, name }) => placed.isData(home, name))
      .map(({ name }) => name);
  const wanted = new Set([...mentions(statement, 'definitions'), ...mentions(statement, 'uses')]);
  for (const earlier of block.statements.slice(0, block.statements.indexOf(statement)).reverse()) {
    if (mentions(earlier, 'definitions').some((name) => wanted.has(name)))
      for (const name of mentions(earlier, 'uses')) wanted.add(name);
  }
  return wanted;
}

/** The failing statement, then the header that decides over its block. */
function neighborhood(program: Program, failure: TestFailure | undefined): PlacedPoint[] {
  if (failure === undefined) return [];
  const places = failure.location === undefined ? failure.frames : [failure.location, ...failure.frames];
  for (const place of places) {
    const failing = statementAtLine(program, place);
    if (failing === undefined) continue;
    const header = headerOver(program, failing);
    return header === undefined ? [failing] : [failing, header];
  }
  return [];
}

function headerOver(program: Program, { file, statement }: PlacedPoint): PlacedPoint | undefined {
  const { statements = [], blocks = [] } = program.shape(file)?.outline ?? {};
  const ownerOf = (inner: number) => blocks[statements[inner]?.block ?? -1]?.owner;
  for (let owner = ownerOf(statement); owner !== undefined; owner = ownerOf(owner)) {
    const { kind, node = '' } = statements[owner] ?? {};
    if (kind !== 'statement') return undefined;
    if (DECIDES.has(node)) return { file, statement: owner };
  }
  return undefined;
}

const DECIDES = new Set([
  'if_statement',
  'elif_clause',
  'for_statement',
  'for_in_statement',
  'while_statement',
  'do_statement',
  'match_statement',
  'switch_statement',
]);
/** Nothing happens at them that could be observed: their body's first statement stands for them. */
const EMPTY_HEADERS = new Set(['try_statement', 'except_clause', 'except_group_clause', 'case_clause', 'switch_case']);

/**
 * The statement of a line: the first that starts there, else the innermost that spans it. None: imports, definitions, class bodies;
 * these only where a question names one, in Python.
 */
function statementAtLine(program: Program, location: string, inClasses = false): PlacedPoint | undefined {
  const at = /^(.+):([1-9]\d*)$/.exec(location);
  const file = at?.[1] ?? '';
  const line = Number(at?.[2]);
  const { statements = [], functions = [], language } = program.shape(file)?.outline ?? {};
  const starts = statements.findIndex((statement) => statement.first === line);
  let statement = starts >= 0 ? starts : statements.findLastIndex(({ first, last }) => first <= line && line <= last);
  while (EMPTY_HEADERS.has(statements[statement]?.node ?? '')) statement += 1;
  const { kind, function: holder = -1 } = statements[statement] ?? {};
  const isInClass = functions[holder]?.kind === 'class';
  const mayBe = !isInClass || (inClasses && language === 'python');
  return kind === 'statement' && mayBe ? { file, statement } : undefined;
}

interface ResolvedPoint extends PlacedPoint {
  readonly variable?: string;
}

/** `file:line`, `file::qualified_name` or a qualified name that only one function has; a path may lack its leading folders. */
function resolvePoint(
  program: Program,
  { location, variable }: { location: string; variable: string },
  expectation: string,
): ResolvedPoint | { why: string } {
  const point = placeOf(program, location.trim());
  if ('why' in point) return point;
  const shape = program.shape(point.file) as FileShape;
  const root = /^[\p{ID_Start}_$][\p{ID_Continue}$]*/u.exec(variable.trim())?.[0] ?? '';
  const { start = 0, end = 0 } = shape.outline.statements[point.statement] ?? {};
  const seen = [start, end].flatMap((offset) => visibleNames(shape.names, offset));
  if (seen.some(({ name, kind, type_only }) => name === root && !type_only && isValueKind(kind)))
    return { ...point, variable: root };
  if (root === 'this' || /^(?:branch|raises)\b/.test(expectation.trim())) return point;
  return { why: `no variable ${JSON.stringify(variable)} is visible at ${location}` };
}

function isValueKind(kind: string): boolean {
  return kind === 'variable' || kind === 'parameter' || kind === 'exception' || kind === 'assignment';
}

function placeOf(program: Program, location: string): PlacedPoint | { why: string } {
  const [, path = '', line] = /^(.+?)(?::([1-9]\d*))?$/.exec(location) ?? [];
  const [named = '', symbol] = line === undefined ? splitSymbol(location) : [path];
  const files = named === '' ? program.files : filesNamed(program, named);
  if (files.length === 0) return { why: `there is no file ${JSON.stringify(named)} among those that can be observed` };
  if (line !== undefined && files.length > 1) return { why: `${JSON.stringify(named)} names ${files.length} files` };
  if (line !== undefined) return atLine(program, files[0] ?? '', Number(line));
  return inFunction(program, files, symbol ?? '');
}

function splitSymbol(location: string): [string, string] {
  const at = location.lastIndexOf('::');
  return at < 0 ? ['', location] : [location.slice(0, at), location.slice(at + 2)];
}

function filesNamed({ files }: Program, named: string): RepoPath[] {
  const exact = files.filter((file) => file === named);
  return exact.length > 0 ? exact : files.filter((file) => file.endsWith(`/${named}`));
}

function atLine(program: Program, file: RepoPath, line: number): PlacedPoint | { why: string } {
  const point = statementAtLine(program, `${file}:${line}`, true);
  if (point !== undefined) return point;
  const functions = program.shape(file)?.outline.functions ?? [];
  const statements = program.shape(file)?.outline.statements ?? [];
  const header = statements.findLast(({ kind, first, last }) => kind === 'definition' && first <= line && line <= last);
  const defined = functions.findIndex(
    ({ start, kind }) => header !== undefined && header.start <= start && start < header.end && kind !== 'class',
  );
  return firstIn(program, file, defined) ?? { why: `no statement stands at ${file}:${line}` };
}

function inFunction(program: Program, files: readonly RepoPath[], symbol: string): PlacedPoint | { why: string } {
  const found = files.flatMap((file) => {
    const functions = program.shape(file)?.outline.functions ?? [];
    return functions.flatMap(({ qualified_name, kind }, index) =>
      kind !== 'class' && qualified_name === symbol ? (firstIn(program, file, index) ?? []) : [],
    );
  });
  if (found.length > 1) return { why: `${JSON.stringify(symbol)} names ${found.length} functions` };
  return found[0] ?? { why: `there is no function ${JSON.stringify(symbol)} with a statement` };
}

/** The first statement of a function's body: its parameters are bound there. */
function firstIn(program: Program, file: RepoPath, functionIndex: number): PlacedPoint | undefined {
  if (functionIndex < 0) return undefined;
  const statements = program.shape(file)?.outline.statements ?? [];
  const statement = statements.findIndex((each) => each.function === functionIndex && each.kind === 'statement');
  return statement < 0 ? undefined : { file, statement };
}
