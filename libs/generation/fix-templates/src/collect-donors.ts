// Code of a file that could be meant elsewhere in it: conditions, guards, statements, values and calls, with the names that they need.
import type { NameTable } from '@h/syntax';
import { childIn, namedChildren, type OffsetRange, type TreeNode } from './copy-tree.ts';
import type { Grammar } from './languages/grammar.ts';
import { nearestTexts } from './nearest-texts.ts';

export type DonorKind = 'condition' | 'guard' | 'statement' | 'value';

/** Where a piece reads a name that the file defines. */
export interface Read {
  readonly name: string;
  /** UTF-16 offset in the piece. */
  readonly at: number;
  /** `{ name }`: it is the key, too. */
  readonly isKey: boolean;
}

/** A piece of code on one line. */
export interface Donor {
  readonly text: string;
  readonly start: number;
  /** In source order. */
  readonly reads: readonly Read[];
  /** Names that it binds itself. */
  readonly bound: ReadonlySet<string>;
  /** Names it needs that the file defines, each once; of a guard with those of what it does. */
  readonly names: readonly string[];
  /** Node type. */
  readonly type: string;
  /** What a guard does where the condition holds. */
  readonly guard?: { readonly exit: Donor; readonly jump: string };
}

/** A call somewhere in the file. */
export interface SeenCall {
  readonly callee: string;
  readonly start: number;
  readonly positional: readonly Donor[];
  /** `name=value` of Python. */
  readonly keywords: readonly Donor[];
}

export interface Donors {
  readonly pieces: Readonly<Record<DonorKind, readonly Donor[]>>;
  readonly calls: ReadonlyMap<string, readonly SeenCall[]>;
  /** Names of error classes that are raised or caught, in source order. */
  readonly errors: readonly string[];
}

const MAX_LENGTH: Readonly<Record<DonorKind, number>> = { condition: 70, guard: 90, statement: 90, value: 50 };
const MAX_PIECES = 3_000;
const MAX_CALLEE = 40;
const MAX_NAMES = 6;

/** Starts of identifiers. */
interface DefinedNames {
  /** Of names that are read and that the file defines. */
  readonly read: ReadonlySet<number>;
  readonly bound: ReadonlySet<number>;
}

/** Walks a file once. */
export function collectDonors(root: TreeNode, source: string, grammar: Grammar, names: NameTable): Donors {
  const defined: DefinedNames = {
    read: new Set(names.uses.flatMap(({ start, definition }) => (definition === undefined ? [] : [start]))),
    bound: new Set(names.definitions.map(({ start }) => start)),
  };
  const pieces: Record<DonorKind, Donor[]> = { condition: [], guard: [], statement: [], value: [] };
  const calls = new Map<string, SeenCall[]>();
  const errors = new Set<string>();
  const text = ({ start, end }: TreeNode) => source.slice(start, end);
  const donorOf = (node: TreeNode, limit: number): Donor | undefined => {
    const own = text(node);
    if (own.length > limit || /[\r\n]/.test(own)) return undefined;
    const found = readsIn(node, source, defined);
    const needed = [...new Set(found?.reads.map(({ name }) => name))];
    return found === undefined || needed.length > MAX_NAMES
      ? undefined
      : { text: own, start: node.start, ...found, names: needed, type: node.type };
  };
  const add = (kind: DonorKind, node: TreeNode, more: Partial<Donor> = {}) => {
    const donor = pieces[kind].length < MAX_PIECES ? donorOf(node, MAX_LENGTH[kind]) : undefined;
    if (donor) pieces[kind].push({ ...donor, ...more });
  };
  const stack: TreeNode[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index] as TreeNode;
      if (child.named) stack.push(child);
    }
    const error = errorClass(node);
    if (error) errors.add(text(error));
    if (!node.named || grammar.isFrozen(node)) continue;
    if (grammar.isCondition(node)) for (const part of partsOf(node, grammar)) add('condition', part);
    if (isStatement(node, grammar)) add('statement', node);
    if (isValue(node, grammar)) add('value', node);
    const guard = guardOf(node, grammar, text);
    if (guard && guard.exit.length < MAX_LENGTH.guard) {
      const donor = donorOf(guard.node, MAX_LENGTH.condition);
      const exit = donorOf(guard.body, MAX_LENGTH.guard);
      if (donor && exit && pieces.guard.length < MAX_PIECES)
        pieces.guard.push({
          ...donor,
          names: [...new Set([...donor.names, ...exit.names])],
          guard: { exit: { ...exit, text: guard.exit }, jump: guard.jump },
        });
    }
    addCall(calls, node, grammar, text, donorOf);
  }
  for (const list of Object.values(pieces)) list.sort((left, right) => left.start - right.start);
  return { pieces, calls, errors: [...errors] };
}

