// Which other names a place could have meant: what is visible there, ordered by role, kind, distance and spelling.
import { type NameDefinition, type NameTable, type NameUse, scopeAt, type VisibleName, visibleNames } from '@h/syntax';
import { firstNotBefore, type TreeNode } from './copy-tree.ts';
import type { Grammar } from './languages/grammar.ts';
import { ROLES, roleOf } from './roles.ts';
import type { NameAlternative } from './template.ts';

/** Answers for one file. `from` is the start of the statement that holds the node. */
export interface NameRanking {
  alternatives(node: TreeNode, from: number): readonly NameAlternative[];
  isVisible(name: string, node: TreeNode, from: number): boolean;
  isRead(node: TreeNode): boolean;
  isLocal(node: TreeNode): boolean;
  locals(node: TreeNode, from: number): readonly string[];
  suits(node: TreeNode, role: number): boolean;
}

export interface NameSource {
  names: NameTable;
  identifiers: ReadonlyMap<number, TreeNode>;
  source: string;
  grammar: Grammar;
}

/** Alternatives looked at per place, before any template takes the first few. */
const MAX_VISIBLE = 400;
const MAX_USES_PER_NAME = 60;
/** Uses of any name within which another use counts as near. */
const NEAR = 12;
const RECEIVERS = new Set(['self', 'cls', 'this', '_']);

const CONTAINER = ROLES.receiver | ROLES.elements | ROLES.iterated;
const SCALAR = ROLES.index | ROLES.arithmetic | ROLES.compared;

/** Prepares a file; work happens when a name is asked for and is kept for the next. */
export function rankNames(file: NameSource): NameRanking {
  const uses = new Map(file.names.uses.map((use) => [use.start, use]));
  const targets = new Set(file.names.definitions.filter(({ kind }) => isValue(kind)).map(({ start }) => start));
  const profileOf = profiles(file);
  const visibleAt = visibility(file.names);
  const scopeOf = (node: TreeNode) => uses.get(node.start)?.scope ?? scopeAt(file.names, node.start);
  return {
    isRead: (node) => uses.has(node.start) && node.type === 'identifier',
    isVisible: (name, node, from) =>
      visibleAt(scopeOf(node), node.start, from).some((entry) => entry.name === name && entry.assigned_before),
    isLocal(node) {
      const { definition } = uses.get(node.start) ?? {};
      const found = definition === undefined ? undefined : file.names.definitions[definition];
      return found !== undefined && found.scope !== 0 && isValue(found.kind) && !RECEIVERS.has(found.name);
    },
    suits(node, role) {
      const { definition } = (node.type === 'identifier' && uses.get(node.start)) || {};
      return definition === undefined || !isContrary(profileOf(definition).roles, role);
    },
    locals: (node, from) =>
      visibleAt(scopeOf(node), from, from)
        .filter(({ kind, scope, name, assigned_before }) => {
          return isValue(kind) && scope !== 0 && assigned_before && !RECEIVERS.has(name);
        })
        .map(({ name }) => name),
    alternatives(node, from) {
      const isTarget = !uses.has(node.start) && targets.has(node.start) && isAssigned(node);
      if ((!uses.has(node.start) && !isTarget) || uses.get(node.start)?.type_only) return [];
      return rankAt(node, isTarget, visibleAt(scopeOf(node), node.start, from), file, profileOf);
    },
  };
}

/** What is done with a name anywhere in its scope. */
interface Profile {
  /** Bits of the roles it has. */
  roles: number;
  /** Where it is read, as positions among all uses of the file; at most 60. */
  uses: readonly number[];
}

function profiles(file: NameSource): (definition: number) => Profile {
  const { definitions, uses } = file.names;
  const usesOf = usesByDefinition(uses);
  const known = new Map<number, Profile>();
  return (definition) => {
    let profile = known.get(definition);
    if (profile) return profile;
    const own = (usesOf.get(definition) ?? []).slice(0, MAX_USES_PER_NAME);
    let roles = givenRole(file, definitions[definition]?.start ?? -1);
    for (const position of own) {
      const node = file.identifiers.get(uses[position]?.start ?? -1);
      if (node) roles |= roleOf(node, file.grammar);
    }
    profile = { roles, uses: own };
    known.set(definition, profile);
    return profile;
  };
}

/** Visible names of a scope before a statement, computed over the definitions of the scopes around it alone. */
function visibility(names: NameTable): (scope: number, offset: number, from: number) => VisibleName[] {
  const byScope = new Map<number, number[]>();
  for (const [index, { scope }] of names.definitions.entries()) {
    const list = byScope.get(scope);
    if (list) list.push(index);
    else byScope.set(scope, [index]);
  }
  const known = new Map<string, VisibleName[]>();
  return (scope, offset, from) => {
    const start = (names.scopes[scope]?.start ?? 0) >= from ? offset : from;
    const key = `${scope}:${start}`;
    let found = known.get(key);
    if (found) return found;
    const indexes = scopeChain(names, scope).flatMap((around) => byScope.get(around) ?? []);
    const definitions = indexes.map((index) => names.definitions[index] as NameDefinition);
    found = visibleNames({ ...names, definitions, uses: [] }, start)
      .slice(0, MAX_VISIBLE)
      .map((entry) => ({ ...entry, definition: indexes[entry.definition] as number }));
    known.set(key, found);
    return found;
  };
}

function scopeChain({ scopes }: NameTable, scope: number): number[] {
  const chain: number[] = [];
  for (let index: number | undefined = scope; index !== undefined; index = scopes[index]?.parent) chain.push(index);
  return chain;
}

