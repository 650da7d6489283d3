// Walks a program and writes its value probes. Every insertion stays on the line of what it stands at, so that lines never move.
import { type Activation, isBranch, isOverAtOnce, isUnderWith, withoutLabels } from './find-probe-sites.ts';
import {
  BINDERS,
  BODIES,
  type EsNode,
  FUNCTIONS,
  isNode,
  isStatementList,
  isTypeOnly,
  LOOPS,
  probeOffset,
  refuseShadowed,
} from './inject-statements.ts';
import type { ProbeSpec } from './probe-table.ts';
import {
  activationText,
  beginText,
  decided,
  endText,
  type Marker,
  markerText,
  type ProbeInjection,
  type ProbeWalk,
  probeCall,
  registration,
  suspends,
} from './write-probe.ts';

/** Writes the probes of `sites` into the program. Throws `NotInjectable`. */
export function injectProbes(program: EsNode, injection: ProbeInjection): void {
  const scope = injection.bound.scopes.get(program);
  if (scope === undefined) return;
  const activation = injection.sites.activations.get(program);
  const walk: ProbeWalk = { ...injection, scope, activation, ended: undefined, targets: [] };
  const body = program.body as EsNode[];
  const first = body.find(({ type, directive }) => type !== 'ImportDeclaration' && typeof directive !== 'string');
  if (first !== undefined) walk.into.open(startOf(first), registration(walk, activation));
  visitList(walk, body);
}

function visit(walk: ProbeWalk, node: EsNode): void {
  if (node.declare === true || isTypeOnly(node.type)) return;
  if (BINDERS.has(node.type)) refuseShadowed(node);
  const outer = walk.scope;
  walk.scope = walk.bound.scopes.get(node) ?? outer;
  if (FUNCTIONS.has(node.type)) visitFunction(walk, node);
  else if (node.type === 'StaticBlock') visitStaticBlock(walk, node);
  else visitInside(walk, node);
  walk.scope = outer;
}

function visitInside(walk: ProbeWalk, node: EsNode): void {
  const close = openSuspension(walk, node);
  for (const field in node) {
    const value = node[field];
    if (typeof value !== 'object' || value === null || isUnderWith(node, field)) continue;
    if (BODIES[node.type]?.includes(field)) visitBody(walk, value as EsNode);
    else if (isStatementList(node, field)) visitList(walk, value as EsNode[]);
    else visitValue(walk, value);
  }
  if (node.type === 'TryStatement') markHandlers(walk, node);
  close?.();
}

function visitValue(walk: ProbeWalk, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) visitValue(walk, item);
  else if (isNode(value)) visit(walk, value);
}

function visitList(walk: ProbeWalk, statements: readonly EsNode[]): void {
  for (const [index, statement] of statements.entries()) {
    // it may now begin with a bracket, which the line before would take for its own
    if (suspends(walk) && statement.type === 'ExpressionStatement' && typeof statement.directive !== 'string')
      walk.into.open(statement.start, ';');
    visitStatement(walk, statement, statements[index + 1]);
  }
}

/** A statement that is the whole body of something gets braces where it gets probes. */
function visitBody(walk: ProbeWalk, statement: EsNode): void {
  const node = withoutLabels(statement);
  const isContinue = node.type === 'ContinueStatement' && continued(walk, node) !== undefined;
  const isPlanned = walk.sites.statements.has(node) || isContinue;
  if (isPlanned) walk.into.open(startOf(statement), '{');
  visitStatement(walk, statement);
  if (isPlanned) walk.into.close(statement.end, '}');
}

function visitStatement(walk: ProbeWalk, outer: EsNode, next?: EsNode): void {
  const node = withoutLabels(outer);
  const spec = walk.sites.statements.get(node);
  const isTarget = LOOPS.has(node.type) || node.type === 'SwitchStatement';
  if (isTarget) {
    const again = spec !== undefined && isValueLoop(node) ? `${probeCall(walk, 'l', spec, [], outer.start)};` : '';
    walk.targets.push({ labels: labelsOf(outer), isLoop: node.type !== 'SwitchStatement', again });
  }
  if (spec === undefined) visitUnplanned(walk, outer, node);
  else if (node.type === 'IfStatement') visitIf(walk, outer, node, spec);
  else if (node.type === 'SwitchStatement') visitSwitch(walk, outer, node, spec);
  else if (isBranch(node)) visitLoop(walk, outer, node, spec);
  else visitSimple(walk, outer, node, spec, next);
  if (isTarget) walk.targets.pop();
}

function visitUnplanned(walk: ProbeWalk, outer: EsNode, node: EsNode): void {
  const again = node.type === 'ContinueStatement' ? continued(walk, node) : undefined;
  if (again !== undefined) walk.into.open(outer.start, again);
  visit(walk, node);
}

