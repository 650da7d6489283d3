// Where probes go in a JavaScript or TypeScript program. Every insertion stays on the line of the statement it stands
// before, so that lines never move.

/** A node of the ESTree form that oxc gives; offsets are UTF-16 units. */
export interface EsNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Receives insertions: at one offset closings come before openings, each in the order they were made. */
export interface Insertions {
  open(offset: number, text: string): void;
  close(offset: number, text: string): void;
}

/** The statements that got a probe, in the order of their numbers. */
export interface ProbedStatements {
  /** Offset each statement starts at. */
  readonly starts: number[];
  /** Indexes into `starts` of statements that run while the module is loaded, outside every function. */
  readonly top: number[];
}

/** Why a program cannot be given probes; thrown inside the walk only. */
export class NotInjectable extends Error {}

const NEVER = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'FunctionDeclaration',
  'TSDeclareFunction',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSModuleDeclaration',
  'TSGlobalDeclaration',
  'TSImportEqualsDeclaration',
  'TSNamespaceExportDeclaration',
  'EmptyStatement',
  'BlockStatement',
]);
export const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);
/** Nodes that may bind a name. */
export const BINDERS: ReadonlySet<string> = new Set([
  ...FUNCTIONS,
  'VariableDeclarator',
  'ClassDeclaration',
  'ClassExpression',
  'CatchClause',
  'ImportSpecifier',
  'ImportDefaultSpecifier',
  'ImportNamespaceSpecifier',
]);
export const LOOPS: ReadonlySet<string> = new Set([
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
]);
/** Fields that hold one statement, which may stand without braces. */
export const BODIES: Readonly<Record<string, readonly string[]>> = {
  IfStatement: ['consequent', 'alternate'],
  WithStatement: ['body'],
  ...Object.fromEntries([...LOOPS].map((loop) => [loop, ['body']])),
};

/** How probes are written. */
export interface ProbeStyle {
  /** Number of the first statement. */
  readonly firstId: number;
  /** TypeScript, which a runner may check the types of. */
  readonly isTyped: boolean;
  /** The function is held in a variable of the module: in jest's realms each look at the global object costs half a microsecond. */
  readonly isHeld: boolean;
  /** The module may be loaded in a thread, which has no function of its own: it takes the array that its parent left for it. */
  readonly inThreads: boolean;
}

/** Name that babel-plugin-jest-hoist takes in the factories of mocks, since coverage tools of every kind need one. */
const HELD = '__covh';

/** Walks a program and makes the insertions. Throws `NotInjectable`. */
export function injectStatements(program: EsNode, into: Insertions, style: ProbeStyle): ProbedStatements {
  const walk: Walk = { into, style, found: { starts: [], top: [] }, functions: 0 };
  const first = style.isHeld || style.inThreads ? firstStatement(program) : undefined;
  if (first !== undefined && style.inThreads) into.open(first, threadStart(style));
  if (first !== undefined && style.isHeld) into.open(first, `var ${HELD}=${globalProbe(style)};`);
  visit(walk, program);
  return walk.found;
}

/** Where the first statement after the directives starts. */
function firstStatement(program: EsNode): number | undefined {
  const first = (program.body as EsNode[]).find(({ directive }) => typeof directive !== 'string');
  if (first === undefined) return undefined;
  return probeOffset(first) ?? first.start;
}

/** Name of the array in the environment data of `node:worker_threads`, which threads inherit whatever their options are. */
const SHARED = '__h';

function threadStart({ isTyped }: ProbeStyle): string {
  const [any, number] = isTyped ? [':any', ':number'] : ['', ''];
  const take = `g.process?.getBuiltinModule?.('worker_threads')?.getEnvironmentData?.('${SHARED}')`;
  const define = `Object.defineProperty(g,'__h',{value:(n${number})=>{a[n]=1},configurable:true,writable:true})`;
  return `void((g${any})=>{if(g.__h===undefined){const a${any}=${take};if(a)${define}}})(globalThis);`;
}

function globalProbe({ isTyped }: ProbeStyle): string {
  return isTyped ? '(globalThis as any).__h' : 'globalThis.__h';
}

/** It may start a line after one without a semicolon: so it starts with a word. */
function probeCall(number: number, style: ProbeStyle): string {
  const plain = `${globalProbe(style)}?.(${number})`;
  if (style.isHeld) return `typeof ${HELD}=='function'?${HELD}(${number}):${plain}`;
  return style.isTyped ? `void ${plain}` : plain;
}

interface Walk {
  readonly into: Insertions;
  readonly style: ProbeStyle;
  readonly found: ProbedStatements;
  /** Functions around the place the walk is at. */
  functions: number;
}

