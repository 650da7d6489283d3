// Which names of a program may be read at a place without running any code of it: only what the file itself binds, and
// guarded where the binding may not be initialised yet.
import { type EsNode, FUNCTIONS, isNode, isTypeOnly, LOOPS } from './inject-statements.ts';

/** How a name may be read at a place: as it stands, behind a function that may throw, or not at all. */
export type Reading = 'plain' | 'guarded' | 'never';

export interface Scope {
  readonly parent: Scope | undefined;
  readonly start: number;
  /** `var` declarations end here. */
  readonly isFunction: boolean;
  /** A function declaration: it exists from the start of the scope around it. */
  readonly isHoisted: boolean;
  /** Its `case`s may be entered past a declaration. */
  readonly isSwitch: boolean;
  /** `this` belongs to it. */
  readonly hasThis: boolean;
  /** TypeScript allows no `this` of what is around it. */
  readonly isNamespace: boolean;
  readonly bindings: Map<string, Binding>;
}

interface Binding {
  /** Initialised once the program has passed this offset; `Infinity`: unknown. */
  readonly ready: number;
  /** Initialised wherever it is visible after `ready`, also when read from a hoisted function. */
  readonly sure: boolean;
  readonly readable: boolean;
}

export interface BoundProgram {
  /** Scope that a node opens. */
  readonly scopes: ReadonlyMap<EsNode, Scope>;
  /** Names that some expression of the program reads: to read another import would load what the program does not. */
  readonly used: ReadonlySet<string>;
}

interface Walk {
  readonly scopes: Map<EsNode, Scope>;
  readonly used: Set<string>;
}

const SURE: Binding = { ready: 0, sure: true, readable: true };
const GUARDED: Binding = { ready: Number.POSITIVE_INFINITY, sure: false, readable: true };
const NEVER: Binding = { ready: 0, sure: true, readable: false };
/** Words that do not mean the same in every function; `arguments` may not even be the same object. */
const UNREADABLE = new Set(['arguments', 'await', 'yield', 'eval', 'let', 'static', 'undefined']);

/** Finds the scopes of a program and what each binds. */
export function bindScopes(program: EsNode): BoundProgram {
  const walk: Walk = { scopes: new Map(), used: new Set() };
  const top = open(walk, program, undefined, { isFunction: true });
  for (const statement of program.body as EsNode[]) visit(walk, statement, top);
  return walk;
}

/** Whether and how `name` may be read at `offset`, where `scope` is the innermost. */
export function readingOf(name: string, scope: Scope, offset: number, { used }: BoundProgram): Reading {
  if (name === 'this') return readingOfThis(scope);
  if (UNREADABLE.has(name) || !/^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name)) return 'never';
  let hoistedFrom = Number.POSITIVE_INFINITY;
  for (let here: Scope | undefined = scope; here !== undefined; here = here.parent) {
    const binding = here.bindings.get(name);
    if (binding !== undefined) {
      if (!binding.readable || (binding === GUARDED && !used.has(name))) return 'never';
      if (binding.ready > offset) return 'guarded';
      return binding.sure || (!here.isSwitch && hoistedFrom >= binding.ready) ? 'plain' : 'guarded';
    }
    if (here.isHoisted) hoistedFrom = Math.min(hoistedFrom, here.parent?.start ?? 0);
  }
  return 'never';
}

/** Guarded: it throws before `super()`. */
function readingOfThis(scope: Scope): Reading {
  for (let here: Scope | undefined = scope; here !== undefined && !here.isNamespace; here = here.parent)
    if (here.hasThis) return 'guarded';
  return 'never';
}

const PLAIN_SCOPE = {
  isFunction: false,
  isHoisted: false,
  isSwitch: false,
  hasThis: false,
  isNamespace: false,
};

function open(walk: Walk, node: EsNode, parent: Scope | undefined, is: Partial<Scope> = {}): Scope {
  const scope: Scope = { parent, start: node.start, ...PLAIN_SCOPE, ...is, bindings: new Map() };
  walk.scopes.set(node, scope);
  return scope;
}

function bind(scope: Scope, name: string, binding: Binding): void {
  const before = scope.bindings.get(name);
  if (before === undefined || !before.readable || (before.sure && !binding.sure)) scope.bindings.set(name, binding);
}

function visit(walk: Walk, node: EsNode, scope: Scope): void {
  if (isTypeOnly(node.type)) return;
  const enter = ENTER[node.type];
  if (node.declare === true) declareNothing(node, scope);
  else if (enter !== undefined) enter(walk, node, scope);
  else if (FUNCTIONS.has(node.type)) visitFunction(walk, node, scope);
  else visitFields(walk, node, LOOPS.has(node.type) ? open(walk, node, scope) : scope);
}

function visitFields(walk: Walk, node: EsNode, scope: Scope, but?: string): void {
  for (const field in node) if (field !== but) visitValue(walk, node[field], scope);
}

function visitValue(walk: Walk, value: unknown, scope: Scope): void {
  if (Array.isArray(value)) for (const item of value) visitValue(walk, item, scope);
  else if (isNode(value)) visit(walk, value, scope);
}

type Enter = (walk: Walk, node: EsNode, scope: Scope) => void;