function visitSimple(walk: ProbeWalk, outer: EsNode, node: EsNode, spec: ProbeSpec, next?: EsNode): void {
  const start = startOf(outer);
  const held = node.argument as EsNode | null | undefined;
  const given = node.type === 'ReturnStatement' ? 'r' : node.type === 'ThrowStatement' ? 'h' : undefined;
  if (given !== undefined && isNode(held)) {
    walk.into.open(start, beginText(walk, 'b', spec, start));
    visitGiven(walk, node, held, given, spec);
    return;
  }
  const again = node.type === 'ContinueStatement' ? (continued(walk, node) ?? '') : '';
  const isOver = given !== undefined || isOverAtOnce(node);
  walk.into.open(start, beginText(walk, given !== undefined ? 'q' : isOver ? 'o' : 'b', spec, start) + again);
  visit(walk, node);
  if (!isOver) walk.into.close(outer.end, `;${endText(walk, spec, outer.end, next)}`);
}

/** `return e` and `throw e`: the value is seen on its way. `(0,e)` keeps an anonymous function anonymous. */
function visitGiven(walk: ProbeWalk, node: EsNode, held: EsNode, method: string, spec: ProbeSpec): void {
  const value = walk.names.temporary;
  walk.into.open(held.start, `(${value}=(0,`);
  visit(walk, held);
  const names = method === 'r' ? spec.after : [];
  walk.into.close(held.end, `),${probeCall(walk, method, spec, names, node.end, value)},${value})`);
}

function visitIf(walk: ProbeWalk, outer: EsNode, node: EsNode, spec: ProbeSpec): void {
  walk.into.open(outer.start, beginText(walk, 'b', spec, outer.start));
  visitValue(walk, node.test);
  visitArm(walk, node.consequent as EsNode, decided(spec, 'true'));
  if (isNode(node.alternate)) visitArm(walk, node.alternate, decided(spec, 'false'));
  else {
    const marker = markerText(walk, decided(spec, 'false'), walk.scope, node.end);
    walk.into.close(node.end, `else{${marker}}`);
  }
}

/** The body of a branch, with a marker at its start and `last` at its end. */
function visitArm(walk: ProbeWalk, arm: EsNode, marker: Marker, last = ''): void {
  if (arm.type === 'BlockStatement') {
    const scope = walk.bound.scopes.get(arm) ?? walk.scope;
    walk.into.close(arm.start + 1, markerText(walk, marker, scope, arm.start + 1));
    visit(walk, arm);
    if (last !== '') walk.into.close(arm.end - 1, `;${last}`);
    return;
  }
  walk.into.open(startOf(arm), `{${markerText(walk, marker, walk.scope, arm.start)}`);
  visitStatement(walk, arm);
  walk.into.close(arm.end, last === '' ? '}' : `;${last}}`);
}

function visitSwitch(walk: ProbeWalk, outer: EsNode, node: EsNode, spec: ProbeSpec): void {
  walk.into.open(outer.start, beginText(walk, 'b', spec, outer.start));
  visitValue(walk, node.discriminant);
  const scope = walk.scope;
  walk.scope = walk.bound.scopes.get(node) ?? scope;
  for (const [index, clause] of (node.cases as EsNode[]).entries()) {
    const body = clause.consequent as EsNode[];
    const offset = body[0] === undefined ? clause.end : startOf(body[0]);
    const marker = markerText(walk, decided(spec, `case ${index + 1}`), walk.scope, offset);
    if (body.length === 0) walk.into.close(offset, marker);
    else walk.into.open(offset, marker);
    visitValue(walk, clause.test);
    visitList(walk, body);
  }
  walk.scope = scope;
  walk.into.close(outer.end, `;${markerText(walk, decided(spec, 'none'), scope, outer.end)}`);
}

/** Each evaluation of the header is one event: it begins before it, and ends in the body or after the loop. */
function visitLoop(walk: ProbeWalk, outer: EsNode, node: EsNode, spec: ProbeSpec): void {
  const around = walk.scope;
  const isPrepared = node.type === 'ForStatement' || isValueLoop(node);
  if (isPrepared) walk.into.open(outer.start, beginText(walk, 'b', spec, outer.start));
  walk.scope = walk.bound.scopes.get(node) ?? around;
  const header = isPrepared ? (node.update ?? node.test) : node.test;
  for (const field of ['init', 'left', 'right', 'test', 'update']) {
    const part = node[field];
    if (!isNode(part)) continue;
    if (part === header)
      walk.into.open(part.start, `(${probeCall(walk, 'l', spec, spec.before, (node.body as EsNode).start)},`);
    visit(walk, part);
    if (part === header) walk.into.close(part.end, ')');
  }
  const again = walk.targets.at(-1)?.again ?? '';
  visitArm(walk, node.body as EsNode, { spec, method: 'i' }, again);
  walk.scope = around;
  walk.into.close(outer.end, `;${markerText(walk, decided(spec, 'done'), around, outer.end)}`);
}

