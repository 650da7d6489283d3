// What decides that a statement runs: the branch around it, and branches before it that may have left its block.
import type { Outline } from '@h/syntax';
import type { PlacedNames } from './place-names.ts';
import { childIn, type PlainNode } from './plain-tree.ts';

export interface Control {
  /** Statements, ascending: the one of them that ran last in the frame decided; none ran: the function's entry did. */
  readonly controllers: readonly number[];
  /** In an exception handler: the statements that may have raised. */
  readonly guarded: readonly number[];
  /** In an exception handler: the names it binds. */
  readonly caught: readonly string[];
}

const LOOPS = new Set(['for_statement', 'for_in_statement', 'while_statement', 'do_statement']);
const FUNCTIONS = new Set([
  'function_definition',
  'class_definition',
  'lambda',
  'arrow_function',
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'method_definition',
  'class_declaration',
  'abstract_class_declaration',
  'class',
]);
const LEAVES = new Set([
  'return_statement',
  'raise_statement',
  'throw_statement',
  'break_statement',
  'continue_statement',
]);
const LISTS = new Set(['block', 'module', 'program', 'statement_block', 'switch_case', 'switch_default']);

/** Control of every statement, by index. Lexical: what an exception or a generator's caller decides beyond that is not seen. */
export function findControllers(tree: PlainNode, outline: Outline, placed: PlacedNames): Control[] {
  const reader: Reader = { placed, controls: [], jumps: new Map(), outline };
  visit(reader, tree);
  return outline.statements.map((_, index) => {
    const { controllers, guarded, caught } = reader.controls[index] ?? emptyDraft();
    controllers.delete(index);
    return {
      controllers: [...controllers].sort(byNumber),
      guarded: [...guarded].sort(byNumber),
      caught: [...caught].sort(),
    };
  });
}

interface Reader {
  readonly placed: PlacedNames;
  readonly outline: Outline;
  readonly controls: (Draft | undefined)[];
  /** Per node that was looked into: jumps in it that may leave it. */
  readonly jumps: Map<PlainNode, Jump[]>;
}

interface Draft {
  readonly controllers: Set<number>;
  readonly guarded: Set<number>;
  readonly caught: Set<string>;
}

function emptyDraft(): Draft {
  return { controllers: new Set(), guarded: new Set(), caught: new Set() };
}

/** A statement that leaves its block; `over` is the loop or switch it ends, absent where it leaves the function. */
interface Jump {
  readonly node: PlainNode;
  readonly over: PlainNode | undefined;
}

function visit(reader: Reader, root: PlainNode): void {
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const index = statementOf(reader, node);
    if (index !== undefined && reader.controls[index] === undefined) reader.controls[index] = controlOf(reader, node);
    stack.push(...node.children);
  }
}

/** The statement that a node is: its span starts there, and nothing outside the node does. */
function statementOf({ placed, outline }: Reader, node: PlainNode): number | undefined {
  const index = placed.statementFrom(node.start);
  return index !== undefined && outline.statements[index]?.node === node.kind ? index : undefined;
}

function controlOf(reader: Reader, node: PlainNode): Draft {
  const { controllers, guarded, caught } = emptyDraft();
  if (LOOPS.has(node.kind))
    for (const jump of node.children.flatMap((child) => leaving(reader, child)))
      if (jump.over !== node || jump.node.kind === 'break_statement') addHeaders(reader, jump.node, node, controllers);
  for (let inner = node, outer = node.parent; outer !== undefined; inner = outer, outer = outer.parent) {
    if (FUNCTIONS.has(outer.kind)) break;
    if (LISTS.has(outer.kind)) addGuards(reader, outer, inner, controllers);
    const headers = headersOver(outer, inner);
    for (const header of headers) add(reader, header, controllers);
    if (headers.length > 0) break;
    if (!isHandler(outer, inner)) continue;
    for (const index of guardedBy(reader, outer)) guarded.add(index);
    for (const { name, kind, start } of reader.placed.definitions)
      if (kind === 'exception' && inner.start <= start && start < inner.end) caught.add(name);
  }
  return { controllers, guarded, caught };
}

