import { childInField, childOfKind, childrenOf, type FlatTree, textOf } from '../flat-tree.ts';
import type { Binding, NameRules, NameWalk, Role } from '../resolve-names.ts';

/** Nodes that hand a binding down to the targets in them; in any other node (`a.b = …`, `a[i] = …`) names are read. */
const TARGETS = new Set([
  'as_pattern_target',
  'expression_list',
  'list',
  'list_pattern',
  'list_splat',
  'list_splat_pattern',
  'parenthesized_expression',
  'pattern_list',
  'tuple',
  'tuple_pattern',
]);
const COMPREHENSIONS = new Set([
  'dictionary_comprehension',
  'generator_expression',
  'list_comprehension',
  'set_comprehension',
]);
type Visit = (walk: NameWalk, node: number, scope: number, role: Role) => void;

export const pythonNames: NameRules = {
  visit(walk, node, kind, role, scope) {
    if (role === 'pattern') return visitPattern(walk, node, kind, scope);
    if (typeof role !== 'string' && TARGETS.has(kind)) return walk.giveAll(node, role, scope);
    if (COMPREHENSIONS.has(kind)) return visitComprehension(walk, node, scope);
    VISITS[kind]?.(walk, node, scope, role);
  },
  isIdentifier: (kind) => kind === 'identifier',
  hidesNames: (kind) => kind === 'class',
  isReserved: () => false,
};

const VISITS: Readonly<Record<string, Visit>> = {
  function_definition: visitFunction,
  class_definition: visitClass,
  lambda: visitLambda,
  assignment: visitAssignment,
  augmented_assignment(walk, node, scope) {
    const from = walk.tree.end(node);
    walk.give(childInField(walk.tree, node, 'left'), { kind: 'variable', from, alsoUse: true }, scope);
  },
  named_expression(walk, node, scope) {
    let target = scope;
    while (walk.scopeKind(target) === 'comprehension') target = walk.parentScope(target);
    walk.give(childInField(walk.tree, node, 'name'), { kind: 'variable', from: walk.tree.end(node) }, target);
  },
  for_statement(walk, node, scope) {
    const body = childInField(walk.tree, node, 'body');
    const from = body < 0 ? walk.tree.end(node) : walk.tree.start(body);
    walk.give(childInField(walk.tree, node, 'left'), { kind: 'variable', from }, scope);
  },
  as_pattern: visitAs,
  import_statement: visitImport,
  import_from_statement: visitImport,
  future_import_statement: visitImport,
  global_statement: (walk, node, scope) => redirectAll(walk, node, scope, 'global'),
  nonlocal_statement: (walk, node, scope) => redirectAll(walk, node, scope, 'nonlocal'),
  delete_statement: visitDelete,
  exec_statement: (walk, _node, scope) => walk.markOpen(scope),
  keyword_argument: (walk, node, scope) => walk.give(childInField(walk.tree, node, 'name'), 'skip', scope),
  attribute: (walk, node, scope) => walk.give(childInField(walk.tree, node, 'attribute'), 'skip', scope),
  dotted_name: (walk, node, scope) => skipTail(walk, node, scope),
  member_type: (walk, node, scope) => skipTail(walk, node, scope),
  type_alias_statement: visitTypeAlias,
  case_clause(walk, node, scope) {
    for (const child of childrenOf(walk.tree, node)) {
      if (walk.tree.kind(child) === 'case_pattern') walk.give(child, 'pattern', scope);
    }
  },
};

function visitFunction(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  walk.give(childInField(tree, node, 'name'), { kind: 'function', from: tree.end(node) }, scope);
  const annotations = openTypeParameters(walk, node, scope);
  const inner = openBody(walk, node, 'function', annotations);
  visitParameters(walk, childInField(tree, node, 'parameters'), inner, scope, annotations);
  walk.give(childInField(tree, node, 'return_type'), 'use', annotations);
  walk.give(childInField(tree, node, 'body'), 'use', inner);
}

