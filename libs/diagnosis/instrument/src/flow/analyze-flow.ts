import { indexLines, type Language, type LineIndex, type Outline, type Parser, statementAt } from '@h/syntax';
import { type Control, findControllers } from './find-controllers.ts';
import { type Mention, type PlacedNames, placeNames } from './place-names.ts';
import { childIn, eachNode, type PlainNode, readPlainTree } from './plain-tree.ts';
import { type Mutations, readMutations, type Variable } from './read-mutations.ts';

/** What one statement, or the entry of one function, writes and reads. Lists are sorted. */
export interface Flow {
  /** Names and access paths surely written. */
  readonly defs: readonly string[];
  /** Names and access paths whose object may be changed: used in a call, iterated, an attribute or item of it written. */
  readonly touches: readonly string[];
  /** Other names under which such an object may be known, and variables (touched or not) that code called from here may change. */
  readonly indirect: readonly string[];
  /** Names and access paths read. */
  readonly uses: readonly string[];
  /** Names of data, safe to read anywhere in the function: of the lists above, those whose values can be recorded. */
  readonly readable: readonly string[];
}

export interface StatementFlow extends Flow, Control {
  /** Index in the outline's statements. */
  readonly statement: number;
  /** Index in the outline's functions of the innermost function (no class) around it; -1 at module level. */
  readonly function: number;
}

export interface FileFlow {
  readonly outline: Outline;
  /** By statement; `undefined` for those in a class body. */
  readonly statements: readonly (StatementFlow | undefined)[];
  /** By function; `undefined` for classes. */
  readonly entries: readonly (Flow | undefined)[];
}

/**
 * Definitions and uses of every statement of a text, and the branches that decide whether it runs. Errs towards more: a call may
 * change its receiver and its arguments, whatever may be the same object, and every variable that another function changes.
 * What attributes, items and operators run (properties, `__add__`, Proxy traps) is not seen. Throws `parse_stopped` of `@h/syntax`.
 */
export function analyzeFlow(text: string, language: Language, parser: Parser): FileFlow {
  const tree = readPlainTree(parser, text, language);
  const outline = withArrowBodies(parser.outline(text, language), tree, indexLines(text, language));
  const placed = placeNames(outline, parser.names(text, language));
  const file: File = { outline, placed, mutations: readMutations(tree, text, outline, placed), shared: new Map() };
  const controls = findControllers(tree, outline, placed);
  const draft = draftFlows(file, tree);
  return {
    outline,
    statements: outline.statements.map(({ function: holder }, statement) =>
      holder !== undefined && outline.functions[holder]?.kind === 'class'
        ? undefined
        : {
            statement,
            function: placed.functionOf(statement),
            ...finish(file, draft.statements[statement], placed.functionOf(statement)),
            ...(controls[statement] as Control),
          },
    ),
    entries: outline.functions.map(({ kind }, index) =>
      kind === 'class' ? undefined : finish(file, draft.entries[index], index),
    ),
  };
}

/** Node of the statement that an arrow function's expression is, whatever line it stands on. */
export const ARROW_BODY = 'arrow_body';

