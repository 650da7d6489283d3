import type { NameDefinition, NameScope, NameTable } from './resolve-names.ts';

/** A name that code at some offset can mention. */
export interface VisibleName {
  name: string;
  kind: NameDefinition['kind'];
  /** Index in `scopes` of the scope it resolves to. */
  scope: number;
  /** Index in `definitions` of the first definition there. */
  definition: number;
  /** Straight-line code has bound it by then: a parameter, a hoisted function, an assignment above, or anything of a scope around the current function. False for `let` below (reading it throws) and Python locals assigned further down. */
  assigned_before: boolean;
  type_only?: true;
}

/** Names visible at a UTF-16 offset, innermost scope first, then in order of their first definition; a shadowed name is left out. */
export function visibleNames(table: NameTable, offset: number): VisibleName[] {
  const found = new Map<string, VisibleName>();
  const byScope = definitionsByScope(table);
  let isDeferred = false;
  let isHidden = false;
  for (let index = scopeAt(table, offset); index >= 0; index = table.scopes[index]?.parent ?? -1) {
    const scope = table.scopes[index] as NameScope;
    const isSkipped = table.language === 'python' && scope.kind === 'class' && isHidden;
    if (!isSkipped)
      addNames(table, byScope.get(index) ?? [], index, isDeferred ? Number.MAX_SAFE_INTEGER : offset, found);
    if (scope.kind === 'function' || scope.kind === 'lambda') isDeferred = true;
    if (scope.kind !== 'type') isHidden = true;
  }
  return [...found.values()];
}

/** Index of the innermost scope at an offset. */
export function scopeAt(table: NameTable, offset: number): number {
  let found = 0;
  for (const [index, { start, end }] of table.scopes.entries()) {
    if (start <= offset && offset < end && start >= (table.scopes[found] as NameScope).start) found = index;
  }
  return found;
}

function definitionsByScope(table: NameTable): Map<number, number[]> {
  const byScope = new Map<number, number[]>();
  for (const [index, { scope }] of table.definitions.entries()) {
    const list = byScope.get(scope);
    if (list) list.push(index);
    else byScope.set(scope, [index]);
  }
  return byScope;
}

function addNames(
  table: NameTable,
  definitions: readonly number[],
  scope: number,
  offset: number,
  found: Map<string, VisibleName>,
): void {
  for (const index of definitions) {
    const definition = table.definitions[index] as NameDefinition;
    const isBound = definition.kind !== 'annotation' && definition.from <= offset && !isUnbound(definition, offset);
    const known = found.get(definition.name);
    if (!known) {
      const { name, kind, type_only } = definition;
      found.set(name, {
        name,
        kind,
        scope,
        definition: index,
        assigned_before: isBound,
        ...(type_only ? { type_only } : {}),
      });
    } else if (known.scope === scope && isBound) known.assigned_before = true;
  }
}

function isUnbound({ until }: NameDefinition, offset: number): boolean {
  return until !== undefined && offset >= until;
}