function visitLambda(walk: NameWalk, node: number, scope: number): void {
  const inner = openBody(walk, node, 'lambda', scope);
  visitParameters(walk, childInField(walk.tree, node, 'parameters'), inner, scope, scope);
  walk.give(childInField(walk.tree, node, 'body'), 'use', inner);
}

function visitClass(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  walk.give(childInField(tree, node, 'name'), { kind: 'class', from: tree.end(node) }, scope);
  const annotations = openTypeParameters(walk, node, scope);
  walk.give(childInField(tree, node, 'superclasses'), 'use', annotations);
  walk.give(childInField(tree, node, 'body'), 'use', openBody(walk, node, 'class', annotations));
}

/** Names of the scope are seen in the body; defaults and annotations belong to the scope around. */
function openBody(walk: NameWalk, node: number, kind: 'function' | 'class' | 'lambda', parent: number): number {
  const body = childInField(walk.tree, node, 'body');
  const start = body < 0 ? walk.tree.end(node) : walk.tree.start(body);
  return walk.open(kind, parent, start, walk.tree.end(node));
}

/** PEP 695: type parameters live in a scope of their own around the function, class or alias. */
function openTypeParameters(walk: NameWalk, node: number, scope: number): number {
  const parameters = childInField(walk.tree, node, 'type_parameters');
  return parameters < 0 ? scope : openTypeScope(walk, parameters, scope, walk.tree.end(node));
}

function openTypeScope(walk: NameWalk, parameters: number, scope: number, end: number): number {
  const { tree } = walk;
  const inner = walk.open('type', scope, tree.start(parameters), end);
  const binding: Binding = { kind: 'type', from: tree.start(parameters) };
  walk.give(parameters, 'use', inner);
  for (const child of childrenOf(tree, parameters)) {
    if (tree.kind(child) !== 'type') continue;
    walk.give(child, 'use', inner);
    const name = firstIdentifier(tree, child);
    walk.give(name, binding, inner);
  }
  return inner;
}

function firstIdentifier(tree: FlatTree, node: number): number {
  for (let inner = node + 1; inner < tree.next(node); inner++) if (tree.kind(inner) === 'identifier') return inner;
  return -1;
}

function visitParameters(walk: NameWalk, parameters: number, inner: number, defaults: number, types: number): void {
  if (parameters < 0) return;
  const { tree } = walk;
  const binding: Binding = { kind: 'parameter', from: walk.scopeStart(inner) };
  for (const parameter of childrenOf(tree, parameters)) {
    const kind = tree.kind(parameter);
    if (kind === 'identifier' || TARGETS.has(kind) || kind === 'dictionary_splat_pattern') {
      giveParameter(walk, parameter, binding, inner);
      continue;
    }
    walk.give(childInField(tree, parameter, 'value'), 'use', defaults);
    walk.give(childInField(tree, parameter, 'type'), 'use', types);
    const name = childInField(tree, parameter, 'name');
    giveParameter(walk, name < 0 ? parameter + 1 : name, binding, inner);
  }
}

function giveParameter(walk: NameWalk, target: number, binding: Binding, inner: number): void {
  if (target >= walk.tree.count) return;
  walk.give(target, binding, inner);
  if (walk.tree.kind(target) === 'dictionary_splat_pattern') walk.giveAll(target, binding, inner);
}

function visitAssignment(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  const hasValue = childInField(tree, node, 'right') >= 0;
  walk.give(
    childInField(tree, node, 'left'),
    { kind: hasValue ? 'variable' : 'annotation', from: tree.end(node) },
    scope,
  );
}

/** The first iterable is evaluated outside; all else inside, where the targets are bound. */
function visitComprehension(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  const inner = walk.open('comprehension', scope, tree.start(node), tree.end(node));
  let isFirst = true;
  for (const child of childrenOf(tree, node)) {
    walk.give(child, 'use', inner);
    if (tree.kind(child) !== 'for_in_clause') continue;
    walk.give(childInField(tree, child, 'left'), { kind: 'variable', from: tree.start(node) }, inner);
    for (const part of childrenOf(tree, child)) {
      if (tree.field(part) === 'right') walk.give(part, 'use', isFirst ? scope : inner);
    }
    isFirst = false;
  }
}