/** Branches in the statements before `inner` that may have left the list. */
function addGuards(reader: Reader, list: PlainNode, inner: PlainNode, into: Set<number>): void {
  for (const before of list.children) {
    if (before === inner) return;
    for (const { node, over } of leaving(reader, before))
      if (over === undefined || isInside(list, over)) addHeaders(reader, node, before, into);
  }
}

/** Every header that decides over a jump, up to and with `limit`: that the jump was not even reached counts too. */
function addHeaders(reader: Reader, jump: PlainNode, limit: PlainNode, into: Set<number>): void {
  for (let inner = jump; inner !== limit && inner.parent !== undefined; inner = inner.parent)
    for (const header of headersOver(inner.parent, inner)) add(reader, header, into);
}

/** Jumps in a node that may leave it, those of functions inside it left out. */
function leaving(reader: Reader, root: PlainNode): Jump[] {
  const known = reader.jumps.get(root);
  if (known) return known;
  const found: Jump[] = [];
  if (LEAVES.has(root.kind)) found.push({ node: root, over: jumpTarget(root) });
  else if (!FUNCTIONS.has(root.kind))
    for (const child of root.children)
      for (const jump of leaving(reader, child)) if (jump.over === undefined || jump.over !== root) found.push(jump);
  reader.jumps.set(root, found);
  return found;
}

/** The loop or switch that a `break` or `continue` ends; labels reach further, so that they count as leaving the function. */
function jumpTarget(jump: PlainNode): PlainNode | undefined {
  if (jump.kind !== 'break_statement' && jump.kind !== 'continue_statement') return undefined;
  if (childIn(jump, 'label')) return undefined;
  for (let node = jump.parent; node !== undefined && !FUNCTIONS.has(node.kind); node = node.parent)
    if (LOOPS.has(node.kind) || (node.kind === 'switch_statement' && jump.kind === 'break_statement')) return node;
  return undefined;
}

/** The headers of `outer` that decide whether its part `inner` runs. */
function headersOver(outer: PlainNode, inner: PlainNode): PlainNode[] {
  switch (outer.kind) {
    case 'if_statement':
      return inner.field === 'condition' ? [] : [outer, ...elifsBefore(outer, inner)];
    case 'elif_clause':
      return inner.field === 'consequence' ? [outer] : [];
    case 'while_statement':
    case 'do_statement':
    case 'for_statement':
    case 'for_in_statement':
      return inner.field === 'body' || inner.kind === 'else_clause' ? [outer] : [];
    case 'match_statement':
    case 'switch_statement':
      return inner.field === 'body' ? [outer] : [];
    default:
      return [];
  }
}

function elifsBefore(outer: PlainNode, inner: PlainNode): PlainNode[] {
  const at = outer.children.indexOf(inner);
  return outer.children.slice(0, at).filter(({ kind }) => kind === 'elif_clause');
}

function isHandler(outer: PlainNode, inner: PlainNode): boolean {
  return outer.kind === 'try_statement' && /^(?:except|catch)/.test(inner.kind);
}

/** The statements of the block that a `try` guards. */
function guardedBy({ outline }: Reader, outer: PlainNode): number[] {
  const body = childIn(outer, 'body');
  if (body === undefined) return [];
  return outline.statements.flatMap(({ start }, index) => (body.start <= start && start < body.end ? [index] : []));
}

function add(reader: Reader, header: PlainNode, into: Set<number>): void {
  const index = statementOf(reader, header);
  if (index !== undefined) into.add(index);
}

function isInside(node: PlainNode, outer: PlainNode): boolean {
  return outer.start <= node.start && node.end <= outer.end;
}

function byNumber(a: number, b: number): number {
  return a - b;
}
