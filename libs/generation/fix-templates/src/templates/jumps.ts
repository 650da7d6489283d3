import type { TreeNode } from '../copy-tree.ts';
import {
  functionAround,
  indentAt,
  isOnOwnLine,
  loopAround,
  mayReturnValue,
  ownNodes,
  siblingsOf,
} from '../statement-layout.ts';
import type { Replacement, Site, Template } from '../template.ts';
import { boundAfter } from './returns.ts';

const MAX_SEEN = 2;
const MAX_LENGTH = 60;

/** `break`, `continue` and `return` for one another, left out, or put at the end of a block. */
export const jumps: Template = {
  name: 'jump',
  *propose(site) {
    const { statement, grammar } = site;
    if (!statement || site.isDefinition || /^(global|nonlocal|import|function|class|decorated)/.test(statement.type))
      return;
    const jump = grammar.statements.jump(statement);
    if (jump && jump !== 'raise') {
      yield* exchanged(site, statement, jump);
      yield* removed(site, statement, jump);
    } else if (!jump && !/^(break|continue)/.test(statement.type)) yield* added(site, statement);
  },
};

/** What can be written there: words and returns that the function has elsewhere, by kind. */
function jumpsAt(site: Site, statement: TreeNode): { kind: string; text: string }[] {
  const { grammar } = site;
  const { end } = grammar.phrases;
  const found: { kind: string; text: string }[] = [];
  if (loopAround(grammar, statement))
    found.push({ kind: 'break', text: `break${end}` }, { kind: 'continue', text: `continue${end}` });
  const around = functionAround(grammar, statement);
  if (!around || around.type === 'lambda') return found;
  found.push({ kind: 'return', text: `return${end}` });
  if (!mayReturnValue(grammar, around)) return found;
  const seen = new Set<string>();
  for (const node of ownNodes(grammar, around)) {
    if (grammar.statements.jump(node) !== 'return' || node === statement || seen.size >= MAX_SEEN) continue;
    const text = `${site.text(node).replace(/;$/, '')}${end}`;
    if (text.length <= MAX_LENGTH && text !== `return${end}` && !/[\r\n]/.test(text) && isUsable(site, node, statement))
      seen.add(text);
  }
  for (const text of seen) found.push({ kind: 'seen', text });
  return found;
}

/** The value's names are bound where it would be returned. */
function isUsable(site: Site, jump: TreeNode, at: TreeNode): boolean {
  const known = boundAfter(site, at);
  for (const node of ownNodes(site.grammar, jump)) {
    if (node.type === 'identifier' && site.isLocal(node) && !known.has(site.text(node))) return false;
  }
  return true;
}

function* exchanged(site: Site, statement: TreeNode, jump: string): Iterable<Replacement> {
  const isValued = statement.children.some(({ named }) => named);
  for (const { kind, text } of jumpsAt(site, statement)) {
    if (kind === jump || (kind === 'return' && isValued) || (kind === 'seen' && jump === 'return')) continue;
    yield { start: statement.start, end: statement.end, text, variant: `${jump}-to-${kind}` };
  }
}

function* removed(site: Site, statement: TreeNode, jump: string): Iterable<Replacement> {
  const { grammar, source } = site;
  const siblings = siblingsOf(grammar, statement);
  const previous = siblings[siblings.indexOf(statement) - 1];
  const isAlone = siblings.length === 1;
  if (jump === 'return' && statement.children.some(({ named }) => named) && /[\r\n]/.test(site.text(statement))) return;
  const gap = previous && source.slice(previous.end, statement.start);
  if (previous && gap !== undefined && /^[;\s]*$/.test(gap)) {
    yield { start: previous.end, end: statement.end, text: gap.includes(';') ? ';' : '', variant: `${jump}-dropped` };
  } else if (isAlone || siblings.length === 0) {
    const text = grammar.phrases.nothing || (siblings.length === 0 ? '{}' : '');
    yield { start: statement.start, end: statement.end, text, variant: `${jump}-dropped` };
  }
}

/** After the last statement of a block. */
function* added(site: Site, statement: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const siblings = siblingsOf(grammar, statement);
  const indent = indentAt(source, statement.start);
  if (siblings.at(-1) !== statement || indent === undefined || !isOnOwnLine(grammar, source, statement)) return;
  const owner = statement.parent?.parent;
  if (
    !owner ||
    grammar.statements.isFunction(owner) ||
    statement.parent?.type === 'module' ||
    statement.parent?.type === 'program'
  )
    return;
  const place = grammar.statements.isLoop(owner)
    ? 'loop'
    : statement.parent?.type.startsWith('switch_')
      ? 'case'
      : 'branch';
  const isCase = place === 'case';
  const words = isCase
    ? [
        { kind: 'break', text: `break${grammar.phrases.end}` },
        ...jumpsAt(site, statement).filter(({ kind }) => kind !== 'break'),
      ]
    : jumpsAt(site, statement);
  for (const { kind, text } of words) {
    if (place === 'loop' && kind === 'continue') continue;
    yield {
      start: statement.end,
      end: statement.end,
      text: `${grammar.phrases.end !== '' && !/[;}]$/.test(site.text(statement)) ? ';' : ''}\n${indent}${text}`,
      variant: `${kind}-added-in-${place}`,
    };
  }
}
