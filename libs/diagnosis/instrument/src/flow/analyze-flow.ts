import { indexLines, type Language, type LineIndex, type Outline, type Parser, statementAt } from '@h/syntax';
import { type Control, findControllers } from './find-controllers.ts';
import { type Mention, type PlacedNames, placeNames } from './place-names.ts';
import { childIn, eachNode, type PlainNode, readPlainTree } from './plain-tree.ts';
import { type Mutations, readMutations, type Variable } from './read-mutations.ts';

/** What one statement, or the entry of one function, writes and reads itself. Lists are sorted. */
export interface Flow {
  /** Names and access paths surely written. */
  readonly defs: readonly string[];
  /** Names and access paths whose object may be changed: used in a call, iterated, an item of it written. */
  readonly touches: readonly string[];
  /** Names and access paths read. */
  readonly uses: readonly string[];
  /** Names of data that the function mentions: values of these can be recorded. */
  readonly readable: readonly string[];
}

/** A variable that functions other than the statement's own read or change while the statement runs, or later. */
export interface SharedVariable {
  readonly name: string;
  /** Indexes of those functions. */
  readonly by: readonly number[];
}

export interface StatementFlow extends Flow, Control {
  /** Index in the outline's statements. */
  readonly statement: number;
  /** Index in the outline's functions of the innermost function (no class) around it; -1 at module level. */
  readonly function: number;
  /** What functions that it makes, or that it may call, read of the variables around them. */
  readonly lends: readonly SharedVariable[];
  /** What functions that it may call change of the variables around them. */
  readonly exposes: readonly SharedVariable[];
  /** It gives a value out of a generator. */
  readonly yields: boolean;
}

export interface FileFlow {
  readonly outline: Outline;
  /** By statement; `undefined` for those in a class body. */
  readonly statements: readonly (StatementFlow | undefined)[];
  /** By function; `undefined` for classes. */
  readonly entries: readonly (Flow | undefined)[];
}

/** Node of the statement that an arrow function's expression is, whatever line it stands on. */
export const ARROW_BODY = 'arrow_body';

/**
 * Definitions and uses of every statement of a text, and the branches that decide whether it runs. Errs towards more: a call may
 * change its receiver, its arguments and every variable that another function changes.
 * What attributes, items and operators run (properties, `__add__`, Proxy traps) is not seen. Throws `parse_stopped` of `@h/syntax`.
 */
export function analyzeFlow(text: string, language: Language, parser: Parser): FileFlow {
  const tree = readPlainTree(parser, text, language);
  const outline = withArrowBodies(parser.outline(text, language), tree, indexLines(text, language));
  const placed = placeNames(outline, parser.names(text, language));
  const file: File = { outline, placed, mutations: readMutations(tree, text, outline, placed), mentioned: new Map() };
  const controls = findControllers(tree, outline, placed);
  const draft = draftFlows(file, tree);
  const isInClass = (holder: number | undefined) => holder !== undefined && outline.functions[holder]?.kind === 'class';
  return {
    outline,
    statements: outline.statements.map(({ function: holder }, statement) =>
      isInClass(holder)
        ? undefined
        : finishStatement(file, statement, draft.statements[statement] ?? emptyDraft(), controls[statement] as Control),
    ),
    entries: outline.functions.map(({ kind }, index) =>
      kind === 'class' ? undefined : finish(file, draft.entries[index] ?? emptyDraft(), index),
    ),
  };
}

/** The outline with each arrow function's expression as a statement of that function; where it was one before, at its line. */
function withArrowBodies(outline: Outline, tree: PlainNode, lines: LineIndex): Outline {
  const kept = outline.statements.filter(({ node }) => node !== 'arrow_function');
  const arrows = outline.statements.filter(({ node }) => node === 'arrow_function');
  const entities = new Map(arrows.map((each) => [`${each.start}-${each.end}`, each]));
  const added = [...eachNode(tree)].flatMap((arrow) => {
    const body = arrow.kind === 'arrow_function' ? childIn(arrow, 'body') : undefined;
    if (body === undefined || body.kind === 'statement_block') return [];
    const { start, end } = body;
    const entity = entities.get(`${arrow.start}-${end}`) ?? entities.get(`${start}-${end}`);
    const first = entity?.first ?? lines.lineAt(start);
    const last = lines.lineAt(Math.max(start, end - 1));
    const block = outline.statements[statementAt(outline, start) ?? -1]?.block ?? 0;
    const holder = outline.functions.findLastIndex((each) => each.start <= arrow.start && each.end === arrow.end);
    return [{ kind: 'statement' as const, node: ARROW_BODY, first, last, start, end, block, function: holder }];
  });
  if (added.length === 0) return outline;
  const statements = [...kept, ...added].sort((a, b) => a.start - b.start || b.end - a.end);
  return { ...outline, statements };
}

interface File {
  readonly outline: Outline;
  readonly placed: PlacedNames;
  readonly mutations: Mutations;
  /** By function: names of data it mentions. */
  readonly mentioned: Map<number, Set<string>>;
}

interface Draft {
  readonly defs: Set<string>;
  readonly touches: Set<string>;
  readonly uses: Set<string>;
  readonly lends: Shares;
  readonly exposes: Shares;
}

/** Functions by the name of the variable they share. */
type Shares = Map<string, Set<number>>;

interface Drafts {
  readonly statements: Draft[];
  readonly entries: Draft[];
}

function emptyDraft(): Draft {
  return { defs: new Set(), touches: new Set(), uses: new Set(), lends: new Map(), exposes: new Map() };
}

