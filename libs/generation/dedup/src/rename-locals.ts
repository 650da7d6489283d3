import type { FlatTree, Language, NameDefinition, NameScope, NameTable } from '@h/syntax';
import { isObservableBinding, isObservedJavaScript, isObservedPython } from './observed-names.ts';

/**
 * Labels for the names of local variables, by the offset of each occurrence: the n-th local of an outermost function is `$n`,
 * whatever it is called. A name that anything but the function itself could see keeps its spelling; so does one of which any
 * occurrence is in doubt.
 */
export function renameLocals(tree: FlatTree, names: NameTable): ReadonlyMap<number, string> {
  const labels = new Map<number, string>();
  const isObserved = tree.language === 'python' ? isObservedPython(tree) : isObservedJavaScript(tree);
  if (names.partial || isObserved || names.scopes.some(({ open }) => open)) return labels;
  const numbers = new Map<number, number>();
  for (const { scope, starts } of locals(tree, names).sort(
    (a, b) => (a.starts[0] as number) - (b.starts[0] as number),
  )) {
    const group = outermost(names.scopes, scope);
    const number = numbers.get(group) ?? 0;
    numbers.set(group, number + 1);
    for (const start of starts) labels.set(start, `$${number}`);
  }
  return labels;
}

interface Local {
  readonly scope: number;
  /** Offsets of all occurrences, ascending. */
  readonly starts: number[];
}

interface Mention {
  readonly start: number;
  /** Scope the name lives in; -1: none that the text shows. */
  readonly home: number;
  readonly definition?: NameDefinition;
}

/** The names that are certainly local: every occurrence of the spelling inside the outermost function is accounted for. */
function locals(tree: FlatTree, names: NameTable): Local[] {
  const mentions = mentionsByName(names);
  const nodes = identifiersByName(tree);
  const found: Local[] = [];
  for (const [name, all] of mentions) {
    if (name.startsWith('__')) continue;
    for (const scope of new Set(all.filter(({ definition }) => definition !== undefined).map(({ home }) => home))) {
      const group = names.scopes[outermost(names.scopes, scope)];
      if (group === undefined || !isLocal(names.scopes, scope, tree.language)) continue;
      const own = all.filter(({ home }) => home === scope);
      const near = all.filter(({ start }) => group.start <= start && start < group.end);
      const isBound = own.every(({ definition }) => definition === undefined || isFree(definition, tree.language));
      const isClear = near.every((one) => one.home === scope || !isInDoubt(names.scopes, scope, one));
      const isSeen = (nodes.get(name) ?? []).every(
        (node) =>
          isAccounted(tree, node, all) &&
          (!own.some(({ start }) => start === tree.start(node)) || !isObservableBinding(tree, node)),
      );
      if (isBound && isClear && isSeen)
        found.push({ scope, starts: own.map(({ start }) => start).sort((a, b) => a - b) });
    }
  }
  return found;
}

function mentionsByName({ definitions, uses }: NameTable): Map<string, Mention[]> {
  const mentions = new Map<string, Mention[]>();
  const add = (name: string, mention: Mention) => {
    const there = mentions.get(name);
    if (there === undefined) mentions.set(name, [mention]);
    else there.push(mention);
  };
  for (const definition of definitions)
    add(definition.name, { start: definition.start, home: definition.scope, definition });
  for (const { name, start, definition } of uses) {
    add(name, { start, home: definition === undefined ? -1 : (definitions[definition]?.scope ?? -1) });
  }
  return mentions;
}

const KINDS: Readonly<Record<'python' | 'javascript', ReadonlySet<NameDefinition['kind']>>> = {
  // A parameter of Python may be passed by its name.
  python: new Set<NameDefinition['kind']>(['variable', 'exception']),
  javascript: new Set<NameDefinition['kind']>(['variable', 'exception', 'parameter', 'assignment']),
};

function isFree({ kind, type_only }: NameDefinition, language: Language): boolean {
  return type_only !== true && KINDS[language === 'python' ? 'python' : 'javascript'].has(kind);
}

/** Functions, lambdas and comprehensions, and in JavaScript the blocks in any of them or in the file. */
function isLocal(scopes: readonly NameScope[], scope: number, language: Language): boolean {
  const kind = scopes[scope]?.kind;
  if (kind === 'function' || kind === 'lambda' || kind === 'comprehension') return true;
  return kind === 'block' && language !== 'python';
}

/** Another name of the same spelling that might be this one after all: unresolved, or in a scope around or inside. */
function isInDoubt(scopes: readonly NameScope[], scope: number, { home }: Mention): boolean {
  return home < 0 || isInside(scopes, home, scope) || isInside(scopes, scope, home);
}

function isInside(scopes: readonly NameScope[], inner: number, outer: number): boolean {
  for (let scope: number | undefined = inner; scope !== undefined; scope = scopes[scope]?.parent) {
    if (scope === outer) return true;
  }
  return false;
}

/** The scope right below the file that a scope is in, or is. */
function outermost(scopes: readonly NameScope[], scope: number): number {
  let current = scope;
  for (let parent = scopes[current]?.parent; parent !== undefined && parent !== 0; parent = scopes[current]?.parent)
    current = parent;
  return current;
}

const IDENTIFIERS = new Set([
  'identifier',
  'property_identifier',
  'shorthand_property_identifier',
  'shorthand_property_identifier_pattern',
  'statement_identifier',
  'type_identifier',
]);

function identifiersByName(tree: FlatTree): Map<string, number[]> {
  const nodes = new Map<string, number[]>();
  for (let node = 0; node < tree.count; node++) {
    if (!IDENTIFIERS.has(tree.kind(node))) continue;
    const name = tree.text.slice(tree.start(node), tree.end(node));
    const there = nodes.get(name);
    if (there === undefined) nodes.set(name, [node]);
    else there.push(node);
  }
  return nodes;
}

/** An identifier that the name table has, or that is plainly no variable. */
function isAccounted(tree: FlatTree, node: number, mentions: readonly Mention[]): boolean {
  const parent = tree.kind(tree.parent(node));
  if (parent === 'attribute' && tree.field(node) === 'attribute') return true;
  if (tree.kind(node) === 'property_identifier') return true;
  if (parent === 'keyword_argument' && tree.field(node) === 'name') return true;
  const start = tree.start(node);
  return mentions.some((one) => one.start === start);
}
