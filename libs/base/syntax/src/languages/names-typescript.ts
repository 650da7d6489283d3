// What TypeScript adds: types, signatures, enums, namespaces. Names that exist for the type checker alone are marked.
import { childInField, childOfKind, childrenOf } from '../flat-tree.ts';
import type { Binding, NameWalk } from '../resolve-names.ts';

const SIGNATURES = new Set([
  'abstract_method_signature',
  'call_signature',
  'construct_signature',
  'constructor_type',
  'function_signature',
  'function_type',
  'method_signature',
]);
/** Nodes that hold only types. */
const TYPES = new Set([
  'asserts_annotation',
  'extends_type_clause',
  'implements_clause',
  'interface_body',
  'object_type',
  'omitting_type_annotation',
  'opting_type_annotation',
  'type_annotation',
  'type_arguments',
  'type_parameters',
  'type_predicate_annotation',
]);

type Visit = (walk: NameWalk, node: number, scope: number) => void;

const VISITS: Readonly<Record<string, Visit>> = {
  as_expression: castTo,
  satisfies_expression: castTo,
  interface_declaration: visitTypeDeclaration,
  type_alias_declaration: visitTypeDeclaration,
  internal_module: visitNamespace,
  module: visitNamespace,
  enum_body: visitMembers,
  enum_declaration(walk, node, scope) {
    const binding: Binding = { kind: 'variable', from: walk.tree.end(node), isAlsoType: true };
    walk.give(childInField(walk.tree, node, 'name'), binding, scope);
  },
  type_parameter: (walk, node, scope) => bindType(walk, childInField(walk.tree, node, 'name'), scope),
  mapped_type_clause: (walk, node, scope) => bindType(walk, childInField(walk.tree, node, 'name'), scope),
  infer_type(walk, node, scope) {
    bindType(walk, childOfKind(walk.tree, node, 'type_identifier'), scopeOfCondition(walk, node, scope));
  },
  index_signature: visitIndex,
  conditional_type: (walk, node, scope) => visitScopedType(walk, node, scope),
  tuple_type(walk, node, scope) {
    for (const member of childrenOf(walk.tree, node)) {
      if (walk.tree.kind(member).endsWith('_parameter'))
        walk.give(childInField(walk.tree, member, 'name'), 'skip', scope);
    }
  },
  nested_type_identifier: (walk, node, scope) => walk.give(childInField(walk.tree, node, 'name'), 'skip', scope),
};

/** Gives roles below a node of TypeScript's own; does nothing for any other. */
export function visitTypes(walk: NameWalk, node: number, kind: string, scope: number): void {
  if (TYPES.has(kind)) walk.giveAll(node, 'type', scope);
  else if (SIGNATURES.has(kind)) visitSignature(walk, node, scope);
  else VISITS[kind]?.(walk, node, scope);
}

/** The names a parameter list binds; defaults, types and decorators in it are left to the caller's roles. */
export function visitParameters(walk: NameWalk, parameters: number, binding: Binding, scope: number): void {
  if (parameters < 0) return;
  const { tree } = walk;
  if (tree.kind(parameters) !== 'formal_parameters') {
    walk.give(parameters, binding, scope);
    return;
  }
  for (const parameter of childrenOf(tree, parameters)) {
    const kind = tree.kind(parameter);
    if (kind === 'required_parameter' || kind === 'optional_parameter') {
      walk.give(childInField(tree, parameter, 'pattern'), binding, scope);
    } else if (kind !== 'decorator') walk.give(parameter, binding, scope);
  }
}

/** The first child is the expression, the rest is a type. */
export function castTo(walk: NameWalk, node: number, scope: number): void {
  const [expression = -1, ...rest] = childrenOf(walk.tree, node);
  walk.give(expression, 'use', scope);
  for (const child of rest) walk.give(child, 'type', scope);
}

/** A signature without body: its parameters are names for the reader and the type checker alone. */
function visitSignature(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  if (tree.kind(node) === 'function_signature') {
    walk.give(childInField(tree, node, 'name'), { kind: 'function', from: walk.scopeStart(scope) }, scope);
  }
  const inner = walk.open('type', scope, tree.start(node), tree.end(node));
  const binding: Binding = { kind: 'parameter', from: tree.start(node), typeOnly: true };
  visitParameters(walk, childInField(tree, node, 'parameters'), binding, inner);
  walk.giveAll(node, 'type', inner);
}

function visitTypeDeclaration(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  bindType(walk, childInField(tree, node, 'name'), scope);
  walk.giveAll(node, 'type', walk.open('type', scope, tree.start(node), tree.end(node)));
}

/** `infer U` and mapped keys are seen in the type they belong to. */
function visitScopedType(walk: NameWalk, node: number, scope: number): void {
  walk.giveAll(node, 'type', walk.open('type', scope, walk.tree.start(node), walk.tree.end(node)));
}

/** The scope of the conditional type whose `extends` part holds the node. */
function scopeOfCondition(walk: NameWalk, node: number, scope: number): number {
  const { tree } = walk;
  let from = node;
  let around = tree.parent(node);
  while (around >= 0 && !(tree.kind(around) === 'conditional_type' && tree.field(from) === 'right')) {
    from = around;
    around = tree.parent(around);
  }
  if (around < 0) return scope;
  let found = scope;
  while (found > 0 && !walk.isScopeOf(found, around)) found = walk.parentScope(found);
  return found > 0 ? found : scope;
}

function visitIndex(walk: NameWalk, node: number, scope: number): void {
  if (childOfKind(walk.tree, node, 'mapped_type_clause') >= 0) visitScopedType(walk, node, scope);
  else walk.give(childInField(walk.tree, node, 'name'), 'skip', scope);
}

function bindType(walk: NameWalk, name: number, scope: number): void {
  walk.give(name, { kind: 'type', from: walk.scopeStart(scope), typeOnly: true }, scope);
}

function visitNamespace(walk: NameWalk, node: number, scope: number): void {
  const { tree } = walk;
  const name = childInField(tree, node, 'name');
  const binding: Binding = { kind: 'variable', from: tree.end(node), isAlsoType: true };
  if (name >= 0 && tree.kind(name) === 'nested_identifier') {
    const first = name + 1;
    walk.give(name, 'skip', scope);
    walk.give(first, binding, scope);
  } else walk.give(name, binding, scope);
  const inner = walk.open('function', scope, tree.start(node), tree.end(node));
  walk.give(childInField(tree, node, 'body'), 'use', inner);
}

/** Enum members see one another by their bare names. */
function visitMembers(walk: NameWalk, node: number, outer: number): void {
  const { tree } = walk;
  const scope = walk.open('block', outer, tree.start(node), tree.end(node));
  for (const child of childrenOf(tree, node)) {
    if (tree.field(child) === 'name') walk.give(child, { kind: 'variable', from: tree.end(child) }, scope);
    else walk.give(childInField(tree, child, 'name'), { kind: 'variable', from: tree.end(child) }, scope);
    walk.give(child, 'use', scope);
  }
}
