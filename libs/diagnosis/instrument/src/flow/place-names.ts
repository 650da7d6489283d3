// Which statement and which function each name of a file is mentioned in; `planProbes` and `analyzeFlow` rest on it.
import type { NameDefinition, NameTable, Outline, StatementSpan } from '@h/syntax';

/** A name at a place, and the variable it stands for. */
export interface Mention {
  readonly name: string;
  readonly start: number;
  /** Scope the variable lives in; -1: builtin, global of the host or unknown. */
  readonly home: number;
  /** Innermost function around the mention; -1: none. */
  readonly within: number;
  /** The statement that owns the place. */
  readonly statement: number;
}

export interface PlacedNames {
  /** Index of the innermost statement that owns an offset; -1 between statements. */
  ownerAt(offset: number): number;
  /** Index of the statement that starts at an offset. */
  statementFrom(offset: number): number | undefined;
  /** Index of the innermost function (no class) around a statement; -1 at module level. */
  functionOf(statement: number): number;
  functionOfScope(scope: number): number;
  /** Index of the innermost function (no class) whose text holds an offset; -1 for none. */
  functionAt(offset: number): number;
  /** The function around a function; -1 for none. */
  outerOf(functionIndex: number): number;
  /** Whether `inner` is `outer` or lies in it; everything lies in -1. */
  isWithin(inner: number, outer: number): boolean;
  /** Scope of a function's own names; -1 when it has none. */
  scopeOf(functionIndex: number): number;
  readonly definitions: readonly (Mention & Pick<NameDefinition, 'kind'>)[];
  readonly uses: readonly Mention[];
  /** Whether the variable holds data: not only functions, classes, imports or types are bound to it. */
  isData(home: number, name: string): boolean;
  /** Names of the scope are seen in an expression or a class body alone. */
  isHidden(home: number): boolean;
  /** The name belongs to a comprehension, or to a function inside the statement: it is not seen from outside. */
  isInternal(mention: Mention): boolean;
  /** Parameters in source order. */
  parameters(functionIndex: number): string[];
}

const DATA = new Set<NameDefinition['kind']>(['variable', 'parameter', 'exception', 'assignment']);

export function variableKey(home: number, name: string): string {
  return `${home}:${name}`;
}

export function placeNames(outline: Outline, names: NameTable): PlacedNames {
  const { statements, functions } = outline;
  const statementParents = enclosing(statements);
  const functionParents = enclosing(functions);
  const scopes = scopesOfFunctions(outline, names);
  const functionsOfScopes = functionsByScope(names, scopes);
  const statementFunctions = statements.map((statement) => skipClasses(outline, holderOf(outline, statement)));
  const outerFunctions = functions.map(({ parent }) => skipClasses(outline, parent ?? -1));
  const kinds = kindsOf(names);
  const parameters = parametersByScope(names);
  const starts = new Map(statements.map(({ start }, index) => [start, index]));
  const ownerAt = (offset: number) => innermostAt(statements, statementParents, offset);
  const functionAt = (offset: number) => skipClasses(outline, innermostAt(functions, functionParents, offset));
  const functionOf = (statement: number) => statementFunctions[statement] ?? -1;
  const functionOfScope = (scope: number) => functionsOfScopes[scope] ?? -1;
  const outerOf = (index: number) => outerFunctions[index] ?? -1;
  const isWithin = (inner: number, outer: number) => {
    for (let current = inner; current >= 0; current = outerOf(current)) if (current === outer) return true;
    return outer < 0;
  };
  const isHidden = (home: number) => {
    const kind = names.scopes[home]?.kind;
    return kind === 'comprehension' || kind === 'class';
  };
  const mention = ({ name, start, scope }: { name: string; start: number; scope: number }, home: number): Mention => ({
    name,
    start,
    home,
    within: functionOfScope(scope),
    statement: ownerAt(start),
  });
  return {
    ownerAt,
    statementFrom: (offset) => starts.get(offset),
    functionOf,
    functionOfScope,
    functionAt,
    outerOf,
    isWithin,
    scopeOf: (index) => scopes.get(index) ?? -1,
    definitions: names.definitions
      .filter(({ kind, type_only }) => !type_only && kind !== 'annotation' && kind !== 'type')
      .map((place) => {
        const isOwnName = place.kind === 'function' || place.kind === 'class';
        const within = isOwnName ? functionOfScope(place.scope) : functionAt(place.start);
        return { ...mention(place, place.scope), within, kind: place.kind };
      }),
    uses: names.uses
      .filter(({ type_only }) => !type_only)
      .map((place) => mention(place, names.definitions[place.definition ?? -1]?.scope ?? -1)),
    isData: (home, name) => kinds.get(variableKey(home, name))?.some((kind) => DATA.has(kind)) ?? false,
    isHidden,
    isInternal: ({ home, statement }) => {
      if (home < 0 || isHidden(home)) return home >= 0;
      const holder = functionOfScope(home);
      return holder >= 0 && holder !== functionOf(statement) && isWithin(holder, functionOf(statement));
    },
    parameters: (index) => parameters.get(scopes.get(index) ?? -1) ?? [],
  };
}

