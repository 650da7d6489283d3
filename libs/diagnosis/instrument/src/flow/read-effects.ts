// What expressions do to objects: stores, calls, and which names may stand for the same object afterwards. Node kinds of the two
// grammars do not collide, so that one table serves Python, JavaScript and TypeScript.
import { childIn, childrenIn, eachNode, type PlainNode } from './plain-tree.ts';

/** A name with the attributes behind it, as far as the text says them: `self.rows[i].id` has the path `self.rows`. */
export interface Root {
  readonly name: string;
  /** UTF-16 offset of the name. */
  readonly offset: number;
  readonly path: string;
  /** The path is the whole expression. */
  readonly exact: boolean;
}

export interface Effects {
  /** Attributes surely written. */
  readonly stores: Root[];
  /** Objects that may have been changed. */
  readonly touches: Root[];
  /** Attributes read. */
  readonly reads: Root[];
  /** Names unbound. */
  readonly deletes: Root[];
  /** Roots that may stand for one object, or one inside the other. */
  readonly links: Root[][];
  /** Offsets of what may run any other code: calls, iteration, `await`, `yield`, context managers. */
  readonly calls: number[];
}

const OBJECT_FIELD: Readonly<Record<string, string>> = {
  attribute: 'object',
  member_expression: 'object',
  subscript: 'value',
  subscript_expression: 'object',
};
const NAME_FIELD: Readonly<Record<string, string>> = { attribute: 'attribute', member_expression: 'property' };
const NAMES = new Set(['identifier', 'shorthand_property_identifier', 'shorthand_property_identifier_pattern']);
const WRAPPERS = new Set([
  'parenthesized_expression',
  'non_null_expression',
  'as_expression',
  'satisfies_expression',
  'type_assertion',
]);
const CALLS = new Set(['call', 'call_expression', 'new_expression']);
/** Their value is never an object that the names in them stand for. */
const OPAQUE = new Set([
  'comparison_operator',
  'not_operator',
  'unary_operator',
  'unary_expression',
  'update_expression',
  'string',
  'concatenated_string',
  'template_string',
  'lambda',
  'arrow_function',
  'function_expression',
  'generator_function',
  'class',
  'type',
  'type_annotation',
  'type_arguments',
  'if_clause',
]);
const PASSES_OPERAND = new Set(['||', '&&', '??']);
/** What they assign may be, or hold, the right operand: JavaScript's logical ones, and those of Python's containers. */
const PASSES_ON = new Set(['||=', '&&=', '??=', '|=', '&=', '^=', '+=']);

/** One pass over the tree; effects in source order. */
export function readEffects(root: PlainNode, text: string): Effects {
  const effects: Effects = { stores: [], touches: [], reads: [], deletes: [], links: [], calls: [] };
  const reader: Reader = { text, effects, targets: new Set() };
  for (const node of eachNode(root)) {
    if (Object.hasOwn(NAME_FIELD, node.kind) && !reader.targets.has(node)) {
      const read = rootOf(reader, node);
      if (read?.exact) effects.reads.push(read);
    }
    EFFECTS[node.kind]?.(reader, node);
  }
  return effects;
}

interface Reader {
  readonly text: string;
  readonly effects: Effects;
  /** Attributes that are written, not read. */
  readonly targets: Set<PlainNode>;
}

type Read = (reader: Reader, node: PlainNode) => void;

const assign: Read = (reader, node) => bind(reader, childIn(node, 'left'), childIn(node, 'right'));
const update: Read = (reader, node) => {
  const left = childIn(node, 'left');
  const operator = childIn(node, 'operator')?.kind ?? '';
  if (left === undefined) return;
  const name = node.kind === 'augmented_assignment' ? rootOf(reader, left) : undefined;
  if (name !== undefined) reader.effects.touches.push(name); // Python's `xs += ys` changes a list that others hold too
  bind(reader, left, PASSES_ON.has(operator) ? childIn(node, 'right') : undefined);
};
const suspend: Read = (reader, node) => {
  reader.effects.calls.push(node.start);
  reader.effects.touches.push(...node.children.flatMap((child) => aliases(reader, child)));
};
const iterate: Read = (reader, node) => {
  const over = childrenIn(node, 'right');
  reader.effects.calls.push(node.start);
  reader.effects.touches.push(...over.flatMap((each) => aliases(reader, each)));
  for (const each of over) bind(reader, childIn(node, 'left'), each);
};
const declare: Read = (reader, node) => bind(reader, childIn(node, 'name'), childIn(node, 'value'));

const EFFECTS: Readonly<Record<string, Read>> = {
  assignment: assign,
  assignment_expression: assign,
  augmented_assignment: update,
  augmented_assignment_expression: update,
  update_expression: (reader, node) => bind(reader, childIn(node, 'argument'), undefined),
  named_expression: declare,
  variable_declarator: declare,
  for_statement: (reader, node) => {
    if (childIn(node, 'left')) iterate(reader, node); // JavaScript's own has an initializer
  },
  for_in_statement: iterate,
  for_in_clause: iterate,
  call,
  call_expression: call,
  new_expression: call,
  decorator: (reader, node) => void reader.effects.calls.push(node.start),
  await: suspend,
  await_expression: suspend,
  yield: suspend,
  yield_expression: suspend,
  list_splat: suspend,
  spread_element: suspend,
  with_item(reader, node) {
    const held = childIn(node, 'value');
    if (held === undefined) return;
    const isNamed = held.kind === 'as_pattern';
    const manager = isNamed ? held.children[0] : held;
    reader.effects.calls.push(node.start);
    if (manager) reader.effects.touches.push(...aliases(reader, manager));
    if (isNamed) bind(reader, childIn(held, 'alias'), manager);
  },
  delete_statement: (reader, node) => {
    for (const target of node.children) remove(reader, target);
  },
  unary_expression: (reader, node) => {
    if (node.children[0]?.kind === 'delete' && node.children[1]) store(reader, node.children[1]);
  },
};

