// Whether an expression may stand in the place of another, beyond precedence: targets, interpolations, beginnings of statements.
import { childIn, type TreeNode } from './copy-tree.ts';
import { fitText } from './fit-text.ts';
import { mayStart } from './statement-layout.ts';
import type { Replacement, Site } from './template.ts';

/** Names, calls, members and what is closed in itself bind tightest in every language. */
export const ATOM = 99;
const ASSIGNING = /assign|^for_|^del|with_item|named_expression|update_expression|pattern/;
const CHAIN = /^(member_expression|subscript_expression|call_expression|non_null_expression|attribute|subscript|call)$/;
const CHAINED = /^(object|function|value|expression|)$/;
const WRAPPING = /^(parenthesized_expression|as_expression|satisfies_expression|non_null_expression)$/;
const GROUP =
  /^(pattern_list|tuple_pattern|list_pattern|tuple|list|expression_list|list_splat.*|parenthesized_expression)$/;

/** Puts text in the place of a node, where it may stand; yields at most one replacement. */
export function* put(
  site: Site,
  node: TreeNode,
  text: string,
  { tightness = ATOM, variant, fit }: { tightness?: number; variant: string; fit?: number },
): Iterable<Replacement> {
  const fitted = fitText(site.grammar, node, text, tightness, site.source);
  if (!isAllowed(site, node, fitted) || !mayStart(site.grammar, node, fitted)) return;
  yield { start: node.start, end: node.end, text: fitted, variant, ...(fit === undefined ? {} : { fit }) };
}

/** Inside an interpolation some characters end the string. */
function isAllowed({ grammar, source }: Site, node: TreeNode, text: string): boolean {
  const forbidden = grammar.forbiddenIn(node, source);
  if (forbidden === '') return true;
  return !text.startsWith('{') && !/["'\\#\n]/.test(text) && ![...forbidden].some((one) => text.includes(one));
}

/** The node is assigned, deleted or bound, alone or among others. */
export function isTarget(node: TreeNode): boolean {
  let at = node;
  while (at.parent && GROUP.test(at.parent.type)) at = at.parent;
  const { parent, field } = at;
  if (!parent || !ASSIGNING.test(parent.type)) return false;
  return field === 'left' || field === 'name' || field === 'alias' || /^(delete|update|.*pattern)/.test(parent.type);
}

/** The node is the beginning of a chain that is assigned, constructed or a template's tag: it may have no `?.`. */
export function isChainTarget(node: TreeNode): boolean {
  let at = node;
  while (at.parent && (CHAIN.test(at.parent.type) || WRAPPING.test(at.parent.type)) && CHAINED.test(at.field)) {
    if (at.field === 'function' && childIn(at.parent, 'arguments')?.type === 'template_string') return true;
    at = at.parent;
  }
  return at.field === 'constructor' || isTarget(at) || at.parent?.type === 'decorator';
}

/** An expression that is read where it stands: neither called nor the object of a member, neither assigned nor a key. */
export function isReadValue({ grammar }: Site, node: TreeNode): boolean {
  const { parent, field } = node;
  if (!node.named || !parent || isTarget(node)) return false;
  if (/^(function|constructor|object|key|name|property|attribute|operator)$/.test(field)) return false;
  if (field === 'value' && parent.type === 'subscript') return false;
  if (grammar.subscript(parent)?.container === node) return false;
  return !/^(expression_statement|decorator|as_expression|satisfies_expression|type_assertion|jsx_.*|await.*)$/.test(
    parent.type,
  );
}