function visitAs(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  const target = childInField(tree, node, 'alias');
  const clause = tree.parent(node);
  const isCatch = clause >= 0 && tree.kind(clause).startsWith('except_');
  const binding: Binding = { kind: isCatch ? 'exception' : 'variable', from: tree.end(node) };
  if (isCatch) binding.until = tree.end(clause);
  walk.give(target, binding, scope);
}

function visitImport(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  walk.give(childInField(tree, node, 'module_name'), 'skip', scope);
  const isPlain = tree.kind(node) === 'import_statement';
  for (const child of childrenOf(tree, node)) {
    const kind = tree.kind(child);
    if (kind === 'wildcard_import') walk.markOpen(scope);
    if (tree.field(child) !== 'name') continue;
    const binding: Binding = { kind: 'import', from: tree.end(node) };
    if (kind === 'aliased_import') {
      walk.give(child, 'use', scope);
      walk.give(childInField(tree, child, 'name'), 'skip', scope);
      walk.give(childInField(tree, child, 'alias'), binding, scope);
    } else {
      walk.give(child, 'skip', scope);
      if (isPlain || tree.next(child) === child + 2) walk.give(child + 1, binding, scope);
    }
  }
}

function redirectAll(walk: NameWalk, node: number, scope: number, to: 'global' | 'nonlocal'): void {
  for (const child of childrenOf(walk.tree, node)) {
    if (walk.tree.kind(child) !== 'identifier') continue;
    walk.redirect(scope, textOf(walk.tree, child), to);
    walk.give(child, 'skip', scope);
  }
}

function visitDelete(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  const targets = [...childrenOf(tree, node)];
  for (let target = targets.pop(); target !== undefined; target = targets.pop()) {
    if (TARGETS.has(tree.kind(target))) targets.push(...childrenOf(tree, target));
    else if (tree.kind(target) === 'identifier') walk.declare(scope, textOf(tree, target));
  }
}

function skipTail(walk: NameWalk, node: number, scope: number): void {
  const identifiers = childrenOf(walk.tree, node).filter((child) => walk.tree.kind(child) === 'identifier');
  const isMember = walk.tree.kind(node) === 'member_type';
  for (const child of isMember ? identifiers : identifiers.slice(1)) walk.give(child, 'skip', scope);
}

function visitTypeAlias(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  const left = childInField(tree, node, 'left');
  if (left < 0) return;
  const name = firstIdentifier(tree, left);
  walk.give(name, { kind: 'type', from: tree.end(node) }, scope);
  const generic = childOfKind(tree, left, 'generic_type');
  const parameters = generic < 0 ? -1 : childOfKind(tree, generic, 'type_parameter');
  if (parameters < 0) return;
  const inner = openTypeScope(walk, parameters, scope, tree.end(node));
  walk.give(childInField(tree, node, 'right'), 'use', inner);
}

/** Inside `case`: bare names capture, dotted names and class names are read. */
function visitPattern(walk: NameWalk, node: number, kind: string, scope: number): void {
  const { tree } = walk;
  const binding: Binding = { kind: 'variable', from: tree.end(node) };
  switch (kind) {
    case 'dotted_name':
      if (tree.next(node) === node + 2 && tree.kind(tree.parent(node)) !== 'class_pattern') {
        walk.give(node + 1, binding, scope);
      } else skipTail(walk, node, scope);
      return;
    case 'keyword_pattern':
      walk.give(node + 1, 'skip', scope);
      break;
    case 'as_pattern':
    case 'splat_pattern':
      for (const child of childrenOf(tree, node)) {
        if (tree.kind(child) === 'identifier') walk.give(child, binding, scope);
      }
      break;
    default:
      break;
  }
  walk.giveAll(node, 'pattern', scope);
}