/** The receiver and the arguments may be changed, and the value may be any of them, or hold it. */
function call(reader: Reader, node: PlainNode): void {
  const involved = callRoots(reader, node);
  reader.effects.calls.push(node.start);
  reader.effects.touches.push(...involved);
  if (involved.length > 1) reader.effects.links.push(involved);
}

function callRoots(reader: Reader, node: PlainNode): Root[] {
  const callee = childIn(node, 'function') ?? childIn(node, 'constructor');
  const given = childIn(node, 'arguments');
  const inner = given?.kind === 'template_string' ? given.children.flatMap((child) => child.children) : given?.children;
  const passed = (inner ?? []).flatMap((child) => aliases(reader, child));
  if (callee === undefined) return passed;
  if (textOf(reader, callee) === 'super')
    return [{ name: 'super', offset: callee.start, path: 'super', exact: true }, ...passed];
  const holder = unwrap(callee);
  const field = OBJECT_FIELD[holder.kind];
  const receiver = field === undefined ? undefined : childIn(holder, field);
  if (receiver !== undefined) return [...aliases(reader, receiver), ...passed];
  return CALLS.has(holder.kind) ? [...callRoots(reader, holder), ...passed] : passed;
}

/** Binds the targets in `left` to what `right` may stand for. */
function bind(reader: Reader, left: PlainNode | undefined, right: PlainNode | undefined): void {
  if (left === undefined) return;
  store(reader, left);
  const from = right === undefined ? [] : aliases(reader, right);
  if (from.length > 0) reader.effects.links.push([...targets(reader, left), ...from]);
}

/** Writes to attributes and items; plain names are the name table's. */
function store(reader: Reader, target: PlainNode): void {
  const node = unwrap(target);
  const field = OBJECT_FIELD[node.kind];
  if (field === undefined) {
    for (const part of targetParts(node)) store(reader, part);
    return;
  }
  reader.targets.add(node);
  const written = rootOf(reader, node);
  const object = childIn(node, field);
  if (written?.exact) reader.effects.stores.push(written);
  if (object !== undefined) reader.effects.touches.push(...aliases(reader, object));
}

function remove(reader: Reader, target: PlainNode): void {
  if (target.kind === 'identifier') {
    const root = rootOf(reader, target);
    if (root) reader.effects.deletes.push(root);
  } else if (Object.hasOwn(OBJECT_FIELD, target.kind)) store(reader, target);
  else for (const part of target.children) remove(reader, part);
}

function targets(reader: Reader, target: PlainNode): Root[] {
  const node = unwrap(target);
  const root = rootOf(reader, node);
  return root === undefined ? targetParts(node).flatMap((part) => targets(reader, part)) : [root];
}

/** The parts of a pattern that bind: no keys, no defaults. */
function targetParts(node: PlainNode): readonly PlainNode[] {
  if (node.kind === 'pair_pattern') return childrenIn(node, 'value');
  if (node.kind === 'assignment_pattern' || node.kind === 'object_assignment_pattern') return childrenIn(node, 'left');
  return node.children;
}

/** The names whose object, or an object inside it, an expression may give. */
function aliases(reader: Reader, expression: PlainNode): Root[] {
  const node = unwrap(expression);
  if (OPAQUE.has(node.kind)) return [];
  const root = rootOf(reader, node);
  if (root !== undefined) return [root];
  if (CALLS.has(node.kind)) return callRoots(reader, node);
  const field = OBJECT_FIELD[node.kind];
  if (field !== undefined) return childrenIn(node, field).flatMap((object) => aliases(reader, object));
  if (node.kind === 'keyword_argument' || node.kind === 'pair')
    return childrenIn(node, 'value').flatMap((value) => aliases(reader, value));
  if (node.kind === 'binary_expression' && !PASSES_OPERAND.has(childIn(node, 'operator')?.kind ?? '')) return [];
  return node.children.flatMap((child) => aliases(reader, child));
}

function rootOf(reader: Reader, expression: PlainNode): Root | undefined {
  const node = unwrap(expression);
  if (NAMES.has(node.kind) || node.kind === 'this') {
    const name = textOf(reader, node);
    return { name, offset: node.start, path: name, exact: true };
  }
  if (node.kind === 'super') return { name: 'this', offset: node.start, path: 'this', exact: true };
  const field = OBJECT_FIELD[node.kind];
  const object = field === undefined ? undefined : childIn(node, field);
  const base = object === undefined ? undefined : rootOf(reader, object);
  if (base === undefined) return undefined;
  const name = childIn(node, NAME_FIELD[node.kind] ?? '');
  if (!base.exact || name === undefined) return { ...base, exact: false };
  return { ...base, path: `${base.path}.${textOf(reader, name)}` };
}

function unwrap(node: PlainNode): PlainNode {
  let current = node;
  while (WRAPPERS.has(current.kind)) {
    const inner = current.children.find(({ kind }) => kind !== '(' && kind !== 'type_arguments');
    if (inner === undefined) return current;
    current = inner;
  }
  return current;
}

function textOf({ text }: Reader, { start, end }: PlainNode): string {
  return text.slice(start, end);
}