const ENTER: Readonly<Record<string, Enter | undefined>> = {
  Identifier: (walk, node) => void walk.used.add(node.name as string),
  JSXIdentifier: (walk, node) => void walk.used.add(node.name as string),
  JSXAttribute: (walk, node, scope) => visitValue(walk, node.value, scope),
  MemberExpression: (walk, node, scope) => visitFields(walk, node, scope, node.computed === true ? '' : 'property'),
  Property: (walk, node, scope) => visitFields(walk, node, scope, node.computed === true ? '' : 'key'),
  MethodDefinition: (walk, node, scope) => visitFields(walk, node, scope, node.computed === true ? '' : 'key'),
  PropertyDefinition: (walk, node, scope) => visitFields(walk, node, scope, node.computed === true ? '' : 'key'),
  LabeledStatement: (walk, node, scope) => visitFields(walk, node, scope, 'label'),
  BreakStatement: () => undefined,
  ContinueStatement: () => undefined,
  ExportSpecifier: () => undefined,
  TSClassImplements: () => undefined,
  BlockStatement: (walk, node, scope) => visitFields(walk, node, open(walk, node, scope)),
  TSModuleBlock: (walk, node, scope) =>
    visitFields(walk, node, open(walk, node, scope, { isFunction: true, isNamespace: true })),
  StaticBlock: (walk, node, scope) =>
    visitFields(walk, node, open(walk, node, scope, { isFunction: true, hasThis: true })),
  SwitchStatement: (walk, node, scope) => visitFields(walk, node, open(walk, node, scope, { isSwitch: true })),
  CatchClause(walk, node, scope) {
    const inner = open(walk, node, scope);
    bindPattern(inner, node.param, SURE);
    visitFields(walk, node, inner);
  },
  ClassDeclaration: visitClass,
  ClassExpression: visitClass,
  VariableDeclaration: visitVariables,
  ImportDeclaration: bindImports,
  TSImportEqualsDeclaration(_, node, scope) {
    bindPattern(scope, node.id, node.importKind === 'type' ? NEVER : GUARDED);
  },
  TSEnumDeclaration(walk, node, scope) {
    const binding = { ready: node.end, sure: false, readable: true };
    bindPattern(scope, node.id, node.const === true ? NEVER : binding);
    visitFields(walk, node, scope);
  },
  TSModuleDeclaration(walk, node, scope) {
    if (isNode(node.id) && node.id.type === 'Identifier' && !scope.bindings.has(node.id.name as string))
      bindPattern(scope, node.id, NEVER);
    visitValue(walk, node.body, scope);
  },
};

function visitFunction(walk: Walk, node: EsNode, outer: Scope): void {
  const isHoisted = node.type === 'FunctionDeclaration';
  if (isHoisted) bindPattern(outer, node.id, SURE);
  const hasThis = node.type !== 'ArrowFunctionExpression';
  const scope = open(walk, node, outer, { isFunction: true, isHoisted, hasThis });
  const body = node.body as EsNode | null;
  if (node.type === 'FunctionExpression') bindPattern(scope, node.id, SURE);
  for (const parameter of node.params as EsNode[])
    bindPattern(scope, parameter, { ready: body?.start ?? node.end, sure: true, readable: true });
  visitFields(walk, node, scope, 'body');
  // a block that is a function's body shares the function's scope
  if (body?.type === 'BlockStatement') visitFields(walk, body, scope);
  else visitValue(walk, body, scope);
}

function visitClass(walk: Walk, node: EsNode, scope: Scope): void {
  const binding = { ready: node.end, sure: false, readable: true };
  if (node.type === 'ClassDeclaration') bindPattern(scope, node.id, binding);
  const inner = open(walk, node, scope, { hasThis: true });
  bindPattern(inner, node.id, binding);
  visitFields(walk, node, inner);
}

function visitVariables(walk: Walk, node: EsNode, scope: Scope): void {
  let target = scope;
  while (node.kind === 'var' && !target.isFunction && target.parent !== undefined) target = target.parent;
  for (const declarator of node.declarations as EsNode[]) {
    const later = { ready: declarator.end, sure: false, readable: true };
    bindPattern(target, declarator.id, node.kind === 'var' ? SURE : later);
  }
  visitFields(walk, node, scope);
}

function bindImports(_: Walk, node: EsNode, scope: Scope): void {
  for (const specifier of (node.specifiers ?? []) as EsNode[]) {
    const isType = node.importKind === 'type' || specifier.importKind === 'type';
    bindPattern(scope, specifier.local, isType ? NEVER : GUARDED);
  }
}

/** `declare …` names what something else binds, if anything does. */
function declareNothing(node: EsNode, scope: Scope): void {
  const names = [node.id, ...((node.declarations ?? []) as EsNode[]).map((declarator) => declarator.id)];
  for (const name of names) if (isNode(name) && name.type === 'Identifier') bindPattern(scope, name, NEVER);
}

function bindPattern(scope: Scope, pattern: unknown, binding: Binding): void {
  if (!isNode(pattern)) return;
  if (pattern.type === 'Identifier') bind(scope, pattern.name as string, binding);
  for (const field of ['left', 'argument', 'value', 'parameter']) bindPattern(scope, pattern[field], binding);
  for (const field of ['elements', 'properties'])
    for (const part of (pattern[field] ?? []) as unknown[]) bindPattern(scope, part, binding);
}
