// One preorder pass: every node hands its children a scope and a role; identifiers become definitions and uses; a second
// pass over these finds the scope each name belongs to. What the languages differ in is in names-<language>.ts.

import { bindNames, type Mentions } from './bind-names.ts';
import { type FlatTree, textOf } from './flat-tree.ts';
import { indexLines, type LineIndex } from './index-lines.ts';
import type { Language } from './language-of.ts';
import { javascriptNames } from './languages/names-javascript.ts';
import { pythonNames } from './languages/names-python.ts';

/** Scopes, definitions and uses of one file. Attributes, properties, keyword-argument names and labels are no names. */
export interface NameTable {
  language: Language;
  /** The text did not parse as a whole; names in the broken part may be missing or misplaced. */
  partial: boolean;
  /** `scopes[0]` is the file; an enclosing scope stands before what it encloses. */
  scopes: NameScope[];
  /** Every place that binds a name, reassignments included, in source order. */
  definitions: NameDefinition[];
  /** Every place that reads a name, in source order; `x += 1` is both. */
  uses: NameUse[];
}

export interface NameScope {
  /** `type` holds type parameters and the parameters of signatures; `block` is JavaScript's. */
  kind: 'module' | 'function' | 'lambda' | 'class' | 'comprehension' | 'block' | 'type';
  /** 1-based lines, inclusive. */
  first: number;
  last: number;
  /** UTF-16 offsets, half-open: where code sees the names of this scope. */
  start: number;
  end: number;
  /** Index in `scopes`; absent for the file. */
  parent?: number;
  /** `import *`, `exec` or `with` may add names that no text defines. */
  open?: true;
}

export interface NameDefinition {
  name: string;
  /** `annotation`: a Python `x: int` without value. `type`: TypeScript types, type parameters. `assignment`: a JavaScript assignment to a name declared elsewhere. */
  kind: 'variable' | 'parameter' | 'function' | 'class' | 'import' | 'exception' | 'annotation' | 'type' | 'assignment';
  /** 1-based line of the name. */
  line: number;
  /** UTF-16 offsets of the name, half-open. */
  start: number;
  end: number;
  /** Index in `scopes` of the scope the name lives in: after `global`, `nonlocal`, `var` hoisting. */
  scope: number;
  /** Offset from which the name is bound in straight-line code: the end of `x = …`, the start of the scope for hoisted functions. */
  from: number;
  /** Offset at which Python unbinds it again (`except E as x`); absent otherwise. */
  until?: number;
  /** Exists for the type checker alone. */
  type_only?: true;
}

export interface NameUse {
  name: string;
  /** 1-based line. */
  line: number;
  /** UTF-16 offsets, half-open. */
  start: number;
  end: number;
  /** Index in `scopes` of the scope it is read in. */
  scope: number;
  /** Index in `definitions` of the first definition of this name in the scope it resolves to; absent for builtins, globals of the host and unknown names. */
  definition?: number;
  /** In a type annotation or another place that does not run. */
  type_only?: true;
}

/** How a node binds the identifiers in it. */
export interface Binding {
  kind: NameDefinition['kind'];
  from: number;
  until?: number;
  typeOnly?: true;
  /** Also reads the name. */
  alsoUse?: true;
  /** A value that is a type as well: an enum or a namespace. */
  isAlsoType?: true;
}

export type Role = 'use' | 'type' | 'skip' | 'pattern' | Binding;

/** What the language rules work on. */
export interface NameWalk {
  readonly tree: FlatTree;
  /** Sets scope and role of a later node; the first setting wins over what is inherited. */
  give(node: number, role: Role, scope: number): void;
  /** Gives the same to every direct child. */
  giveAll(node: number, role: Role, scope: number): void;
  /** Opens a scope over `[start, end)`. */
  open(kind: NameScope['kind'], parent: number, start: number, end: number): number;
  scopeKind(scope: number): NameScope['kind'];
  parentScope(scope: number): number;
  scopeStart(scope: number): number;
  /** The scope spans exactly the node. */
  isScopeOf(scope: number, node: number): boolean;
  /** The name belongs to another scope than the one it is bound in (`global`, `nonlocal`). */
  redirect(scope: number, name: string, to: 'global' | 'nonlocal'): void;
  /** The scope has the name although nothing binds it (`del x`). */
  declare(scope: number, name: string): void;
  /** Unknown names may appear in the scope. */
  markOpen(scope: number): void;
}

/** What a language says about names. */
export interface NameRules {
  /** Gives roles to the children of a node. Children that get none inherit scope, and `skip`, `type` or `use`. */
  visit(walk: NameWalk, node: number, kind: string, role: Role, scope: number): void;
  isIdentifier(kind: string, role: Role): boolean;
  /** What the grammar takes for a name but the language does not. */
  isReserved(name: string, kind: string): boolean;
  /** A scope whose names are not seen from the scopes inside it. */
  hidesNames(kind: NameScope['kind']): boolean;
}

