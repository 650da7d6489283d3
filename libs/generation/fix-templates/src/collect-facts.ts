// What one file shows: its literals, member accesses, keys and identifiers. One walk over the copied tree.
import type { FunctionSpan, Outline } from '@h/syntax';
import { childIn, type OffsetRange, type TreeNode } from './copy-tree.ts';
import type { Grammar } from './languages/grammar.ts';
import { nearestTexts } from './nearest-texts.ts';

/** A literal as the file writes it. */
export interface SeenLiteral {
  text: string;
  start: number;
  /** It is a key of a dictionary, or an index. */
  isKey: boolean;
  /** In the function around the place that asks. */
  isNear: boolean;
}

/** `object.property` somewhere in the file. */
export interface SeenMember {
  object: string;
  property: string;
  isCalled: boolean;
  /** It is assigned there. */
  isWritten: boolean;
  start: number;
}

/** Each name once, in source order. */
export interface SeenMemberNames {
  /** Of the same object: its class for `self` and `this`, else wherever the file writes the object like this. */
  readonly own: readonly string[];
  /** Those of `own` that are assigned and read nowhere: perhaps what was meant. */
  readonly unread: ReadonlySet<string>;
  /** Of other objects. */
  readonly other: readonly string[];
  /** Keys of object literals of the file; none for members that are called. */
  readonly keys: readonly string[];
}

export interface Facts {
  numbers: SeenLiteral[];
  strings: SeenLiteral[];
  members: SeenMember[];
  keys: string[];
  /** Identifiers by their start. */
  identifiers: Map<number, TreeNode>;
}

/** Longer literals are data, not constants that are mistaken for one another. */
const MAX_LITERAL_LENGTH = 60;
const MAX_OBJECT_LENGTH = 40;
const MAX_LITERALS_LOOKED_AT = 200;

/** Collects the facts of a file in source order; frozen parts (types, imports) are left out. */
export function collectFacts(root: TreeNode, source: string, grammar: Grammar): Facts {
  const facts: Facts = { numbers: [], strings: [], members: [], keys: [], identifiers: new Map() };
  const keys = new Set<string>();
  const stack: TreeNode[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    addFact(facts, keys, node, source, grammar);
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index] as TreeNode;
      if (child.named && !grammar.isFrozen(child)) stack.push(child);
    }
  }
  facts.keys = [...keys];
  return facts;
}

function addFact(facts: Facts, keys: Set<string>, node: TreeNode, source: string, grammar: Grammar): void {
  const textOf = ({ start, end }: TreeNode) => source.slice(start, end);
  if (/identifier/.test(node.type)) {
    facts.identifiers.set(node.start, node);
    return;
  }
  if (node.type === 'pair') addKey(keys, node, textOf);
  const member = grammar.member(node);
  if (member) addMember(facts, node, textOf(member.property), member.object, textOf);
  const kind = grammar.literal(node, source);
  if (kind === undefined || node.end - node.start > MAX_LITERAL_LENGTH) return;
  const seen = { text: textOf(node), start: node.start, isKey: grammar.isKey(node), isNear: false };
  if (kind === 'number') facts.numbers.push(seen);
  if (kind === 'string' && grammar.isPlainString(node) && !/[\r\n]/.test(seen.text)) facts.strings.push(seen);
}

function addKey(keys: Set<string>, pair: TreeNode, textOf: (node: TreeNode) => string): void {
  const key = childIn(pair, 'key');
  if (key?.type === 'property_identifier') keys.add(textOf(key));
}

function addMember(
  facts: Facts,
  node: TreeNode,
  property: string,
  object: TreeNode,
  textOf: (node: TreeNode) => string,
): void {
  if (object.end - object.start > MAX_OBJECT_LENGTH) return;
  const isCalled = node.field === 'function';
  const isWritten = node.field === 'left' && /assignment/.test(node.parent?.type ?? '');
  facts.members.push({ object: textOf(object), property, isCalled, isWritten, start: node.start });
}

/** Distinct literals around an offset: those inside the function first, then nearest in the row of all. Looks at a bounded number. */
export function nearestLiterals(
  literals: readonly SeenLiteral[],
  offset: number,
  around: OffsetRange | undefined,
): SeenLiteral[] {
  const { near, far } = nearestTexts(literals, { offset, around, limit: MAX_LITERALS_LOOKED_AT });
  return [...near.map((literal) => ({ ...literal, isNear: true })), ...far];
}

/** Other objects' names kept for a file; more say nothing. */
const MAX_OTHER = 300;
const RECEIVERS = new Set(['self', 'cls', 'this']);

/** Lists member names of one file for places at an offset; answers are kept. */
export function listMembers(
  { members, keys }: Facts,
  outline: Outline,
): (object: string, isCalled: boolean, offset: number) => SeenMemberNames {
  const byObject = new Map<string, SeenMember[]>();
  for (const member of members) {
    const list = byObject.get(member.object);
    if (list) list.push(member);
    else byObject.set(member.object, [member]);
  }
  const others = [true, false].map((isCalled) =>
    distinct(namesOf(members, isCalled).filter((name) => !name.startsWith('#'))),
  );
  const known = new Map<string, SeenMemberNames>();
  return (object, isCalled, offset) => {
    const around = RECEIVERS.has(object) ? classAround(outline.functions, offset) : undefined;
    const key = `${isCalled}:${around?.start}:${object}`;
    let found = known.get(key);
    if (found) return found;
    const own = (byObject.get(object) ?? []).filter(({ start }) => !around || within(around, start));
    const methods = around && isCalled ? methodsOf(outline.functions, around) : [];
    const other = (others[isCalled ? 0 : 1] ?? []).slice(0, MAX_OTHER);
    const read = new Set(members.filter(({ isWritten }) => !isWritten).map(({ property }) => property));
    found = {
      own: distinct([...namesOf(own, isCalled), ...methods]),
      unread: new Set(isCalled ? [] : namesOf(own, false).filter((name) => !read.has(name))),
      other,
      keys: isCalled ? [] : keys,
    };
    known.set(key, found);
    return found;
  };
}

function namesOf(members: readonly SeenMember[], isCalled: boolean): string[] {
  return members.filter((member) => member.isCalled === isCalled).map(({ property }) => property);
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}

function classAround(functions: readonly FunctionSpan[], offset: number): FunctionSpan | undefined {
  return functions.findLast((candidate) => candidate.kind === 'class' && within(candidate, offset));
}

function within({ start, end }: FunctionSpan, offset: number): boolean {
  return start <= offset && offset < end;
}

/** Methods that the class defines, without constructors and other names the language calls. */
function methodsOf(functions: readonly FunctionSpan[], owner: FunctionSpan): string[] {
  const index = functions.indexOf(owner);
  return functions
    .filter(({ parent, kind }) => parent === index && kind !== 'class')
    .map(({ name }) => name)
    .filter((name) => name !== 'constructor' && /^[\p{L}_$#][\p{L}\p{N}_$]*$/u.test(name) && !/^__.*__$/.test(name));
}
