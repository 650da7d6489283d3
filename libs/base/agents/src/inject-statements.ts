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
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const LOOPS = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement']);
/** Fields that hold one statement, which may stand without braces. */
const BODIES: Readonly<Record<string, readonly string[]>> = {
  IfStatement: ['consequent', 'alternate'],
  WithStatement: ['body'],
  ...Object.fromEntries([...LOOPS].map((loop) => [loop, ['body']])),
};

/** Walks a program and makes the insertions; statement numbers start at `firstId`. Throws `NotInjectable`. */
export function injectStatements(program: EsNode, into: Insertions, firstId: number): ProbedStatements {
  const found: ProbedStatements = { starts: [], top: [] };
  let functions = 0;

  const call = (start: number): string => {
    if (functions === 0) found.top.push(found.starts.length);
    found.starts.push(start);
    return `globalThis.__h?.(${firstId + found.starts.length - 1})`;
  };

  const list = (statements: readonly EsNode[]): void => {
    for (const statement of statements) {
      const start = probeOffset(statement);
      const probe = start === undefined ? undefined : call(start);
      if (start !== undefined) into.open(start, `${probe};`);
      visit(statement);
      if (probe !== undefined && isExhaustible(statement)) into.close(statement.end, `;${probe};`);
    }
  };

  /** A statement that is the whole body of `if`, `else` or a loop: it gets braces to hold its probe. */
  const body = (statement: EsNode): void => {
    const start = probeOffset(statement);
    if (start !== undefined) into.open(start, `{${call(start)};`);
    visit(statement);
    if (start !== undefined) into.close(statement.end, '}');
  };

  const visitFunction = (node: EsNode): void => {
    functions += 1;
    const held = node.body as EsNode | null;
    for (const [field, value] of Object.entries(node)) if (field !== 'body') visitValue(value);
    if (held !== null && node.type === 'ArrowFunctionExpression' && held.type !== 'BlockStatement') {
      into.open(held.start, `(${call(held.start)},`);
      visit(held);
      into.close(held.end, ')');
    } else if (held !== null) visit(held);
    functions -= 1;
  };

  const visit = (node: EsNode): void => {
    if (node.declare === true || isTypeOnly(node.type)) return;
    refuseShadowed(node);
    if (FUNCTIONS.has(node.type)) visitFunction(node);
    else for (const [field, value] of Object.entries(node)) visitField(node, field, value);
  };

  const visitField = (node: EsNode, field: string, value: unknown): void => {
    if (isStatementList(node, field)) list(value as EsNode[]);
    else if (!BODIES[node.type]?.includes(field)) visitValue(value);
    else if (isNode(value)) body(value);
  };

  const visitValue = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visitValue(item);
    else if (isNode(value)) visit(value);
  };

  visit(program);
  return found;
}

/** Types hold no statements: there is nothing to look for inside. */
function isTypeOnly(type: string): boolean {
  return type.startsWith('TS') && /Type|Keyword|Signature|Interface/.test(type) && !HOLDS_EXPRESSION.has(type);
}

const HOLDS_EXPRESSION = new Set(['TSTypeAssertion']);

function isStatementList(node: EsNode, field: string): boolean {
  if (field === 'consequent') return node.type === 'SwitchCase';
  return (
    field === 'body' && Array.isArray(node.body) && node.type !== 'ClassBody' && !node.type.startsWith('TSInterface')
  );
}

/** Where the probe of a statement goes; `undefined` when it gets none. */
function probeOffset(statement: EsNode): number | undefined {
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
function refuseShadowed(node: EsNode): void {
  const bound = [node.id, node.param, node.local, ...(FUNCTIONS.has(node.type) ? (node.params as unknown[]) : [])];
  if (bound.some((name) => isNode(name) && name.name === 'globalThis'))
    throw new NotInjectable('it binds the name globalThis');
}

function isNode(value: unknown): value is EsNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}