/** The outline with each arrow function's expression as a statement of that function. */
function withArrowBodies(outline: Outline, tree: PlainNode, lines: LineIndex): Outline {
  const kept = outline.statements.filter(({ node }) => node !== 'arrow_function');
  const added = [...eachNode(tree)].flatMap((arrow) => {
    const body = arrow.kind === 'arrow_function' ? childIn(arrow, 'body') : undefined;
    if (body === undefined || body.kind === 'statement_block') return [];
    const { start, end } = body;
    const [first, last] = [lines.lineAt(start), lines.lineAt(Math.max(start, end - 1))];
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
  readonly shared: Map<number, Set<string>>;
}

interface Draft {
  readonly defs: Set<string>;
  readonly touches: Set<string>;
  readonly indirect: Set<string>;
  /** Of these, the variables that code called from here may bind anew. */
  readonly remote: Set<string>;
  readonly uses: Set<string>;
}

interface Drafts {
  readonly statements: Draft[];
  readonly entries: Draft[];
}

function draftFlows(file: File, tree: PlainNode): Drafts {
  const { outline, placed, mutations } = file;
  const drafts: Drafts = { statements: outline.statements.map(emptyDraft), entries: outline.functions.map(emptyDraft) };
  const at = (statement: number) => drafts.statements[statement] ?? emptyDraft();
  for (const mention of [...placed.definitions, ...placed.uses]) remember(file, mention);
  for (const mention of placed.definitions)
    if (!placed.isInternal(mention)) at(mention.statement).defs.add(mention.name);
  const unknown = new Set(mutations.stores.filter(({ key }) => key.startsWith('-1:')).map(({ name }) => name));
  for (const mention of placed.uses)
    if (!placed.isInternal(mention) && (mention.home >= 0 || unknown.has(mention.name)))
      at(mention.statement).uses.add(mention.name);
  for (const { statement, path, name, key } of mutations.reads)
    if (isSeen(file, statement, key) && (!key.startsWith('-1:') || unknown.has(name))) at(statement).uses.add(path);
  for (const { statement, name } of mutations.deletes) at(statement).defs.add(name);
  for (const stored of mutations.stores)
    if (isSeen(file, stored.statement, stored.key)) at(stored.statement).defs.add(stored.path);
  for (const touched of mutations.touches) touch(file, at(touched.statement), touched);
  addThis(file, tree, drafts);
  addCaptured(file, drafts);
  addRemote(file, drafts);
  addEntries(file, drafts);
  return drafts;
}

function emptyDraft(): Draft {
  return { defs: new Set(), touches: new Set(), indirect: new Set(), remote: new Set(), uses: new Set() };
}

function remember({ placed, shared }: File, { name, home, within }: Mention): void {
  if (home < 0 || placed.isHidden(home) || !placed.isData(home, name)) return;
  shared.set(within, (shared.get(within) ?? new Set()).add(name));
}

/** A variable that lives inside the statement, as a comprehension's does, is not seen by others. */
function isSeen({ placed }: File, statement: number, key: string): boolean {
  const at = key.indexOf(':');
  if (at < 0) return true;
  const mention = { name: key.slice(at + 1), home: Number(key.slice(0, at)), start: 0, within: -1, statement };
  return !placed.isInternal(mention);
}

/** The object, what it hangs on, and whatever may be the same. */
function touch(file: File, draft: Draft, touched: Variable): void {
  const { statement, path, key } = touched;
  if (isSeen(file, statement, key)) {
    const parts = path.split('.');
    for (let length = 1; length <= parts.length; length++) draft.touches.add(parts.slice(0, length).join('.'));
  }
  for (const alias of file.mutations.aliasesOf(key))
    if (alias.key !== key && isReachable(file, statement, alias)) draft.indirect.add(alias.name);
}

/** The variable can be mentioned where the statement stands. */
function isReachable({ placed }: File, statement: number, { holder, isHidden }: Variable): boolean {
  return !isHidden && placed.isWithin(placed.functionOf(statement), holder);
}

/** `this` is no name of the name table. */
function addThis({ mutations, placed, shared }: File, tree: PlainNode, drafts: Drafts): void {
  const stack = [tree];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    stack.push(...node.children);
    if (node.kind !== 'this' && node.kind !== 'super') continue;
    const holder = mutations.thisHolder(node.start);
    drafts.statements[placed.ownerAt(node.start)]?.uses.add('this');
    for (let current = placed.functionAt(node.start); current >= 0; current = placed.outerOf(current)) {
      shared.set(current, (shared.get(current) ?? new Set()).add('this'));
      if (current === holder) break;
    }
  }
}

/** A statement that makes a function uses what that function sees of the variables around it; so does each later call. */
function addCaptured({ outline, placed, mutations }: File, drafts: Drafts): void {
  const captured = new Map<number, Set<string>>();
  for (const { name, home, within } of [...placed.definitions, ...placed.uses]) {
    const holder = home < 0 ? within : placed.functionOfScope(home);
    for (let inner = within; inner >= 0 && inner !== holder; inner = placed.outerOf(inner)) {
      const maker = placed.ownerAt(outline.functions[inner]?.start ?? -1);
      if (placed.functionOf(maker) !== inner) drafts.statements[maker]?.uses.add(name);
      if (holder < 0) continue;
      drafts.entries[inner]?.touches.add(name);
      captured.set(holder, (captured.get(holder) ?? new Set()).add(name));
    }
  }
  for (const statement of mutations.callers)
    for (const name of captured.get(placed.functionOf(statement)) ?? []) drafts.statements[statement]?.uses.add(name);
}

/** Code that is called may change, and read, what functions other than its own change. */
function addRemote(file: File, drafts: Drafts): void {
  for (const statement of file.mutations.callers) {
    const draft = drafts.statements[statement];
    for (const variable of file.mutations.remote) {
      if (!isReachable(file, statement, variable)) continue;
      draft?.indirect.add(variable.name);
      draft?.remote.add(variable.name);
      draft?.uses.add(variable.name);
    }
  }
}

/** An entry binds the parameters, and brings what the function sees of the functions around it. */
function addEntries({ outline, placed, mutations, shared }: File, drafts: Drafts): void {
  const changing = new Set(mutations.remote.filter(({ holder }) => holder < 0).map(({ name }) => name));
  for (const [index, entry] of drafts.entries.entries()) {
    for (const name of placed.parameters(index)) entry.defs.add(name);
    const { start = 0, end = 0 } = outline.functions[index] ?? {};
    const seesThis = shared.get(index)?.has('this') ?? false;
    if (seesThis) (mutations.thisHolder(end - 1) === index || start < 0 ? entry.defs : entry.touches).add('this');
    for (const name of shared.get(index) ?? [])
      if (changing.has(name) && !entry.defs.has(name)) entry.touches.add(name);
    for (const name of entry.defs) entry.touches.delete(name);
    for (const name of entry.touches) entry.uses.add(name);
  }
}

function finish({ placed, shared }: File, draft: Draft | undefined, holder: number): Flow {
  const { defs, touches, indirect, remote, uses } = draft ?? emptyDraft();
  const isOther = (name: string) => !defs.has(name) && (remote.has(name) || !touches.has(name));
  const readable = new Set<string>();
  const mentioned = new Set([...(shared.get(holder) ?? []), ...(holder < 0 ? [] : placed.parameters(holder))]);
  for (const name of [...defs, ...touches, ...indirect, ...uses]) if (mentioned.has(name)) readable.add(name);
  return {
    defs: [...defs].sort(),
    touches: [...touches].sort(),
    indirect: [...indirect].filter(isOther).sort(),
    uses: [...uses].sort(),
    readable: [...readable].sort(),
  };
}