/** A condition and, where it joins several, each of them. */
function partsOf(node: TreeNode, grammar: Grammar): TreeNode[] {
  const operation = grammar.operation(node);
  const [token] = operation?.operators ?? [];
  if (!operation || !token || grammar.operators.get(token.type)?.family !== 'boolean') return [node];
  return operation.operands.flatMap((operand) => partsOf(operand, grammar));
}

function isStatement(node: TreeNode, { statements }: Grammar): boolean {
  return node.type === 'expression_statement' && statements.isMovable(node);
}

function isValue(node: TreeNode, grammar: Grammar): boolean {
  const { parent, field } = node;
  if (!parent || /^(function|constructor|left|key|name|property|attribute|operator)$/.test(field)) return false;
  if (parent.type === 'expression_statement' || node.type === 'new_expression') return false;
  return (
    grammar.call(node) !== undefined ||
    grammar.member(node) !== undefined ||
    grammar.subscript(node) !== undefined ||
    grammar.operation(node) !== undefined
  );
}

function guardOf(node: TreeNode, { statements }: Grammar, text: (node: TreeNode) => string) {
  const branch = statements.plainBranch(node);
  if (!branch) return undefined;
  const [only, ...more] = statements.isList(branch.body) ? namedChildren(branch.body) : [branch.body];
  const jump = only && statements.jump(only);
  if (!only || more.length > 0 || !jump) return undefined;
  const inner = branch.condition.type === 'parenthesized_expression' ? namedChildren(branch.condition)[0] : undefined;
  return { node: inner ?? branch.condition, body: only, exit: text(only).replace(/;$/, ''), jump };
}

function addCall(
  calls: Map<string, SeenCall[]>,
  node: TreeNode,
  grammar: Grammar,
  text: (node: TreeNode) => string,
  donorOf: (node: TreeNode, limit: number) => Donor | undefined,
): void {
  const call = grammar.call(node);
  if (!call || call.callee.end - call.callee.start > MAX_CALLEE) return;
  const callee = text(call.callee);
  const list = childIn(node, 'arguments');
  const donors = (nodes: readonly TreeNode[]) => nodes.flatMap((one) => donorOf(one, MAX_LENGTH.value) ?? []);
  const seen: SeenCall = {
    callee,
    start: node.start,
    positional: donors(call.positional),
    keywords: donors(list?.children.filter(({ type }) => type === 'keyword_argument') ?? []),
  };
  const others = calls.get(callee);
  if (others) others.push(seen);
  else calls.set(callee, [seen]);
}

/** The class in `raise E(…)`, `raise E`, `throw new E(…)`, `except E`, `except E as e`. */
function errorClass(node: TreeNode): TreeNode | undefined {
  const [first] = namedChildren(node);
  if (!first || !/^(except_clause|raise_statement|throw_statement)$/.test(node.type)) return undefined;
  if (node.type === 'except_clause') {
    const caught = first.type === 'as_pattern' ? namedChildren(first)[0] : first;
    return caught?.type === 'identifier' ? caught : undefined;
  }
  const callee = childIn(first, 'function') ?? childIn(first, 'constructor');
  return callee?.type === 'identifier' ? callee : undefined;
}

/** What only some functions and classes may have. */
const BOUND =
  /^(await|yield|super|private_property|meta_property|named_expression|internal_module|namespace|class|function_decl|generator_function_decl)/;

/** Names that something in the file defines; attributes, keywords and builtins are none. `undefined` for what cannot stand everywhere. */
function readsIn(root: TreeNode, source: string, names: DefinedNames): Pick<Donor, 'reads' | 'bound'> | undefined {
  const reads: Read[] = [];
  const bound = new Set<string>();
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (BOUND.test(node.type)) return undefined;
    if (node.type.includes('identifier')) {
      const name = source.slice(node.start, node.end);
      if (names.bound.has(node.start)) bound.add(name);
      if (names.read.has(node.start))
        reads.push({ name, at: node.start - root.start, isKey: node.type === 'shorthand_property_identifier' });
    }
    stack.push(...node.children);
  }
  return { reads: reads.sort((left, right) => left.at - right.at), bound };
}

const MAX_LOOKED_AT = 120;

/** Pieces around an offset, each text once: nearest first, those of a range before others. */
export function nearestDonors(pieces: readonly Donor[], offset: number, around: OffsetRange | undefined): Donor[] {
  const { near, far } = nearestTexts(pieces, { offset, around, limit: MAX_LOOKED_AT });
  return [...near, ...far];
}
