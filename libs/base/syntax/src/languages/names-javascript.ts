import { childInField, childOfKind, childrenOf, type FlatTree, textOf } from '../flat-tree.ts';
import type { Binding, NameRules, NameWalk, Role } from '../resolve-names.ts';
import { castTo, visitParameters, visitTypes } from './names-typescript.ts';

const IDENTIFIERS = new Set([
  'identifier',
  'shorthand_property_identifier',
  'shorthand_property_identifier_pattern',
  'type_identifier',
]);
/** Nodes that hand a binding down to what they hold. */
const PATTERNS = new Set(['array_pattern', 'object_pattern', 'rest_pattern']);
/** Patterns with a default, a key or a type beside the target, and the field (or first child) that is the target. */
const PARTIAL_PATTERNS: Readonly<Record<string, string>> = {
  assignment_pattern: 'left',
  object_assignment_pattern: 'left',
  pair_pattern: 'value',
  as_expression: '',
  satisfies_expression: '',
  non_null_expression: '',
  parenthesized_expression: '',
};
const FUNCTIONS = new Set([
  'arrow_function',
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'method_definition',
]);
const CLASSES = new Set(['abstract_class_declaration', 'class', 'class_declaration']);
const DECLARED = new Set(['abstract_class_declaration', 'class_declaration']);
const BLOCKS = new Set(['for_in_statement', 'for_statement', 'statement_block', 'switch_body']);

type Visit = (walk: NameWalk, node: number, scope: number) => void;

export const javascriptNames: NameRules = {
  visit(walk, node, kind, role, scope) {
    if (typeof role !== 'string') {
      if (PATTERNS.has(kind)) return walk.giveAll(node, role, scope);
      if (Object.hasOwn(PARTIAL_PATTERNS, kind)) return visitPartialPattern(walk, node, kind, role, scope);
    }
    if (FUNCTIONS.has(kind)) return visitFunction(walk, node, kind, scope);
    if (CLASSES.has(kind)) return visitClass(walk, node, kind, scope);
    if (BLOCKS.has(kind)) return visitBlock(walk, node, kind, scope);
    const visit = VISITS[kind];
    if (visit) visit(walk, node, scope);
    else visitTypes(walk, node, kind, scope);
  },
  isIdentifier: (kind, role) => IDENTIFIERS.has(kind) || (kind === 'property_identifier' && typeof role !== 'string'),
  hidesNames: () => false,
  isReserved: (name, kind) => name === 'await' || (kind === 'type_identifier' && name === 'bigint'),
};

const VISITS: Readonly<Record<string, Visit>> = {
  variable_declaration: (walk, node, scope) => declareAll(walk, node, hoistScope(walk, scope)),
  lexical_declaration: (walk, node, scope) => declareAll(walk, node, scope),
  using_declaration: (walk, node, scope) => declareAll(walk, node, scope),
  assignment_expression: (walk, node, scope) => assign(walk, node, 'left', scope),
  augmented_assignment_expression: (walk, node, scope) => assign(walk, node, 'left', scope, 'reads'),
  update_expression: (walk, node, scope) => assign(walk, node, 'argument', scope, 'reads'),
  catch_clause: visitCatch,
  import_statement: visitImport,
  import_alias(walk, node, scope) {
    walk.give(childOfKind(walk.tree, node, 'identifier'), { kind: 'import', from: walk.tree.end(node) }, scope);
  },
  export_statement: visitExport,
  namespace_export: (walk, node, scope) => walk.giveAll(node, 'skip', scope),
  class_static_block(walk, node, scope) {
    const inner = walk.open('function', scope, walk.tree.start(node), walk.tree.end(node));
    walk.give(childInField(walk.tree, node, 'body'), 'use', inner);
  },
  with_statement: (walk, _node, scope) => walk.markOpen(scope),
  jsx_opening_element: visitTag,
  jsx_self_closing_element: visitTag,
  jsx_closing_element: (walk, node, scope) => walk.giveAll(node, 'skip', scope),
  jsx_namespace_name: (walk, node, scope) => walk.giveAll(node, 'skip', scope),
};

/** `var` belongs to the function, static block, namespace or file around it. */
function hoistScope(walk: NameWalk, scope: number): number {
  let current = scope;
  while (walk.scopeKind(current) === 'block' || walk.scopeKind(current) === 'class')
    current = walk.parentScope(current);
  return current;
}

function visitPartialPattern(walk: NameWalk, node: number, kind: string, role: Role, scope: number): void {
  const field = PARTIAL_PATTERNS[kind] ?? '';
  const target = field === '' ? firstNamed(walk.tree, node) : childInField(walk.tree, node, field);
  walk.give(target, role, scope);
  if (kind === 'as_expression' || kind === 'satisfies_expression') castTo(walk, node, scope);
}

function firstNamed(tree: FlatTree, node: number): number {
  return childrenOf(tree, node).find((child) => !tree.kind(child).startsWith(':')) ?? -1;
}

