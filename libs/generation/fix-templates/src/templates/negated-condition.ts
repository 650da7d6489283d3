import type { TreeNode } from '../copy-tree.ts';
import { fitText, negate, operatorOf } from '../fit-text.ts';
import type { Site, Template } from '../template.ts';

/** The opposite of what decides a branch, a loop or a filter, or of a truth value that is returned or assigned. */
export const negatedCondition: Template = {
  name: 'negated-condition',
  *propose(site) {
    const { grammar, source } = site;
    for (const node of site.nodes) {
      const variant = placeOf(site, node);
      if (!variant || hasOpposite(site, node) || grammar.negated(node)) continue;
      const text = fitText(grammar, node, negate(grammar, node, source), grammar.negation.tightness, source);
      yield { start: node.start, end: node.end, text, variant };
    }
  },
};

function placeOf(site: Site, node: TreeNode): string | undefined {
  if (site.grammar.isCondition(node)) return 'condition';
  if (!mayBeTruth(site, node)) return undefined;
  if (site.grammar.isReturned(node)) return 'returned';
  return site.grammar.isAssigned(node) ? 'assigned' : undefined;
}

/** A single comparison: its operator has an opposite, which the comparison template proposes. */
function hasOpposite({ grammar, source }: Site, node: TreeNode): boolean {
  const [token, ...more] = grammar.operation(node)?.operators ?? [];
  return token !== undefined && more.length === 0 && operatorOf(grammar, token, source)?.family === 'comparison';
}

function mayBeTruth({ grammar, source }: Site, node: TreeNode): boolean {
  const [token] = grammar.operation(node)?.operators ?? [];
  if (token) return operatorOf(grammar, token, source)?.family === 'boolean';
  return node.type === 'identifier' || grammar.call(node) !== undefined || grammar.member(node) !== undefined;
}
