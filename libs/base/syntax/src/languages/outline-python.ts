import { childInField, type FlatTree, siblingBefore, textOf } from '../flat-tree.ts';
import type { OutlineRules } from '../outline-code.ts';

const SIMPLE = new Set([
  'assert_statement',
  'break_statement',
  'continue_statement',
  'delete_statement',
  'exec_statement',
  'expression_statement',
  'global_statement',
  'nonlocal_statement',
  'pass_statement',
  'print_statement',
  'raise_statement',
  'return_statement',
  'type_alias_statement',
]);
const IMPORTS = new Set(['import_statement', 'import_from_statement', 'future_import_statement']);
/** Compound statements, and the clauses whose header runs code of its own. */
const COMPOUND = new Set([
  'if_statement',
  'elif_clause',
  'for_statement',
  'while_statement',
  'with_statement',
  'try_statement',
  'except_clause',
  'except_group_clause',
  'match_statement',
  'case_clause',
]);
const DEFINITIONS = new Set(['function_definition', 'class_definition']);

export const pythonOutline: OutlineRules = {
  statement(tree, node) {
    const kind = tree.kind(node);
    const start = tree.start(node);
    if (SIMPLE.has(kind)) {
      return { kind: isDocstring(tree, node) ? 'definition' : 'statement', start, end: tree.end(node) };
    }
    if (IMPORTS.has(kind)) return { kind: 'import', start, end: tree.end(node) };
    if (COMPOUND.has(kind)) return { kind: 'statement', start, end: headerEnd(tree, node) };
    if (kind === 'decorated_definition') {
      const definition = childInField(tree, node, 'definition');
      return { kind: 'definition', start, end: definition < 0 ? tree.end(node) : headerEnd(tree, definition) };
    }
    if (DEFINITIONS.has(kind) && !isDecorated(tree, node)) {
      return { kind: 'definition', start, end: headerEnd(tree, node) };
    }
    return undefined;
  },
  function(tree, node) {
    const kind = tree.kind(node);
    if (kind === 'lambda') {
      return { name: '<lambda>', kind: 'lambda', start: tree.start(node), end: tree.end(node) };
    }
    if (!DEFINITIONS.has(kind)) return undefined;
    const name = childInField(tree, node, 'name');
    return {
      name: name < 0 ? '<lambda>' : textOf(tree, name),
      kind: kind === 'class_definition' ? 'class' : 'function',
      start: tree.start(isDecorated(tree, node) ? tree.parent(node) : node),
      end: tree.end(node),
    };
  },
  isBlock: (tree, node) => tree.kind(node) === 'block',
  expressionBody: () => -1,
};

function isDecorated(tree: FlatTree, node: number): boolean {
  return tree.kind(tree.parent(node)) === 'decorated_definition';
}

/** End of what stands before the block: the colon, never a comment after it. */
function headerEnd(tree: FlatTree, node: number): number {
  let end = tree.start(node);
  for (let child = node + 1; child < tree.next(node); child = tree.next(child)) {
    const kind = tree.kind(child);
    if (kind === 'block') break;
    if (kind !== 'comment') end = tree.end(child);
  }
  return end;
}

/** A plain string that is the first statement of a module, class or function. */
function isDocstring(tree: FlatTree, node: number): boolean {
  if (tree.kind(node) !== 'expression_statement' || tree.next(node + 1) !== tree.next(node)) return false;
  const kind = tree.kind(node + 1);
  if (kind !== 'string' && kind !== 'concatenated_string') return false;
  if (/^[a-z]*[bf]/i.test(tree.text.slice(tree.start(node), tree.start(node) + 3))) return false;
  const parent = tree.parent(node);
  if (tree.kind(parent) !== 'module' && !DEFINITIONS.has(tree.kind(tree.parent(parent)))) return false;
  for (let before = siblingBefore(tree, node); before >= 0; before = siblingBefore(tree, before)) {
    if (tree.kind(before) !== 'comment') return false;
  }
  return true;
}
