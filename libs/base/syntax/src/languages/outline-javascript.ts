import { childInField, type FlatTree, siblingBefore, textOf } from '../flat-tree.ts';
import type { FunctionSpan, OutlineRules, StatementSpan } from '../outline-code.ts';

const SIMPLE = new Set([
  'break_statement',
  'continue_statement',
  'debugger_statement',
  'do_statement',
  'expression_statement',
  'lexical_declaration',
  'return_statement',
  'throw_statement',
  'using_declaration',
  'variable_declaration',
]);
/** Header-only statements and the field their body is in. */
const COMPOUND: Readonly<Record<string, string>> = {
  if_statement: 'consequence',
  for_statement: 'body',
  for_in_statement: 'body',
  while_statement: 'body',
  with_statement: 'body',
  switch_statement: 'body',
  try_statement: 'body',
};
const DEFINITIONS = new Set([
  'abstract_class_declaration',
  'ambient_declaration',
  'class_declaration',
  'enum_declaration',
  'function_declaration',
  'function_signature',
  'generator_function_declaration',
  'interface_declaration',
  'internal_module',
  'module',
  'type_alias_declaration',
]);
const FIELDS = new Set(['field_definition', 'public_field_definition']);
const FUNCTIONS: Readonly<Record<string, FunctionSpan['kind']>> = {
  abstract_class_declaration: 'class',
  class_declaration: 'class',
  class: 'class',
  arrow_function: 'function',
  function_declaration: 'function',
  function_expression: 'function',
  generator_function: 'function',
  generator_function_declaration: 'function',
  method_definition: 'method',
};
/** Places where a node of a statement's kind is part of a larger entity. */
const INSIDE_ENTITY = new Set(['export_statement', 'ambient_declaration']);
const BEFORE_DIRECTIVE = new Set(['comment', 'hash_bang_line', ':{']);
const BODY_FIELDS = new Set(['body', 'consequence']);

export const javascriptOutline: OutlineRules = {
  statement(tree, node) {
    const kind = tree.kind(node);
    const parent = tree.kind(tree.parent(node));
    if (INSIDE_ENTITY.has(parent) || tree.field(node) === 'initializer') return undefined;
    if (kind === 'import_statement' || kind === 'import_alias') return whole(tree, node, 'import');
    if (kind === 'export_statement') return exported(tree, node);
    if (SIMPLE.has(kind)) return simple(tree, node);
    if (Object.hasOwn(COMPOUND, kind)) return header(tree, node, 'statement', COMPOUND[kind]);
    if (kind === 'switch_case') return { kind: 'statement', start: tree.start(node), end: caseEnd(tree, node) };
    if (DEFINITIONS.has(kind)) return parent === 'expression_statement' ? undefined : header(tree, node, 'definition');
    if (parent !== 'class_body') return undefined;
    if (kind === 'method_definition') return header(tree, node, 'definition');
    if (FIELDS.has(kind)) return whole(tree, node, 'statement');
    return undefined;
  },
  function(tree, node) {
    const kind = tree.kind(node);
    if (!Object.hasOwn(FUNCTIONS, kind)) return undefined;
    const name = nameOf(tree, node);
    const declared = FUNCTIONS[kind] as FunctionSpan['kind'];
    return {
      name: name ?? '<anonymous>',
      kind: name === undefined && declared === 'function' ? 'lambda' : declared,
      start: decoratedStart(tree, node),
      end: tree.end(node),
    };
  },
  isBlock(tree, node) {
    const kind = tree.kind(node);
    if (kind === 'statement_block' || kind === 'class_body') return true;
    return kind === 'switch_body' || isImplicitBlock(tree, node, kind);
  },
  expressionBody(tree, node) {
    if (tree.kind(node) !== 'arrow_function') return -1;
    const body = childInField(tree, node, 'body');
    return body >= 0 && tree.kind(body) !== 'statement_block' ? body : -1;
  },
};

/** The lone statement of `if (x) y();`, `else y();`, `while (x) y();`. */
function isImplicitBlock(tree: FlatTree, node: number, kind: string): boolean {
  if (!kind.endsWith('_statement') && !kind.endsWith('_declaration')) return false;
  const parent = tree.kind(tree.parent(node));
  if (parent === 'else_clause') return true;
  if (!BODY_FIELDS.has(tree.field(node))) return false;
  return Object.hasOwn(COMPOUND, parent) || parent === 'do_statement';
}

