// Where statements stand: what is around them, on which lines, how deep they are indented.
import type { TreeNode } from './copy-tree.ts';
import type { Grammar } from './languages/grammar.ts';

const LINE_END = /\r\n|\n|\r/g;
const TEXTS = new Set(['string', 'template_string', 'jsx_text', 'concatenated_string']);
/** Nodes looked at in one statement or function. */
const MAX_NODES = 3_000;

/** The nearest function around a node whose body it runs in; `undefined` in a module, a class body or a parameter. */
export function functionAround({ statements }: Grammar, node: TreeNode): TreeNode | undefined {
  for (let around = node.parent; around && !statements.isBarrier(around); around = around.parent) {
    if (statements.isFunction(around)) return around;
  }
  return undefined;
}

/** The nearest loop around a node in the same function. */
export function loopAround({ statements }: Grammar, node: TreeNode): TreeNode | undefined {
  for (let around = node.parent; around && !statements.isBarrier(around); around = around.parent) {
    if (statements.isFunction(around)) return undefined;
    if (statements.isLoop(around)) return around;
  }
  return undefined;
}

/** Nodes under one, in preorder, without what belongs to a nested function; a bounded number. */
export function* ownNodes({ statements }: Grammar, root: TreeNode): Iterable<TreeNode> {
  const stack: TreeNode[] = [...root.children].reverse();
  let count = 0;
  for (let node = stack.pop(); node && count < MAX_NODES; node = stack.pop()) {
    count += 1;
    yield node;
    if (statements.isFunction(node)) continue;
    for (let index = node.children.length - 1; index >= 0; index--) stack.push(node.children[index] as TreeNode);
  }
}

/** A value may be returned: in a function, not in an asynchronous generator of Python. */
export function mayReturnValue(grammar: Grammar, around: TreeNode): boolean {
  if (!grammar.statements.isAsync(around) || grammar.phrases.language !== 'python') return true;
  for (const node of ownNodes(grammar, around)) if (grammar.statements.isYield(node)) return false;
  return true;
}

/** Statements of the same list. */
export function siblingsOf({ statements }: Grammar, node: TreeNode): readonly TreeNode[] {
  if (!node.parent || !statements.isList(node.parent)) return [];
  const isCase = node.parent.type.startsWith('switch_');
  return node.parent.children.filter(({ named, field }) => named && (!isCase || field === 'body'));
}

/** Blanks before an offset on its line; `undefined` where something else stands there. */
export function indentAt(source: string, offset: number): string | undefined {
  let start = offset;
  while (start > 0 && !/[\r\n]/.test(source[start - 1] ?? '')) start -= 1;
  const before = source.slice(start, offset).replace(/^\ufeff/, '');
  return /^[ \t]*$/.test(before) ? before : undefined;
}

/** How much deeper a statement is than what it is in; undefined where they are written in one line or unlike each other. */
export function unitOf(source: string, outer: string, inner: TreeNode): string | undefined {
  const indent = indentAt(source, inner.start);
  return indent?.startsWith(outer) && indent.length > outer.length ? indent.slice(outer.length) : undefined;
}

/** Nothing but blanks and line ends. */
export function isBlank(text: string): boolean {
  return /^\s*$/.test(text);
}

/** A statement's text with its further lines at another indentation; `undefined` where that would change a text or is unclear. */
export function reindented(source: string, node: TreeNode, from: string, to: string): string | undefined {
  const text = source.slice(node.start, node.end);
  if (from === to || !/[\r\n]/.test(text)) return text;
  if (hasLongText(node, source)) return undefined;
  const [first = '', ...others] = text.split(LINE_END);
  const moved = others.map((line) =>
    isBlank(line) ? '' : line.startsWith(from) ? to + line.slice(from.length) : undefined,
  );
  return moved.includes(undefined) ? undefined : [first, ...moved].join('\n');
}

/** It holds a text of several lines. */
function hasLongText(root: TreeNode, source: string): boolean {
  const stack = [root];
  let count = 0;
  for (let node = stack.pop(); node; node = stack.pop()) {
    count += 1;
    if (count > MAX_NODES) return true;
    if (TEXTS.has(node.type) && /[\r\n]/.test(source.slice(node.start, node.end))) return true;
    stack.push(...node.children);
  }
  return false;
}

/** The first statement whose line an inserted line may precede: it is the first on its line, in a list of its own lines. */
export function isOnOwnLine(grammar: Grammar, source: string, node: TreeNode): boolean {
  if (indentAt(source, node.start) === undefined) return false;
  const after = /^[ \t]*/.exec(source.slice(node.end, node.end + 80))?.[0].length ?? 0;
  const next = source.slice(node.end + after, node.end + after + 2);
  const isEnd =
    next === '' ||
    /^[\r\n]/.test(next) ||
    (grammar.phrases.language === 'python' ? next.startsWith('#') : next === '//');
  return isEnd;
}

/** Text that JavaScript would join to a line above that ends without a semicolon, or would take for a block. */
const HAZARD = /^\s*([([`+\-/*{]|function\b|class\b|let\b|async\s+function\b)/;

/** The text may begin where the node does: it does not begin a statement, nor what an arrow function returns, as something else. */
export function mayStart({ phrases }: Grammar, node: TreeNode, text: string): boolean {
  if (phrases.language === 'python' || !HAZARD.test(text)) return true;
  let at = node;
  while (at.parent) {
    if (at.parent.type === 'expression_statement') return false;
    if (at.parent.type === 'arrow_function' && at.field === 'body') return false;
    if (at.parent.start !== at.start) return true;
    at = at.parent;
  }
  return true;
}

/** The text would join the line above, or the line below join it, for want of a semicolon. */
export function mayJoin({ phrases }: Grammar, above: string, below: string): boolean {
  return phrases.language === 'javascript' && /[^;{}\s]\s*$/.test(above) && HAZARD.test(below);
}