/** What a name is made of where it is first defined: `x = 0`, `x = []`. */
function givenRole({ identifiers, grammar, source }: NameSource, start: number): number {
  const value = identifiers.get(start)?.parent?.children.at(-1);
  const kind = value && grammar.literal(value, source);
  if (kind === 'number') return ROLES.arithmetic;
  return kind === 'collection' || kind === 'string' ? ROLES.receiver : 0;
}

function usesByDefinition(uses: readonly NameUse[]): Map<number, number[]> {
  const positions = new Map<number, number[]>();
  for (const [position, { definition }] of uses.entries()) {
    if (definition === undefined) continue;
    const list = positions.get(definition);
    if (list) list.push(position);
    else positions.set(definition, [position]);
  }
  return positions;
}

function rankAt(
  node: TreeNode,
  isTarget: boolean,
  visible: readonly VisibleName[],
  file: NameSource,
  profileOf: (definition: number) => Profile,
): NameAlternative[] {
  const name = file.source.slice(node.start, node.end);
  const role = roleOf(node, file.grammar);
  const current = visible.find((entry) => entry.name === name) ?? undefinedName(name, visible, role);
  if (!current || RECEIVERS.has(name)) return [];
  const own = profileOf(current.definition);
  const scopes = [...new Set(visible.map(({ scope }) => scope))];
  const here = firstNotBefore(file.names.uses, ({ start }) => start < node.start);
  const place = { name, current, isTarget, innermost: scopes[0] };
  const scored: { alternative: NameAlternative; score: number; order: number }[] = [];
  for (const [order, entry] of visible.entries()) {
    if (!isCandidate(entry, place)) continue;
    const other = profileOf(entry.definition);
    const distance = scopes.indexOf(entry.scope);
    const score =
      likeness(other, own, role, here) +
      (isUnused(entry, other) ? 2.5 : 0) +
      0.5 * similarity(name, entry.name) -
      distance;
    const alternative = {
      name: entry.name,
      isTarget,
      isCallable: !isValue(entry.kind),
      isUnused: isUnused(entry, other),
      distance,
    };
    scored.push({ alternative, score, order });
  }
  scored.sort((left, right) => right.score - left.score || left.order - right.order);
  return scored.map(({ alternative }) => alternative);
}

/** Nothing reads it; what a module defines may be read elsewhere. */
function isUnused({ scope }: VisibleName, { uses }: Profile): boolean {
  return uses.length === 0 && scope !== 0;
}

/** A name that nothing defines, where a value is wanted: perhaps misspelt. What is called is more likely built in. */
function undefinedName(name: string, visible: readonly VisibleName[], role: number): VisibleName | undefined {
  const [nearest] = visible;
  if (!nearest || (role & (ROLES.called | ROLES.receiver)) !== 0) return undefined;
  return { name, kind: 'variable', scope: nearest.scope, definition: -1, assigned_before: false };
}

/** How well a name fits the place by what is done with it; weights fitted once on injected wrong names (README). */
function likeness(other: Profile, own: Profile, role: number, here: number): number {
  const isNear = other.uses.some((position) => Math.abs(position - here) <= NEAR);
  return (
    1.3 * overlap(other.roles, role) +
    0.3 * overlap(other.roles, own.roles) +
    (isNear ? 0.5 : 0) -
    (isContrary(other.roles, role) ? 2 : 0)
  );
}

interface Place {
  name: string;
  current: VisibleName;
  isTarget: boolean;
  innermost: number | undefined;
}

function isCandidate(entry: VisibleName, { name, current, isTarget, innermost }: Place): boolean {
  if (entry.name === name || RECEIVERS.has(entry.name) || entry.type_only) return false;
  if (isValue(entry.kind) !== isValue(current.kind) || !isMentionable(entry)) return false;
  if ((entry.kind === 'class') !== (current.kind === 'class')) return false;
  return isTarget ? entry.scope === innermost && current.assigned_before : entry.assigned_before;
}

function isMentionable({ kind, name }: VisibleName): boolean {
  return kind !== 'type' && kind !== 'annotation' && !/^__.*__$/.test(name);
}

function isValue(kind: VisibleName['kind']): boolean {
  return kind === 'variable' || kind === 'parameter' || kind === 'exception' || kind === 'assignment';
}

/** A plain or augmented assignment or one of a list; loop variables, declarations and the like are what they are. */
function isAssigned({ parent, field }: TreeNode): boolean {
  if (parent?.type === 'pattern_list') return isAssigned(parent);
  if (field !== 'left' || !parent || !/assignment/.test(parent.type)) return false;
  return !parent.children.some((child) => child.type === 'type');
}

/** One is a container, the other a number. */
function isContrary(profile: number, role: number): boolean {
  if ((role & CONTAINER) !== 0) return (profile & SCALAR) !== 0 && (profile & CONTAINER) === 0;
  return (role & SCALAR) !== 0 && (profile & CONTAINER) !== 0 && (profile & SCALAR) === 0;
}

/** Share of common bits, 0 to 1; 0 when neither has any. */
function overlap(left: number, right: number): number {
  const all = bits(left | right);
  return all === 0 ? 0 : bits(left & right) / all;
}

function bits(value: number): number {
  let count = 0;
  for (let rest = value; rest > 0; rest >>>= 1) count += rest & 1;
  return count;
}

/** How alike two names are spelled, 0 to 1: common start and end, common words. Short names are alike among themselves. */
export function similarity(left: string, right: string): number {
  if (left.length <= 2 && right.length <= 2) return 0.5;
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  const affix = (start + end) / Math.max(left.length, right.length);
  const words = wordsOf(left);
  const others = new Set(wordsOf(right));
  const common = words.filter((word) => others.has(word)).length;
  return Math.max(affix, common / Math.max(words.length, others.size));
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .split(/_+/)
    .filter((word) => word !== '');
}