function draftFlows(file: File, tree: PlainNode): Drafts {
  const { outline, placed, mutations } = file;
  const drafts: Drafts = { statements: outline.statements.map(emptyDraft), entries: outline.functions.map(emptyDraft) };
  const at = (statement: number) => drafts.statements[statement] ?? emptyDraft();
  const unknown = new Set(mutations.stores.filter(({ key }) => isUnknown(key)).map(({ name }) => name));
  for (const mention of [...placed.definitions, ...placed.uses]) remember(file, mention);
  for (const mention of placed.definitions)
    if (!placed.isInternal(mention)) at(mention.statement).defs.add(mention.name);
  for (const mention of placed.uses)
    if (!placed.isInternal(mention) && (mention.home >= 0 || unknown.has(mention.name)))
      at(mention.statement).uses.add(mention.name);
  for (const read of mutations.reads)
    if (isSeen(file, read) && (!isUnknown(read.key) || unknown.has(read.name))) at(read.statement).uses.add(read.path);
  for (const { statement, name } of mutations.deletes) at(statement).defs.add(name);
  for (const stored of mutations.stores) if (isSeen(file, stored)) at(stored.statement).defs.add(stored.path);
  for (const touched of mutations.touches) if (isSeen(file, touched)) at(touched.statement).touches.add(touched.path);
  for (const [index, entry] of drafts.entries.entries())
    for (const name of placed.parameters(index)) entry.defs.add(name);
  addThis(file, tree, drafts);
  addLent(file, drafts);
  addExposed(file, drafts);
  return drafts;
}

/** Nothing in the file binds it: a builtin, or a global of the host. */
function isUnknown(key: string): boolean {
  return key.startsWith('-1:');
}

function remember({ placed, mentioned }: File, { name, home, within }: Mention): void {
  if (home < 0 || placed.isHidden(home) || !placed.isData(home, name)) return;
  mentioned.set(within, (mentioned.get(within) ?? new Set()).add(name));
}

/** A variable that lives inside the statement, as a comprehension's does, is not seen by others. */
function isSeen({ placed }: File, { statement, holder, isHidden }: Variable): boolean {
  const around = placed.functionOf(statement);
  return !isHidden && !(holder >= 0 && holder !== around && placed.isWithin(holder, around));
}

/** `this` is no name of the name table; a method binds it as it starts. */
function addThis({ mutations, placed, mentioned }: File, tree: PlainNode, drafts: Drafts): void {
  for (const { kind, start } of eachNode(tree)) {
    if (kind !== 'this' && kind !== 'super') continue;
    const holder = mutations.thisHolder(start);
    const statement = placed.ownerAt(start);
    if (placed.isWithin(placed.functionOf(statement), holder)) drafts.statements[statement]?.uses.add('this');
    drafts.entries[holder]?.defs.add('this');
    for (let current = placed.functionAt(start); current >= 0; current = placed.outerOf(current)) {
      mentioned.set(current, (mentioned.get(current) ?? new Set()).add('this'));
      if (current === holder) break;
    }
  }
}

/** A statement that makes a function lends it what it reads of the variables around; so does each later call. */
function addLent({ outline, placed, mutations }: File, drafts: Drafts): void {
  const lent = new Map<number, Shares>();
  for (const { name, home, within } of [...placed.definitions, ...placed.uses]) {
    const holder = home < 0 ? within : placed.functionOfScope(home);
    for (let inner = within; inner >= 0 && inner !== holder; inner = placed.outerOf(inner)) {
      const maker = placed.ownerAt(outline.functions[inner]?.start ?? -1);
      const draft = drafts.statements[maker];
      if (draft !== undefined && placed.functionOf(maker) !== inner) share(draft.lends, name, inner);
      if (holder < 0) continue;
      const shares = lent.get(holder) ?? new Map();
      lent.set(holder, shares);
      share(shares, name, inner);
    }
  }
  for (const statement of mutations.callers)
    for (const [name, by] of lent.get(placed.functionOf(statement)) ?? [])
      for (const inner of by) share(drafts.statements[statement]?.lends ?? new Map(), name, inner);
}

/** Code that is called may change what functions other than its own change. */
function addExposed({ placed, mutations }: File, drafts: Drafts): void {
  for (const statement of mutations.callers)
    for (const { name, holder, within } of mutations.remote)
      if (placed.isWithin(placed.functionOf(statement), holder))
        share(drafts.statements[statement]?.exposes ?? new Map(), name, within);
}

/** `self` of `self.total`. */
export function firstName(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

function share(shares: Shares, name: string, by: number): void {
  const known = shares.get(name);
  if (known) known.add(by);
  else shares.set(name, new Set([by]));
}

function finishStatement(file: File, statement: number, draft: Draft, control: Control): StatementFlow {
  const holder = file.placed.functionOf(statement);
  return {
    statement,
    function: holder,
    ...finish(file, draft, holder),
    lends: listShares(draft.lends),
    exposes: listShares(draft.exposes),
    yields: file.mutations.yields.has(statement),
    ...control,
  };
}

function listShares(shares: Shares): SharedVariable[] {
  const names = [...shares.keys()].sort();
  return names.map((name) => ({ name, by: [...(shares.get(name) ?? [])].sort((a, b) => a - b) }));
}

function finish({ placed, mentioned }: File, { defs, touches, uses, exposes }: Draft, holder: number): Flow {
  const known = new Set([...(mentioned.get(holder) ?? []), ...(holder < 0 ? [] : placed.parameters(holder))]);
  const names = new Set([...defs, ...touches, ...uses, ...exposes.keys()].map(firstName));
  return {
    defs: [...defs].sort(),
    touches: [...touches].sort(),
    uses: [...uses].sort(),
    readable: [...names].filter((name) => known.has(name)).sort(),
  };
}