function whole(tree: FlatTree, node: number, kind: StatementSpan['kind']) {
  return { kind, start: decoratedStart(tree, node), end: tree.end(node) };
}

function header(tree: FlatTree, node: number, kind: StatementSpan['kind'], field = 'body') {
  return { kind, start: decoratedStart(tree, node), end: headerEnd(tree, node, field) };
}

/** End of what stands before the body, comments not counted; all of it where there is no body. */
function headerEnd(tree: FlatTree, node: number, field: string): number {
  let end = tree.start(node);
  for (let child = node + 1; child < tree.next(node); child = tree.next(child)) {
    if (tree.field(child) === field) return end;
    if (tree.kind(child) !== 'comment') end = tree.end(child);
  }
  return tree.end(node);
}

function caseEnd(tree: FlatTree, node: number): number {
  for (let child = node + 1; child < tree.next(node); child = tree.next(child)) {
    if (tree.kind(child) === '::') return tree.end(child);
  }
  return tree.end(node);
}

function simple(tree: FlatTree, node: number) {
  const inner = node + 1 < tree.next(node) ? tree.kind(node + 1) : '';
  if (inner === 'internal_module') {
    return { kind: 'definition' as const, start: tree.start(node), end: headerEnd(tree, node + 1, 'body') };
  }
  return whole(tree, node, isDirective(tree, node) ? 'definition' : 'statement');
}

function exported(tree: FlatTree, node: number) {
  const declaration = childInField(tree, node, 'declaration');
  if (declaration >= 0 && DEFINITIONS.has(tree.kind(declaration))) {
    const end = headerEnd(tree, declaration, 'body');
    return { kind: 'definition' as const, start: tree.start(node), end };
  }
  const isReexport = declaration < 0 && childInField(tree, node, 'source') >= 0;
  return whole(tree, node, isReexport ? 'import' : 'statement');
}

/** `'use strict'` and its like: strings that open a program or a function body. */
function isDirective(tree: FlatTree, node: number): boolean {
  if (!isLoneString(tree, node)) return false;
  const parent = tree.parent(node);
  const isBody = tree.kind(parent) === 'program' || Object.hasOwn(FUNCTIONS, tree.kind(tree.parent(parent)));
  if (!isBody) return false;
  for (let before = siblingBefore(tree, node); before >= 0; before = siblingBefore(tree, before)) {
    if (!BEFORE_DIRECTIVE.has(tree.kind(before)) && !isLoneString(tree, before)) return false;
  }
  return true;
}

function isLoneString(tree: FlatTree, node: number): boolean {
  return tree.kind(node) === 'expression_statement' && tree.kind(node + 1) === 'string';
}

/** Decorators of a method stand before it as siblings; those of a class lie inside its node. */
function decoratedStart(tree: FlatTree, node: number): number {
  let start = tree.start(node);
  if (tree.kind(node) !== 'method_definition') return start;
  for (let before = siblingBefore(tree, node); before >= 0; before = siblingBefore(tree, before)) {
    const kind = tree.kind(before);
    if (kind === 'decorator') start = tree.start(before);
    else if (kind !== 'comment') break;
  }
  return start;
}

function nameOf(tree: FlatTree, node: number): string | undefined {
  const own = childInField(tree, node, 'name');
  if (own >= 0) return propertyName(tree, own);
  const parent = tree.parent(node);
  switch (tree.kind(parent)) {
    case 'variable_declarator':
    case 'public_field_definition':
      return namedBy(tree, parent, 'name');
    case 'field_definition':
      return namedBy(tree, parent, 'property');
    case 'pair':
      return namedBy(tree, parent, 'key');
    case 'assignment_expression':
      return assignedName(tree, childInField(tree, parent, 'left'));
    case 'export_statement':
      return 'default';
    default:
      return undefined;
  }
}

function namedBy(tree: FlatTree, node: number, field: string): string | undefined {
  const name = childInField(tree, node, field);
  return name < 0 ? undefined : propertyName(tree, name);
}

function assignedName(tree: FlatTree, left: number): string | undefined {
  if (left < 0) return undefined;
  if (tree.kind(left) === 'identifier') return textOf(tree, left);
  return tree.kind(left) === 'member_expression' ? namedBy(tree, left, 'property') : undefined;
}

function propertyName(tree: FlatTree, node: number): string | undefined {
  const text = textOf(tree, node);
  switch (tree.kind(node)) {
    case 'string':
      return text.slice(1, -1);
    case 'object_pattern':
    case 'array_pattern':
      return undefined;
    default:
      return text;
  }
}
