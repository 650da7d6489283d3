// Where value probes can go in a JavaScript or TypeScript program, and which of them a plan asks for.
import {
  BODIES,
  type EsNode,
  FUNCTIONS,
  isNode,
  isStatementList,
  isTypeOnly,
  LOOPS,
  probeOffset,
} from './inject-statements.ts';
import { linesAt } from './parse-program.ts';
import type { ProbeSpec } from './probe-table.ts';

/** A statement, an arrow's expression or a function that can hold a probe. */
interface Site {
  /** Without labels; the arrow itself for its expression, the function for an entry. */
  readonly node: EsNode;
  readonly kind: ProbeSpec['role'];
  /** Offsets by which a plan may know it. */
  readonly starts: readonly number[];
  readonly owner: Activation;
}

/** A function, static block or the program itself, as far as its activations are probed. */
export interface Activation {
  readonly node: EsNode;
  /** Every way out of it can be seen: by `finally`, and by what stands around each `await` and `yield`. */
  isCertain: boolean;
  readonly isGenerator: boolean;
  readonly isAsync: boolean;
  readonly isStrict: boolean;
}

/** The sites that a plan asks for. */
export interface PlannedSites {
  /** By statement (without labels) or arrow. */
  readonly statements: ReadonlyMap<EsNode, ProbeSpec>;
  /** By function. */
  readonly entries: ReadonlyMap<EsNode, ProbeSpec>;
  /** By function, static block or program that holds a planned site. */
  readonly activations: ReadonlyMap<EsNode, Activation>;
  readonly unplaced: readonly ProbeSpec[];
}

interface Walk {
  readonly sites: Site[];
  readonly isTypeScript: boolean;
}

/** Finds the sites of a program and gives each probe of the plan its own, by offset or, where it has none, by line and role. */
export function findProbeSites(
  program: EsNode,
  text: string,
  probes: readonly ProbeSpec[],
  is: { isStrict: boolean; isTypeScript: boolean },
): PlannedSites {
  const walk: Walk = { sites: [], isTypeScript: is.isTypeScript };
  const isStrict = is.isStrict || hasUseStrict(program);
  const top = { node: program, isCertain: false, isGenerator: false, isAsync: false, isStrict };
  visitList(walk, program.body as EsNode[], top);
  return match(walk.sites, text, probes);
}

function match(sites: readonly Site[], text: string, probes: readonly ProbeSpec[]): PlannedSites {
  const places = indexSites(sites, text);
  const taken = new Set<Site>();
  const [statements, entries, activations] = [new Map(), new Map(), new Map()];
  const unplaced: ProbeSpec[] = [];
  for (const spec of probes) {
    const site = choose(places, spec, taken);
    if (site === undefined) {
      unplaced.push(spec);
      continue;
    }
    taken.add(site);
    (site.kind === 'entry' ? entries : statements).set(site.node, spec);
    activations.set(site.owner.node, site.owner);
  }
  return { statements, entries, activations, unplaced };
}

interface Places {
  readonly byStart: Map<number, Site[]>;
  readonly byLine: Map<number, Site[]>;
}

function indexSites(sites: readonly Site[], text: string): Places {
  const [byStart, byLine] = [new Map<number, Site[]>(), new Map<number, Site[]>()];
  const put = (map: Map<number, Site[]>, key: number, site: Site) => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [site]);
    else if (!list.includes(site)) list.push(site);
  };
  const pairs = sites.flatMap((site) => site.starts.map((start) => ({ site, start })));
  const lines = linesAt(
    text,
    pairs.map(({ start }) => start),
  );
  for (const [index, { site, start }] of pairs.entries()) {
    put(byStart, start, site);
    put(byLine, lines[index] ?? 0, site);
  }
  return { byStart, byLine };
}

function choose({ byStart, byLine }: Places, { start, line, role }: ProbeSpec, taken: Set<Site>): Site | undefined {
  const fits = (site: Site) => !taken.has(site) && (site.kind === 'entry') === (role === 'entry');
  const near = ((start === undefined ? byLine.get(line) : byStart.get(start)) ?? []).filter(fits);
  return near.find(({ kind }) => kind === role) ?? near[0];
}

function visit(walk: Walk, node: EsNode, owner: Activation, around: readonly number[] = []): void {
  if (node.declare === true || isTypeOnly(node.type)) return;
  if (FUNCTIONS.has(node.type)) visitFunction(walk, node, owner, around);
  else if (node.type === 'StaticBlock') visitStaticBlock(walk, node);
  else visitInside(walk, node, owner, around);
}

function visitInside(walk: Walk, node: EsNode, owner: Activation, around: readonly number[]): void {
  if (isSuspendedUnseen(node)) owner.isCertain = false;
  const strict = node.type === 'ClassBody' && !owner.isStrict;
  const inside = strict ? { ...owner, isStrict: true } : owner;
  for (const field in node) {
    const value = node[field];
    if (typeof value !== 'object' || value === null || isUnderWith(node, field)) continue;
    if (BODIES[node.type]?.includes(field)) visitStatement(walk, value as EsNode, inside);
    else if (isStatementList(node, field)) visitList(walk, value as EsNode[], inside);
    else visitValue(walk, value, inside, node, around);
  }
}

function visitValue(walk: Walk, value: unknown, owner: Activation, parent: EsNode, around: readonly number[]): void {
  if (Array.isArray(value)) for (const item of value) visitValue(walk, item, owner, parent, around);
  else if (isNode(value)) {
    const isNamed = FUNCTIONS.has(value.type) && /^(?:MethodDefinition|Property|Export\w+)$/.test(parent.type);
    visit(walk, value, owner, isNamed ? [...startsOf(parent), ...around] : []);
  }
}

