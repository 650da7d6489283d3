import { operatorOf, swapOperator } from '../fit-text.ts';
import type { LiteralKind, Operation } from '../languages/grammar.ts';
import type { Operator } from '../languages/operators.ts';
import type { Site, Template } from '../template.ts';

/** Every comparison operator to every other that can make sense there; links of a chain one at a time. */
export const comparisonOperators: Template = {
  name: 'comparison-operator',
  *propose(site) {
    for (const node of site.nodes) {
      const operation = site.grammar.operation(node);
      if (!operation) continue;
      for (const [position, token] of operation.operators.entries()) {
        const from = operatorOf(site.grammar, token, site.source);
        if (from?.family !== 'comparison') continue;
        const kinds = literalKinds(site, operation, position);
        for (const to of site.grammar.operators.values()) {
          const variant = to.family === 'comparison' && to !== from ? variantOf(from, to, kinds) : undefined;
          if (variant) yield* swapOperator(site, node, operation, position, to, variant);
        }
      }
    }
  },
};

function literalKinds(site: Site, { operands }: Operation, position: number): (LiteralKind | undefined)[] {
  return operands.slice(position, position + 2).map((operand) => site.grammar.literal(operand, site.source));
}

/** How the two operators are confused; `undefined` where nobody confuses them. */
function variantOf(from: Operator, to: Operator, literals: readonly (LiteralKind | undefined)[]): string | undefined {
  if (from.group === to.group) return variantInGroup(from, to);
  if (to.group === 'order' || from.group === 'order') {
    const isOrdered = from.group === 'order' || literals.every((kind) => kind === undefined || kind === 'number');
    const isPlain = isEquality(from) || isEquality(to);
    return isOrdered && isPlain && to.group !== 'loose' ? 'order-equality' : undefined;
  }
  if (from.relation !== to.relation) return undefined;
  if (to.group === 'identity' || from.group === 'identity') return variantOfIdentity(from, to, literals);
  if (to.group === 'membership' || from.group === 'membership') return 'membership';
  return 'strictness';
}

function variantInGroup(from: Operator, to: Operator): string {
  switch (from.relation ^ to.relation) {
    case 2:
      return 'boundary';
    case 5:
      return 'direction';
    default:
      return 'opposite';
  }
}

function isEquality({ group }: Operator): boolean {
  return group === 'equality' || group === 'loose';
}

function variantOfIdentity(
  from: Operator,
  to: Operator,
  literals: readonly (LiteralKind | undefined)[],
): string | undefined {
  if (!isEquality(from) && !isEquality(to)) return undefined;
  const isValue = literals.some((kind) => kind === 'number' || kind === 'string' || kind === 'collection');
  return isValue && to.group === 'identity' ? undefined : 'identity';
}
