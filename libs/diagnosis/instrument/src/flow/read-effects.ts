// What expressions do to objects: stores, calls, iteration. Node kinds of the two grammars do not collide, so that one table serves Python, JavaScript and TypeScript.
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
  /** Offsets of what may run any other code: calls, iteration, `await`, `yield`, context managers. */
  readonly calls: number[];
  readonly yields: number[];
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

/** One pass over the tree; effects in source order. */
export function readEffects(root: PlainNode, text: string): Effects {
  const effects: Effects = { stores: [], touches: [], reads: [], deletes: [], calls: [], yields: [] };
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

const assign: Read = (reader, node) => store(reader, childIn(node, 'left'));
const update: Read = (reader, node) => {
  const target = childIn(node, 'left') ?? childIn(node, 'argument');
  const root = target && rootOf(reader, target);
  if (root?.exact && root.path !== root.name) reader.effects.reads.push(root);
  if (root && node.kind === 'augmented_assignment') reader.effects.touches.push(root); // `xs += ys` changes a list that others hold too
  store(reader, target);
};
const suspend: Read = (reader, node) => {
  reader.effects.calls.push(node.start);
  reader.effects.touches.push(...node.children.flatMap((child) => aliases(reader, child)));
};
const give: Read = (reader, node) => {
  reader.effects.yields.push(node.start);
  suspend(reader, node);
};
const iterate: Read = (reader, node) => {
  const over = childrenIn(node, 'right');
  reader.effects.calls.push(node.start);
  reader.effects.touches.push(...over.flatMap((each) => aliases(reader, each)));
  store(reader, childIn(node, 'left'));
};

const EFFECTS: Readonly<Record<string, Read>> = {
  assignment: assign,
  assignment_expression: assign,
  augmented_assignment: update,
  augmented_assignment_expression: update,
  update_expression: update,
  variable_declarator: (reader, node) => store(reader, childIn(node, 'name')),
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
  yield: give,
  yield_expression: give,
  list_splat: suspend,
  spread_element: suspend,
  with_item(reader, node) {
    const held = childIn(node, 'value');
    if (held === undefined) return;
    const isNamed = held.kind === 'as_pattern';
    const manager = isNamed ? held.children[0] : held;
    reader.effects.calls.push(node.start);
    if (manager) reader.effects.touches.push(...aliases(reader, manager));
    if (isNamed) store(reader, childIn(held, 'alias'));
  },
  delete_statement: (reader, node) => {
    for (const target of node.children) remove(reader, target);
  },
  unary_expression: (reader, node) => {
    if (node.children[0]?.kind === 'delete' && node.children[1]) store(reader, node.children[1]);
  },
};

/** The receiver and the arguments may be changed. */
function call(reader: Reader, node: PlainNode): void {
  reader.effects.calls.push(node.start);
  reader.effects.touches.push(...callRoots(reader, node));
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

/** Writes to attributes and items; plain names are the name table's. */
function store(reader: Reader, target: PlainNode | undefined): void {
  if (target === undefined) return;
  const node = unwrap(target);
  const field = OBJECT_FIELD[node.kind];
  if (field === undefined) {
    for (const part of targetParts(node)) store(reader, part);
    return;
  }
  reader.targets.add(node);
  const written = rootOf(reader, node);
  const object = childIn(node, field);
  const holder = object === undefined ? undefined : rootOf(reader, object);
  if (written?.exact) reader.effects.stores.push(written);
  else if (holder?.exact) reader.effects.stores.push({ ...holder, path: `${holder.path}[]` });
  else if (object !== undefined) reader.effects.touches.push(...aliases(reader, object));
}

function remove(reader: Reader, target: PlainNode): void {
  if (target.kind === 'identifier') {
    const root = rootOf(reader, target);
    if (root) reader.effects.deletes.push(root);
  } else if (Object.hasOwn(OBJECT_FIELD, target.kind)) store(reader, target);
  else for (const part of target.children) remove(reader, part);
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