/** Gives the statement or expression at an offset its number. */
function call(walk: Walk, start: number): string {
  const { starts, top } = walk.found;
  if (walk.functions === 0) top.push(starts.length);
  starts.push(start);
  return probeCall(walk.style.firstId + starts.length - 1, walk.style);
}

function visit(walk: Walk, node: EsNode): void {
  if (node.declare === true || isTypeOnly(node.type)) return;
  if (BINDERS.has(node.type)) refuseShadowed(node);
  if (FUNCTIONS.has(node.type)) {
    visitFunction(walk, node);
    return;
  }
  const bodies = BODIES[node.type];
  for (const field in node) {
    const value = node[field];
    if (typeof value !== 'object' || value === null) continue;
    if (bodies?.includes(field)) visitBody(walk, value as EsNode);
    else if (isStatementList(node, field)) visitList(walk, value as EsNode[]);
    else visitValue(walk, value);
  }
}

function visitValue(walk: Walk, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) visitValue(walk, item);
  else if (isNode(value)) visit(walk, value);
}

function visitList(walk: Walk, statements: readonly EsNode[]): void {
  for (const statement of statements) {
    const start = probeOffset(statement);
    const probe = start === undefined ? undefined : call(walk, start);
    if (start !== undefined) walk.into.open(start, `${probe};`);
    visit(walk, statement);
    if (probe !== undefined && isExhaustible(statement)) walk.into.close(statement.end, `;${probe};`);
  }
}

/** A statement that is the whole body of `if`, `else` or a loop: it gets braces to hold its probe. */
function visitBody(walk: Walk, statement: EsNode): void {
  const start = probeOffset(statement);
  if (start !== undefined) walk.into.open(start, `{${call(walk, start)};`);
  visit(walk, statement);
  if (start !== undefined) walk.into.close(statement.end, '}');
}

function visitFunction(walk: Walk, node: EsNode): void {
  walk.functions += 1;
  const held = node.body as EsNode | null;
  for (const field in node) if (field !== 'body') visitValue(walk, node[field]);
  if (held !== null && node.type === 'ArrowFunctionExpression' && held.type !== 'BlockStatement') {
    walk.into.open(held.start, `(${call(walk, held.start)},`);
    visit(walk, held);
    walk.into.close(held.end, ')');
  } else if (held !== null) visit(walk, held);
  walk.functions -= 1;
}

/** Types hold no statements: there is nothing to look for inside. */
export function isTypeOnly(type: string): boolean {
  return type.startsWith('TS') && /Type|Keyword|Signature|Interface/.test(type) && !HOLDS_EXPRESSION.has(type);
}

const HOLDS_EXPRESSION = new Set(['TSTypeAssertion']);

export function isStatementList(node: EsNode, field: string): boolean {
  if (field === 'consequent') return node.type === 'SwitchCase';
  return (
    field === 'body' && Array.isArray(node.body) && node.type !== 'ClassBody' && !node.type.startsWith('TSInterface')
  );
}

/** Where the probe of a statement goes; `undefined` when it gets none. */
export function probeOffset(statement: EsNode): number | undefined {
  if (statement.declare === true || NEVER.has(statement.type) || typeof statement.directive === 'string')
    return undefined;
  if (statement.type === 'TSEnumDeclaration') return statement.const === true ? undefined : statement.start;
  if (statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration') {
    const held = statement.declaration as EsNode | null | undefined;
    if (!isNode(held) || statement.exportKind === 'type' || probeOffset(held) === undefined) return undefined;
    return Math.min(statement.start, firstDecorator(held));
  }
  return Math.min(statement.start, firstDecorator(statement));
}

function firstDecorator(node: EsNode): number {
  const decorators = (node.decorators ?? []) as EsNode[];
  return decorators[0]?.start ?? node.start;
}

/** A loop whose header runs once more at its end: its stamp must then be later than the body's. */
function isExhaustible(statement: EsNode): boolean {
  let node = statement;
  while (node.type === 'LabeledStatement') node = node.body as EsNode;
  if (!LOOPS.has(node.type)) return false;
  const test = node.test as EsNode | null | undefined;
  return node.type === 'ForStatement' ? isNode(test) : test === undefined || test?.type !== 'Literal';
}

/** `globalThis` must mean the global object wherever a probe may stand. */
export function refuseShadowed(node: EsNode): void {
  const bound = [node.id, node.param, node.local, ...(FUNCTIONS.has(node.type) ? (node.params as unknown[]) : [])];
  if (bound.some((name) => isNode(name) && name.name === 'globalThis'))
    throw new NotInjectable('it binds the name globalThis');
}

export function isNode(value: unknown): value is EsNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
