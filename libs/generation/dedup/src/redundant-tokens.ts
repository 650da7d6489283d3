// What the nesting of a tree already says. A construct that is not listed here stays as it is.
import type { FlatTree } from '@h/syntax';

/** Nodes whose own brackets go, and offsets of tokens that go. */
export interface Redundant {
  readonly nodes: ReadonlySet<number>;
  readonly tokens: ReadonlySet<number>;
}

/** Parentheses are kept here: whether they make a tuple, a simple annotation target or a list of managers is theirs to say. */
const PYTHON_KEEPS_IN = new Set(['with_item', 'with_clause', 'print_statement', 'exec_statement', 'case_pattern']);
const PYTHON_KEEPS = new Set([
  'yield',
  'named_expression',
  'generator_expression',
  'list_splat',
  'parenthesized_list_splat',
]);
const PYTHON_LISTS = new Set([
  'argument_list',
  'list',
  'dictionary',
  'set',
  'parameters',
  'tuple',
  'import_from_statement',
]);

export function droppedInPython(tree: FlatTree): Redundant {
  const redundant = { nodes: new Set<number>(), tokens: new Set<number>() };
  for (let node = 0; node < tree.count; node++) {
    const kind = tree.kind(node);
    if (kind === ':;') redundant.tokens.add(tree.start(node));
    if (kind === 'parenthesized_expression') {
      const parent = tree.parent(node);
      const isTarget = tree.field(node) === 'left' && hasField(tree, parent, 'type');
      const isPrinted =
        tree.kind(parent) === 'interpolation' && childrenOf(tree, parent).some((one) => tree.kind(one) === ':=');
      if (
        !isTarget &&
        !isPrinted &&
        !PYTHON_KEEPS_IN.has(tree.kind(parent)) &&
        !PYTHON_KEEPS.has(tree.kind(innerOf(tree, node)))
      )
        dropBrackets(tree, node, redundant);
    }
    if (PYTHON_LISTS.has(kind)) dropTrailingComma(tree, node, kind === 'tuple' ? 2 : 1, redundant);
    if (kind === 'import_from_statement') {
      for (const child of childrenOf(tree, node)) {
        if (tree.kind(child) === ':(' || tree.kind(child) === ':)') redundant.tokens.add(tree.start(child));
      }
    }
  }
  return redundant;
}

/** Where parentheses change nothing but the reading: all other places (targets, exports, bodies of arrows, decorators …) keep them. */
const JAVASCRIPT_DROPS_IN = new Set(
  (
    'arguments array as_expression assignment_expression augmented_assignment_expression await_expression binary_expression ' +
    'call_expression member_expression non_null_expression pair parenthesized_expression return_statement satisfies_expression ' +
    'spread_element subscript_expression template_substitution ternary_expression throw_statement unary_expression variable_declarator'
  ).split(' '),
);
const JAVASCRIPT_LISTS = new Set(
  (
    'arguments array object formal_parameters named_imports export_clause object_pattern array_pattern enum_body type_arguments ' +
    'type_parameters tuple_type'
  ).split(' '),
);
const ENDED_BY_SEMICOLON = new Set(
  (
    'expression_statement return_statement throw_statement break_statement continue_statement debugger_statement ' +
    'lexical_declaration variable_declaration import_statement export_statement'
  ).split(' '),
);
const CHAINS = new Set(['member_expression', 'subscript_expression', 'call_expression', 'non_null_expression']);

export function droppedInJavaScript(tree: FlatTree): Redundant {
  const redundant = { nodes: new Set<number>(), tokens: new Set<number>() };
  for (let node = 0; node < tree.count; node++) {
    const kind = tree.kind(node);
    const parent = tree.parent(node);
    if (kind === ':;' && ENDED_BY_SEMICOLON.has(tree.kind(parent))) redundant.tokens.add(tree.start(node));
    if (kind === 'parenthesized_expression' && isIdle(tree, node, parent)) dropBrackets(tree, node, redundant);
    if (JAVASCRIPT_LISTS.has(kind)) dropTrailingComma(tree, node, 1, redundant);
  }
  return redundant;
}

function isIdle(tree: FlatTree, node: number, parent: number): boolean {
  const kind = tree.kind(parent);
  if (!JAVASCRIPT_DROPS_IN.has(kind)) return false;
  // `(a) = f` names no function, and `(a?.b).c` fails where `a?.b.c` does not.
  if (tree.field(node) === 'left' && kind.endsWith('assignment_expression')) return false;
  if (tree.field(node) === 'key' || tree.field(node) === 'name') return false;
  return !CHAINS.has(kind) || !tree.text.slice(tree.start(node), tree.end(node)).includes('?.');
}

function dropBrackets(tree: FlatTree, node: number, { nodes, tokens }: Draft): void {
  const children = childrenOf(tree, node);
  const [first, last] = [children[0], children[children.length - 1]];
  if (first === undefined || last === undefined || tree.kind(first) !== ':(' || tree.kind(last) !== ':)') return;
  nodes.add(node);
  tokens.add(tree.start(first));
  tokens.add(tree.start(last));
}

interface Draft {
  readonly nodes: Set<number>;
  readonly tokens: Set<number>;
}

/** The comma before the closing bracket, where at least `least` elements stand before it and none of them is a hole. */
function dropTrailingComma(tree: FlatTree, node: number, least: number, { tokens }: Draft): void {
  const children = childrenOf(tree, node).filter((child) => tree.kind(child) !== 'comment');
  const comma = children[children.length - 2];
  const element = children[children.length - 3];
  if (comma === undefined || element === undefined || tree.kind(comma) !== ':,' || tree.kind(element).startsWith(':'))
    return;
  if (!/^:[\])}>]$/.test(tree.kind(children[children.length - 1] as number))) return;
  const elements = children.filter((child) => !tree.kind(child).startsWith(':'));
  if (elements.length >= least) tokens.add(tree.start(comma));
}

function innerOf(tree: FlatTree, node: number): number {
  return (
    childrenOf(tree, node).find((child) => !tree.kind(child).startsWith(':') && tree.kind(child) !== 'comment') ?? node
  );
}

function hasField(tree: FlatTree, node: number, field: string): boolean {
  return childrenOf(tree, node).some((child) => tree.field(child) === field);
}

function childrenOf(tree: FlatTree, node: number): number[] {
  const children: number[] = [];
  for (let child = node + 1; child < tree.next(node); child = tree.next(child)) children.push(child);
  return children;
}
