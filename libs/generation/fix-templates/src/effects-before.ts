// What a statement does before one of its parts is evaluated: from there on the values seen as it began need not hold.
import { childAround, type OffsetRange, type TreeNode } from './copy-tree.ts';
import type { Site } from './template.ts';

/** Code of the program may run in it, or a name is bound. */
const EFFECT =
  /^(call|call_expression|new_expression|update_expression|assignment|assignment_expression|augmented_assignment|augmented_assignment_expression|variable_declarator|named_expression|as_pattern|await|await_expression|yield|yield_expression)$/;
/** What stands behind may come first: the condition of Python's `a if c else b`, a value before its target. */
const OUT_OF_ORDER = /^(conditional_expression|assignment|assignment_expression|variable_declarator)$/;

const known = new WeakMap<Site, readonly TreeNode[]>();

/** Whether the statement does something that may change values before a part of it, or in it; what only follows from the part does not count. */
export function hasEffectBefore(site: Site, [start, end]: OffsetRange): boolean {
  let effects = known.get(site);
  if (effects === undefined) {
    effects = nodesOf(site).filter((node) => EFFECT.test(node.type) && !isLength(site, node));
    known.set(site, effects);
  }
  if (effects.length === 0) return false;
  const reach = reachOf(site, start, end);
  return effects.some((node) => {
    const isAround = node.start <= start && end <= node.end && node.end - node.start > end - start;
    return node.start < reach && !isAround;
  });
}

/** Where the last of what comes before the part's end may stand. */
function reachOf({ node }: Site, start: number, end: number): number {
  let reach = end;
  for (let around: TreeNode | undefined = node; around !== undefined; around = childAround(around, start, end)) {
    if (!OUT_OF_ORDER.test(around.type)) continue;
    const last = around.children.at(-1);
    if (around.type === 'conditional_expression' || (last !== undefined && start < last.start))
      reach = Math.max(reach, around.end);
  }
  return reach;
}

/** Of the statement's own span, also what no template changes. */
function nodesOf({ node: root, range: [first, last] }: Site): TreeNode[] {
  const nodes: TreeNode[] = [];
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.end <= first || node.start >= last) continue;
    if (first <= node.start && node.end <= last) nodes.push(node);
    stack.push(...node.children);
  }
  return nodes;
}

/** `len(x)` is read as what it is. */
function isLength({ grammar, text }: Site, node: TreeNode): boolean {
  const call = grammar.phrases.language === 'python' ? grammar.call(node) : undefined;
  return call !== undefined && text(call.callee) === 'len';
}