/** The state of the pass, and what the binding pass needs of it. */
export interface Walk extends NameWalk {
  scopes: NameScope[];
  redirects: Map<number, Map<string, 'global' | 'nonlocal'>>;
  declared: Map<number, Set<string>>;
  roles: (Role | undefined)[];
  scopeOf: Int32Array;
}

/** Resolves every name of the file; linear in its size but for the depth of scopes. */
export function resolveNames(tree: FlatTree): NameTable {
  const rules = tree.language === 'python' ? pythonNames : javascriptNames;
  const lines = indexLines(tree.text, tree.language);
  const walk = newWalk(tree, lines);
  const mentions: Mentions = { definitions: [], uses: [] };
  for (let node = 0; node < tree.count; node++) {
    const role = walk.roles[node] ?? 'use';
    const scope = walk.scopeOf[node] as number;
    const kind = tree.kind(node);
    if (rules.isIdentifier(kind, role)) mention(tree, node, kind, role, scope, lines, rules, mentions);
    rules.visit(walk, node, kind, role, scope);
    walk.giveAll(node, role === 'skip' || role === 'type' ? role : 'use', scope);
  }
  bindNames(walk, rules, mentions);
  return {
    language: tree.language,
    partial: tree.partial,
    scopes: walk.scopes,
    definitions: mentions.definitions.map(({ definition }) => definition),
    uses: mentions.uses.map(({ use }) => use),
  };
}

/** The names of a text that could not be read: none. */
export function emptyNames(language: Language, text: string): NameTable {
  const lines = indexLines(text, language);
  const file: NameScope = { kind: 'module', first: 1, last: lines.count, start: 0, end: text.length };
  return { language, partial: true, scopes: [file], definitions: [], uses: [] };
}

function newWalk(tree: FlatTree, lines: LineIndex): Walk {
  const end = tree.text.length;
  const scopes: NameScope[] = [{ kind: 'module', first: 1, last: lines.count, start: 0, end }];
  const redirects: Walk['redirects'] = new Map();
  const declared: Walk['declared'] = new Map();
  const roles: Walk['roles'] = new Array<Role | undefined>(tree.count);
  const scopeOf = new Int32Array(tree.count);
  const scopeAt = (scope: number) => scopes[scope] as NameScope;
  const give = (node: number, role: Role, scope: number): void => {
    if (node < 0 || roles[node] !== undefined) return;
    roles[node] = role;
    scopeOf[node] = scope;
  };
  return {
    tree,
    scopes,
    redirects,
    declared,
    roles,
    scopeOf,
    give,
    giveAll(node, role, scope) {
      for (let child = node + 1; child < tree.next(node); child = tree.next(child)) give(child, role, scope);
    },
    open(kind, parent, start, until) {
      scopes.push({
        kind,
        first: lines.lineAt(start),
        last: lines.lineAt(Math.max(start, until - 1)),
        start,
        end: until,
        parent,
      });
      return scopes.length - 1;
    },
    scopeKind: (scope) => scopeAt(scope).kind,
    parentScope: (scope) => scopeAt(scope).parent ?? 0,
    scopeStart: (scope) => scopeAt(scope).start,
    isScopeOf: (scope, node) => scopeAt(scope).start === tree.start(node) && scopeAt(scope).end === tree.end(node),
    redirect(scope, name, to) {
      redirects.set(scope, (redirects.get(scope) ?? new Map<string, 'global' | 'nonlocal'>()).set(name, to));
    },
    declare(scope, name) {
      declared.set(scope, (declared.get(scope) ?? new Set<string>()).add(name));
    },
    markOpen(scope) {
      scopeAt(scope).open = true;
    },
  };
}

function mention(
  tree: FlatTree,
  node: number,
  kind: string,
  role: Role,
  scope: number,
  lines: LineIndex,
  rules: NameRules,
  mentions: Mentions,
): void {
  const name = textOf(tree, node);
  if (role === 'skip' || role === 'pattern' || name === '' || rules.isReserved(name, kind)) return;
  const start = tree.start(node);
  const place = { name, line: lines.lineAt(start), start, end: tree.end(node), scope };
  if (typeof role !== 'string')
    mentions.definitions.push({ definition: definitionOf(place, role), space: spaceOf(role) });
  if (typeof role === 'string' || role.alsoUse) {
    const isType = kind === 'type_identifier';
    const typeOnly = role === 'type' || isType ? { type_only: true as const } : {};
    mentions.uses.push({ use: { ...place, ...typeOnly }, isType });
  }
}

function definitionOf(place: Omit<NameUse, 'definition' | 'type_only'>, role: Binding): NameDefinition {
  const definition: NameDefinition = { ...place, kind: role.kind, from: role.from };
  if (role.until !== undefined) definition.until = role.until;
  if (role.typeOnly) definition.type_only = true;
  return definition;
}

/** TypeScript keeps types and values apart: a class, an import, an enum and a namespace are both. */
function spaceOf({ kind, typeOnly, isAlsoType }: Binding): 'value' | 'type' | 'both' {
  if (kind === 'import' || kind === 'class' || isAlsoType) return 'both';
  return typeOnly && kind === 'type' ? 'type' : 'value';
}