/** Index of the innermost span around each; -1 for none. Spans come in source order, an enclosing one first. */
function enclosing(spans: readonly { start: number; end: number }[]): number[] {
  const stack: number[] = [];
  return spans.map(({ start }, index) => {
    while (stack.length > 0 && (spans[stack.at(-1) as number]?.end ?? 0) <= start) stack.pop();
    const parent = stack.at(-1) ?? -1;
    stack.push(index);
    return parent;
  });
}

function innermostAt(
  spans: readonly { start: number; end: number }[],
  parents: readonly number[],
  offset: number,
): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  let found = low - 1;
  while (found >= 0 && offset >= (spans[found]?.end ?? 0)) found = parents[found] ?? -1;
  return found;
}

function functionsByScope({ scopes }: NameTable, byFunction: ReadonlyMap<number, number>): number[] {
  const own = new Map([...byFunction].map(([index, scope]) => [scope, index]));
  const found: number[] = [];
  for (const [scope, { parent }] of scopes.entries())
    found.push(own.get(scope) ?? (parent === undefined ? -1 : (found[parent] ?? -1)));
  return found;
}

function parametersByScope({ definitions }: NameTable): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { kind, scope, name } of definitions) {
    if (kind !== 'parameter') continue;
    const known = found.get(scope);
    if (known) known.push(name);
    else found.set(scope, [name]);
  }
  return found;
}

/** The function of a statement; an arrow's expression belongs to the arrow. */
function holderOf({ functions }: Outline, { node, start, end, function: around = -1 }: StatementSpan): number {
  if (node !== 'arrow_function') return around;
  return functions.findLastIndex((each) => each.end === end && each.start <= start);
}

function skipClasses({ functions }: Outline, index: number): number {
  let current = index;
  while (functions[current]?.kind === 'class') current = functions[current]?.parent ?? -1;
  return current;
}

/** Both lists have what encloses before what is enclosed, so that of functions that end together the outermost is met first. */
function scopesOfFunctions({ functions }: Outline, { scopes }: NameTable): Map<number, number> {
  const byEnd = new Map<number, number[]>();
  for (const [index, { end, kind }] of functions.entries()) {
    if (kind === 'class') continue;
    byEnd.set(end, [...(byEnd.get(end) ?? []), index]);
  }
  const found = new Map<number, number>();
  for (const [scope, { kind, start, end }] of scopes.entries()) {
    if (kind !== 'function' && kind !== 'lambda') continue;
    const waiting = byEnd.get(end) ?? [];
    const at = waiting.findIndex((index) => (functions[index]?.start ?? 0) <= start);
    const index = waiting[at];
    if (index === undefined) continue;
    waiting.splice(at, 1);
    found.set(index, scope);
  }
  return found;
}

function kindsOf({ definitions }: NameTable): Map<string, NameDefinition['kind'][]> {
  const kinds = new Map<string, NameDefinition['kind'][]>();
  for (const { scope, name, kind } of definitions) {
    const key = variableKey(scope, name);
    const known = kinds.get(key);
    if (known) known.push(kind);
    else kinds.set(key, [kind]);
  }
  return kinds;
}
