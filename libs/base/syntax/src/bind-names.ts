// The second pass of name resolution: which scope each name belongs to, and which definition comes first there.
import type { NameDefinition, NameRules, NameUse, Walk } from './resolve-names.ts';

/** What the first pass found, in source order; scopes are still those the names were mentioned in. */
export interface Mentions {
  definitions: { definition: NameDefinition; space: 'value' | 'type' | 'both' }[];
  uses: { use: NameUse; isType: boolean }[];
}

/** Index of the first definition of each name; -1 for a name that is local although nothing binds it. */
interface ScopeNames {
  value: Map<string, number>;
  type: Map<string, number>;
}

interface Binder {
  walk: Walk;
  rules: NameRules;
  names: ScopeNames[];
}

/** Moves definitions to the scope their name lives in, and points uses at definitions. */
export function bindNames(walk: Walk, rules: NameRules, { definitions, uses }: Mentions): void {
  const names = walk.scopes.map(() => ({ value: new Map<string, number>(), type: new Map<string, number>() }));
  const binder: Binder = { walk, rules, names };
  for (const [scope, declared] of walk.declared) for (const name of declared) names[scope]?.value.set(name, -1);
  const elsewhere: number[] = [];
  for (const [index, { definition }] of definitions.entries()) {
    const isRedirected = walk.redirects.get(definition.scope)?.has(definition.name) ?? false;
    if (definition.kind === 'assignment' || isRedirected) elsewhere.push(index);
    else declare(binder, definitions, index);
  }
  for (const index of elsewhere) {
    const definition = definitions[index]?.definition as NameDefinition;
    definition.scope = Math.max(0, homeOf(binder, 'value', definition.scope, definition.name));
    declare(binder, definitions, index);
  }
  for (const { use, isType } of uses) {
    const index = resolve(binder, isType ? 'type' : 'value', use) ?? resolve(binder, isType ? 'value' : 'type', use);
    if (index !== undefined && index >= 0) use.definition = index;
  }
}

function declare({ names }: Binder, definitions: Mentions['definitions'], index: number): void {
  const { definition, space } = definitions[index] as Mentions['definitions'][number];
  const known = names[definition.scope] as ScopeNames;
  for (const each of space === 'both' ? (['value', 'type'] as const) : [space]) {
    if ((known[each].get(definition.name) ?? -1) < 0) known[each].set(definition.name, index);
  }
}

function resolve(binder: Binder, space: keyof ScopeNames, { scope, name }: NameUse): number | undefined {
  const home = homeOf(binder, space, scope, name);
  return home < 0 ? undefined : binder.names[home]?.[space].get(name);
}

/** The scope a name belongs to when it is mentioned in `scope`; -1 when no scope has it. */
function homeOf({ walk, rules, names }: Binder, space: keyof ScopeNames, scope: number, name: string): number {
  let isHidden = false;
  for (let current = scope; ; current = walk.parentScope(current)) {
    const redirect = walk.redirects.get(current)?.get(name);
    if (redirect === 'global') return 0;
    const kind = walk.scopeKind(current);
    const isSeen = !(isHidden && rules.hidesNames(kind)) && redirect === undefined;
    if (isSeen && names[current]?.[space].has(name)) return current;
    if (current === 0) return -1;
    if (kind !== 'type') isHidden = true;
  }
}