function isValueLoop({ type }: EsNode): boolean {
  return type === 'ForInStatement' || type === 'ForOfStatement';
}

function labelsOf(statement: EsNode): string[] {
  const labels: string[] = [];
  for (let node = statement; node.type === 'LabeledStatement'; node = node.body as EsNode)
    labels.push((node.label as EsNode).name as string);
  return labels;
}

/** What tells the probed loop over values that a `continue` goes to that its header runs again. */
function continued(walk: ProbeWalk, node: EsNode): string | undefined {
  const label = (node.label as EsNode | null)?.name as string | undefined;
  const target = walk.targets.findLast(
    ({ labels, isLoop }) => isLoop && (label === undefined || labels.includes(label)),
  );
  return target === undefined || target.again === '' ? undefined : target.again;
}

function markHandlers(walk: ProbeWalk, node: EsNode): void {
  if (walk.activation === undefined) return;
  const { probe } = walk.names;
  const handler = node.handler as EsNode | null;
  if (handler !== null) {
    const caught = handler.param as EsNode | null;
    const value = caught?.type === 'Identifier' ? `c(${caught.name})` : 'f()';
    walk.into.close((handler.body as EsNode).start + 1, `${probe}?.${value};`);
  }
  if (isNode(node.finalizer)) walk.into.close(node.finalizer.start + 1, `${probe}?.f();`);
}

function visitFunction(walk: ProbeWalk, node: EsNode): void {
  const { activation, targets } = walk;
  walk.targets = [];
  walk.activation = undefined; // what stands in parameters is before the activation
  for (const field in node) if (field !== 'body') visitValue(walk, node[field]);
  const body = node.body as EsNode | null;
  const own = walk.sites.activations.get(node);
  walk.activation = own;
  if (body === null) return;
  if (own === undefined) visitFunctionBody(walk, node, body);
  else if (body.type === 'BlockStatement') {
    const directive = (body.body as EsNode[]).findLast((statement) => typeof statement.directive === 'string');
    const [before, after] = activationText(walk, own);
    walk.into.close(directive?.end ?? body.start + 1, (directive === undefined ? '' : ';') + before);
    visitFunctionBody(walk, node, body);
    walk.into.close(body.end - 1, after);
  } else visitExpressionBody(walk, node, body, own);
  walk.activation = activation;
  walk.targets = targets;
}

function visitFunctionBody(walk: ProbeWalk, _: EsNode, body: EsNode): void {
  if (body.type === 'BlockStatement') visitList(walk, body.body as EsNode[]);
  else visit(walk, body);
}

/** `=> e` becomes `=> {…return e}`. */
function visitExpressionBody(walk: ProbeWalk, node: EsNode, body: EsNode, own: Activation): void {
  const spec = walk.sites.statements.get(node);
  const [before, after] = activationText(walk, own);
  const begins = spec === undefined ? '' : beginText(walk, 'b', spec, body.start);
  walk.into.open(body.start, `{${before}${begins}return(`);
  if (spec === undefined) visit(walk, body);
  else visitGiven(walk, body, body, 'r', spec);
  walk.into.close(body.end, `)${after}}`);
}

function visitStaticBlock(walk: ProbeWalk, node: EsNode): void {
  const { activation, targets } = walk;
  const own = walk.sites.activations.get(node);
  const body = node.body as EsNode[];
  walk.activation = own;
  walk.targets = [];
  const [before, after] = own === undefined ? ['', ''] : activationText(walk, own);
  if (body[0] !== undefined) walk.into.open(startOf(body[0]), before);
  visitList(walk, body);
  if (own !== undefined) walk.into.close(node.end - 1, after);
  walk.activation = activation;
  walk.targets = targets;
}

/** `await e` and `yield e`: the activation is left after `e`, and entered again with the result. */
function openSuspension(walk: ProbeWalk, node: EsNode): (() => void) | undefined {
  if ((node.type !== 'AwaitExpression' && node.type !== 'YieldExpression') || !suspends(walk)) return undefined;
  const { probe, temporary: value } = walk.names;
  const held = node.argument as EsNode | null;
  walk.into.open(node.start, `(${value}=`);
  if (held !== null) walk.into.open(held.start, `(${value}=(0,`);
  return () => {
    if (held === null) walk.into.close(node.end, ` (${probe}?.s(),void 0)`);
    else walk.into.close(held.end, `),${probe}?.s(),${value})`);
    walk.into.close(node.end, `,${probe}?.w(),${value})`);
  };
}

function startOf(statement: EsNode): number {
  return probeOffset(statement) ?? statement.start;
}