function visitFunction(walk: NameWalk, node: number, kind: string, scope: number): void {
  const { tree } = walk;
  const name = childInField(tree, node, 'name');
  const parameters = Math.max(childInField(tree, node, 'parameters'), childInField(tree, node, 'parameter'));
  const start = tree.start(parameters < 0 ? node : parameters);
  const inner = walk.open('function', scope, start, tree.end(node));
  if (kind.endsWith('_declaration')) {
    walk.give(name, { kind: 'function', from: walk.scopeStart(scope) }, scope);
  } else if (kind !== 'method_definition') {
    walk.give(name, { kind: 'function', from: start }, inner);
  }
  visitParameters(walk, parameters, { kind: 'parameter', from: start }, inner);
  for (const child of childrenOf(tree, node)) {
    if (child !== name) walk.give(child, 'use', inner);
  }
}

function visitClass(walk: NameWalk, node: number, kind: string, scope: number): void {
  const { tree } = walk;
  const name = childInField(tree, node, 'name');
  const inner = walk.open('class', scope, tree.start(node), tree.end(node));
  const isDeclared = DECLARED.has(kind);
  walk.give(name, { kind: 'class', from: isDeclared ? tree.end(node) : tree.start(node) }, isDeclared ? scope : inner);
  for (const child of childrenOf(tree, node)) {
    walk.give(child, 'use', tree.kind(child) === 'decorator' ? scope : inner);
  }
}

/** The block of a function, catch clause or static block shares the scope already opened for it. */
function visitBlock(walk: NameWalk, node: number, kind: string, scope: number): void {
  const { tree } = walk;
  const parent = tree.kind(tree.parent(node));
  const isOwned = FUNCTIONS.has(parent) || parent === 'catch_clause' || parent === 'class_static_block';
  if (kind === 'statement_block' && (isOwned || parent === 'internal_module' || parent === 'module')) return;
  const inner = walk.open('block', scope, tree.start(node), tree.end(node));
  if (kind === 'for_in_statement') bindLoopTarget(walk, node, inner);
  walk.giveAll(node, 'use', inner);
}

function bindLoopTarget(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  const kind = childInField(tree, node, 'kind');
  const body = childInField(tree, node, 'body');
  const from = body < 0 ? tree.end(node) : tree.start(body);
  const left = childInField(tree, node, 'left');
  if (kind < 0) walk.give(left, { kind: 'assignment', from }, scope);
  else walk.give(left, { kind: 'variable', from }, tree.kind(kind) === ':var' ? hoistScope(walk, scope) : scope);
}

function declareAll(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  for (const child of childrenOf(tree, node)) {
    if (tree.kind(child) !== 'variable_declarator') continue;
    const target = childInField(tree, child, 'name');
    walk.give(target, { kind: 'variable', from: tree.end(child) }, scope);
  }
}

function assign(walk: NameWalk, node: number, field: string, scope: number, reads?: 'reads'): void {
  const binding: Binding = { kind: 'assignment', from: walk.tree.end(node) };
  if (reads) binding.alsoUse = true;
  walk.give(childInField(walk.tree, node, field), binding, scope);
}

function visitCatch(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  const inner = walk.open('block', scope, tree.start(node), tree.end(node));
  const parameter = childInField(tree, node, 'parameter');
  if (parameter >= 0) walk.give(parameter, { kind: 'exception', from: tree.end(parameter) }, inner);
  walk.giveAll(node, 'use', inner);
}

function visitImport(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  const isType = childOfKind(tree, node, ':type') >= 0;
  for (let inner = node + 1; inner < tree.next(node); inner++) {
    const kind = tree.kind(inner);
    if (kind === 'import_specifier') bindSpecifier(walk, inner, isType, scope);
    else if (kind === 'import_clause' || kind === 'namespace_import' || kind === 'import_require_clause') {
      walk.give(childOfKind(tree, inner, 'identifier'), importBinding(walk, isType), scope);
    }
  }
}

function bindSpecifier(walk: NameWalk, node: number, isTypeImport: boolean, scope: number): void {
  const { tree } = walk;
  const isType = isTypeImport || childOfKind(tree, node, ':type') >= 0;
  const name = childInField(tree, node, 'name');
  const alias = childInField(tree, node, 'alias');
  walk.give(alias < 0 ? name : alias, importBinding(walk, isType), scope);
  walk.give(name, 'skip', scope);
}

function importBinding(walk: NameWalk, isType: boolean): Binding {
  const binding: Binding = { kind: 'import', from: walk.scopeStart(0) };
  if (isType) binding.typeOnly = true;
  return binding;
}

function visitExport(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  if (childOfKind(tree, node, ':namespace') >= 0) walk.giveAll(node, 'skip', scope);
  const clause = childOfKind(tree, node, 'export_clause');
  if (clause < 0) return;
  const isElsewhere = childInField(tree, node, 'source') >= 0;
  const isType = childOfKind(tree, node, ':type') >= 0;
  for (const specifier of childrenOf(tree, clause)) {
    if (tree.kind(specifier) !== 'export_specifier') continue;
    walk.give(childInField(tree, specifier, 'alias'), 'skip', scope);
    walk.give(childInField(tree, specifier, 'name'), isElsewhere ? 'skip' : isType ? 'type' : 'use', scope);
  }
}

/** `<div>` is no name, `<Panel>` and `<ui.Panel>` are. */
function visitTag(walk: NameWalk, node: number, scope: number): void {
  const name = childInField(walk.tree, node, 'name');
  if (name < 0 || walk.tree.kind(name) !== 'identifier') return;
  if (/^[a-z]/.test(textOf(walk.tree, name))) walk.give(name, 'skip', scope);
}
