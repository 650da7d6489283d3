import type { TreeNode } from '../copy-tree.ts';
import { operatorOf } from '../fit-text.ts';
import type { Site, Template } from '../template.ts';

/** Alternatives proposed for one place. */
const MAX_ALTERNATIVES = 8;

/** Another visible name in the place of one that is read, called or assigned. */
export const variables: Template = {
  name: 'variable',
  *propose(site) {
    for (const node of site.nodes) {
      if (!node.type.endsWith('identifier')) continue;
      const alternatives = site.alternatives(node).filter(({ name }) => !isIdle(site, node, name));
      for (const [position, { name, isTarget, isCallable, isUnused }] of alternatives
        .slice(0, MAX_ALTERNATIVES)
        .entries()) {
        const role = isTarget ? 'target' : isCallable ? 'callable' : 'value';
        const variant = `${role}-${isUnused ? 'unused' : rankOf(position)}`;
        yield { start: node.start, end: node.end, text: name, variant };
        if (node.type !== 'shorthand_property_identifier') continue;
        yield { start: node.start, end: node.end, text: `${site.text(node)}: ${name}`, variant };
      }
    }
  },
};

function rankOf(position: number): string {
  if (position < 2) return position === 0 ? 'first' : 'second';
  return position < 4 ? 'near' : 'far';
}

/** `x = x`, `x < x`, `x - x`, `x and x`: nobody means these. */
function isIdle(site: Site, node: TreeNode, name: string): boolean {
  const { parent } = node;
  if (!parent) return false;
  const [token] = site.grammar.operation(parent)?.operators ?? [];
  const operator = token && operatorOf(site.grammar, token, site.source);
  const isAssigned = (node.field === 'left' || node.field === 'right') && !operator;
  if (!isAssigned && (!operator || (operator.family === 'arithmetic' && operator.commutes))) return false;
  return parent.children.some((child) => child !== node && site.text(child) === name);
}
