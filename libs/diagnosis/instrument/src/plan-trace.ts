import {
  type Loc,
  type ProbePlan,
  parseLines,
  parseLoc,
  type RepoPath,
  type TestId,
  type TestResult,
  type TracePlan,
} from '@h/contracts';
import type { FunctionSpan, Outline } from '@h/syntax';
import { type PlacedNames, placeNames } from './flow/place-names.ts';
import type { ProgramShape } from './plan-probes.ts';

/** Bytes of the event stream where the caller sets no bound: 64 MiB. */
export const TRACE_BYTES = 67_108_864;

export interface TraceInput extends ProgramShape {
  /** Places whose functions are traced too, such as the frames of a failure; those without an outline are left out. */
  readonly frames?: readonly Loc[];
  /** Coverage of the failing test: every function it executed is traced too, since the fault may lie in one that no point stands in. */
  readonly executed?: TestResult['coverage'];
  /** Tests whose functions are traced too, where the id names one (pytest, unittest) and the file has an outline. */
  readonly tests?: readonly TestId[];
  /** Default 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * The dense stream for slicing: every function that holds a probe point or that the failing test executed, those of the same qualified name in the file, the functions
 * inside them (they share their variables), and the data these name. A point outside every function is observed, but its module is not traced.
 */
export function planTrace(plan: ProbePlan, input: TraceInput): TracePlan {
  const wanted = new Map<RepoPath, Set<number>>();
  const want = (file: RepoPath, functionIndex: number) => {
    if (functionIndex >= 0) wanted.set(file, (wanted.get(file) ?? new Set()).add(functionIndex));
  };
  const placed = new Map<RepoPath, PlacedNames>();
  const namesOf = (file: RepoPath): PlacedNames | undefined => {
    const [known, outline, names] = [placed.get(file), input.outlines.get(file), input.names.get(file)];
    if (known !== undefined || outline === undefined || names === undefined) return known;
    const read = placeNames(outline, names);
    placed.set(file, read);
    return read;
  };
  for (const place of [...plan.probe_points.map(({ location }) => location), ...(input.frames ?? [])]) {
    const { file, line } = parseLoc(place);
    want(file, functionAtLine(input.outlines.get(file), namesOf(file), line));
  }
  for (const { file, lines } of input.executed ?? [])
    for (const line of parseLines(lines)) want(file, functionAtLine(input.outlines.get(file), namesOf(file), line));
  for (const test of input.tests ?? []) {
    const { file, name } = splitTest(test);
    const functions = input.outlines.get(file)?.functions ?? [];
    want(
      file,
      functions.findIndex(({ qualified_name, kind }) => kind !== 'class' && qualified_name === name),
    );
  }
  const functions = new Set<string>();
  const variables = new Set<string>();
  for (const [file, roots] of wanted) {
    const [outline, names] = [input.outlines.get(file), namesOf(file)];
    if (outline === undefined || names === undefined) continue;
    const isPython = outline.language === 'python';
    const named = new Set([...roots].map((root) => outline.functions[root]?.qualified_name));
    const isTraced = (index: number): boolean =>
      index >= 0 && (named.has(outline.functions[index]?.qualified_name) || isTraced(names.outerOf(index)));
    const traced = outline.functions.flatMap(({ kind }, index) =>
      kind !== 'class' && !(isPython && kind === 'lambda') && isTraced(index) ? [index] : [],
    );
    for (const index of traced) functions.add(`${file}::${(outline.functions[index] as FunctionSpan).qualified_name}`);
    for (const name of dataOf(names, new Set(traced))) variables.add(name);
    if (!isPython) variables.add('this');
  }
  return {
    functions: [...functions].sort(),
    variables: [...variables].sort(),
    max_bytes: input.maxBytes ?? TRACE_BYTES,
  };
}

/** `tests/test_a.py::Case::test_b[1-2]` names `Case.test_b`; other forms name no function. */
function splitTest(test: TestId): { file: RepoPath; name: string } {
  const [file = '', ...parts] = test.split('::');
  return { file, name: parts.join('.').replace(/\[.*$/s, '') };
}

function functionAtLine(outline: Outline | undefined, placed: PlacedNames | undefined, line: number): number {
  if (outline === undefined || placed === undefined) return -1;
  const starts = outline.statements.findIndex(({ first }) => first === line);
  const statement =
    starts >= 0 ? starts : outline.statements.findLastIndex(({ first, last }) => first <= line && line <= last);
  return statement < 0 ? -1 : placed.functionOf(statement);
}

function dataOf(names: PlacedNames, traced: ReadonlySet<number>): string[] {
  return [...names.definitions, ...names.uses]
    .filter(({ within, home, name }) => traced.has(within) && !names.isHidden(home) && names.isData(home, name))
    .map(({ name }) => name);
}