function visitList(walk: Walk, statements: readonly EsNode[], owner: Activation): void {
  for (const statement of statements) visitStatement(walk, statement, owner);
}

function visitStatement(walk: Walk, outer: EsNode, owner: Activation): void {
  const node = withoutLabels(outer);
  const start = probeOffset(node);
  if (start !== undefined) {
    const kind = node.type === 'ReturnStatement' ? 'return' : isBranch(node) ? 'branch' : 'statement';
    walk.sites.push({ node, kind, starts: [outer.start, ...startsOf(node)], owner });
  }
  visit(walk, node, owner);
}

/** The program's own statement under its labels. */
export function withoutLabels(statement: EsNode): EsNode {
  let node = statement;
  while (node.type === 'LabeledStatement') node = node.body as EsNode;
  return node;
}

/** `if`, `switch` and loops: their headers decide what runs. */
export function isBranch({ type }: EsNode): boolean {
  return type === 'IfStatement' || type === 'SwitchStatement' || LOOPS.has(type);
}

/** A statement's or function's offsets: with and without decorators and `export`. */
function startsOf(node: EsNode): number[] {
  const held = node.declaration;
  const decorators = (node.decorators ?? []) as EsNode[];
  return [node.start, ...decorators.slice(0, 1).map(({ start }) => start), ...(isNode(held) ? startsOf(held) : [])];
}

function visitFunction(walk: Walk, node: EsNode, outer: Activation, around: readonly number[]): void {
  const body = node.body as EsNode | null;
  const isStrict = outer.isStrict || (isNode(body) && hasUseStrict(body));
  const isDerived = walk.isTypeScript && around.length > 0 && holdsSuper(body);
  const own: Activation = {
    node,
    isCertain: !isDerived,
    isGenerator: node.generator === true,
    isAsync: node.async === true,
    isStrict,
  };
  if (body !== null) walk.sites.push({ node, kind: 'entry', starts: [node.start, ...around], owner: own });
  // parameters run in the function, but nothing of them is a statement
  for (const field in node) if (field !== 'body') visitValue(walk, node[field], own, node, []);
  if (body === null) return;
  if (body.type !== 'BlockStatement') {
    walk.sites.push({ node, kind: 'return', starts: [node.start, body.start], owner: own });
    visit(walk, body, own);
    return;
  }
  if (!standsInBlock(body, isStrict)) own.isCertain = false;
  visitList(walk, body.body as EsNode[], own);
}

function visitStaticBlock(walk: Walk, node: EsNode): void {
  const own = { node, isCertain: true, isGenerator: false, isAsync: false, isStrict: true };
  visitList(walk, node.body as EsNode[], own);
}

/** Under `with` the probe's own names would be looked up in an object of the target. */
export function isUnderWith({ type }: EsNode, field: string): boolean {
  return type === 'WithStatement' && field === 'body';
}

/** It may suspend, or be resumed, where nothing can stand. */
function isSuspendedUnseen({ type, await: awaits, delegate, kind }: EsNode): boolean {
  return (
    type === 'WithStatement' ||
    (type === 'ForOfStatement' && awaits === true) ||
    (type === 'YieldExpression' && delegate === true) ||
    (type === 'VariableDeclaration' && kind === 'await using')
  );
}

/** The body of a function means the same within a block of its own: not where it declares functions that the block would hold. */
function standsInBlock(body: EsNode, isStrict: boolean): boolean {
  const functions = (body.body as EsNode[]).filter(({ type }) => type === 'FunctionDeclaration');
  if (functions.length === 0) return true;
  const names = new Set(functions.map(({ id }) => (id as EsNode).name));
  return isStrict && names.size === functions.length && !declaresOneOf(body, names);
}

function declaresOneOf(node: unknown, names: ReadonlySet<unknown>): boolean {
  if (Array.isArray(node)) return node.some((item) => declaresOneOf(item, names));
  if (!isNode(node) || FUNCTIONS.has(node.type)) return false;
  if (node.type === 'VariableDeclaration' && node.kind === 'var')
    return (node.declarations as EsNode[]).some(({ id }) => holdsName(id, names));
  return Object.values(node).some(
    (value) => typeof value === 'object' && value !== null && declaresOneOf(value, names),
  );
}

function holdsName(node: unknown, names: ReadonlySet<unknown>): boolean {
  if (Array.isArray(node)) return node.some((item) => holdsName(item, names));
  if (!isNode(node)) return false;
  return (node.type === 'Identifier' && names.has(node.name)) || holdsName(Object.values(node), names);
}

function hasUseStrict({ body }: EsNode): boolean {
  return Array.isArray(body) && body.some((statement: EsNode) => statement.directive === 'use strict');
}

/** TypeScript puts what it initialises after a `super()` that stands in the constructor's own body. */
function holdsSuper(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(holdsSuper);
  if (!isNode(node) || (FUNCTIONS.has(node.type) && node.type !== 'ArrowFunctionExpression')) return false;
  if (node.type === 'CallExpression' && isNode(node.callee) && node.callee.type === 'Super') return true;
  return Object.values(node).some((value) => typeof value === 'object' && value !== null && holdsSuper(value));
}

/** It ends as soon as it begins: what is in it is seen for itself, or nothing of it is seen. */
export function isOverAtOnce({ type }: EsNode): boolean {
  return /^(?:Break|Continue|Try|With)Statement$/.test(type);
}
