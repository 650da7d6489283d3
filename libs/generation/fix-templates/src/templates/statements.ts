import { namedChildren, type TreeNode } from '../copy-tree.ts';
import {
  indentAt,
  isBlank,
  isOnOwnLine,
  mayJoin,
  ownNodes,
  reindented,
  siblingsOf,
  unitOf,
} from '../statement-layout.ts';
import type { Replacement, Site, Template } from '../template.ts';

/** A statement left out, exchanged with its neighbour, or moved one level out of or into a loop or branch; a condition taken from around its block. */
export const statements: Template = {
  name: 'statement',
  *propose(site) {
    const { statement, grammar, source } = site;
    if (!statement || site.isDefinition || !isClear(site, statement)) return;
    const siblings = siblingsOf(grammar, statement);
    const at = siblings.indexOf(statement);
    if (at < 0) return;
    const around = { siblings, at, previous: siblings[at - 1], next: siblings[at + 1] };
    yield* deleted(site, statement, around);
    yield* withoutCondition(site, statement);
    if (!grammar.statements.isMovable(statement) || grammar.statements.jump(statement) === 'raise') return;
    if (around.next) yield* swapped(site, statement, around.next, 'swapped-next');
    if (around.previous) yield* swapped(site, around.previous, statement, 'swapped-previous');
    if (!isOnOwnLine(grammar, source, statement)) return;
    yield* movedOut(site, statement, around);
    yield* movedIn(site, statement, around);
  },
};

interface Around {
  siblings: readonly TreeNode[];
  at: number;
  previous: TreeNode | undefined;
  next: TreeNode | undefined;
}

const DECLARING =
  /^(global|nonlocal|import|function|class|decorated|lexical|variable|type|interface|enum|export|try|with|match|switch|abstract|labeled)/;

/** It declares nothing, and no declaration of scope stands beside it. */
function isClear({ grammar, source }: Site, statement: TreeNode): boolean {
  if (DECLARING.test(statement.type)) return false;
  const [first] = namedChildren(statement);
  if (statement.type === 'expression_statement' && (!first || grammar.literal(first, source) === 'string'))
    return false;
  return !siblingsOf(grammar, statement).some(({ type }) => /^(global|nonlocal)/.test(type));
}

function* deleted(site: Site, statement: TreeNode, { siblings, at, previous, next }: Around): Iterable<Replacement> {
  const { grammar, source } = site;
  const { nothing } = grammar.phrases;
  if (grammar.statements.jump(statement) && grammar.statements.jump(statement) !== 'raise') return;
  const range = nothing !== '' && siblings.length === 1 ? undefined : emptyRange(source, statement, previous, next);
  const above = source.slice(previous?.start ?? 0, previous?.end ?? 0);
  if (range && next && mayJoin(grammar, above, source.slice(next.start, next.start + 12))) return;
  const variant = `deleted-${deletedKind(site, statement)}`;
  if (range) yield { start: range[0], end: range[1], text: '', variant };
  else if (statement.type !== 'pass_statement')
    yield { start: statement.start, end: statement.end, text: nothing, variant };
  void at;
}

/** The statement with the blanks to one of its neighbours, so that no empty line stays. */
function emptyRange(
  source: string,
  { start, end }: TreeNode,
  previous: TreeNode | undefined,
  next: TreeNode | undefined,
): [number, number] | undefined {
  if (next && /^[;\s]*$/.test(source.slice(end, next.start))) return [start, next.start];
  if (previous && /^[;\s]*$/.test(source.slice(previous.end, start))) return [previous.end, end];
  return indentAt(source, start) === undefined || !/^[ \t]*(#|\/\/|[\r\n]|$)/.test(source.slice(end, end + 200))
    ? undefined
    : [start, end];
}

function deletedKind({ grammar }: Site, statement: TreeNode): string {
  if (grammar.statements.plainBranch(statement)) return 'branch';
  if (grammar.statements.body(statement)) return 'block';
  const [first] = namedChildren(statement);
  if (first && /^assignment/.test(first.type)) return 'assignment';
  return first && /augmented|update/.test(first.type) ? 'update' : 'other';
}

/** `if a: b` becomes `b`. */
function* withoutCondition(site: Site, statement: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const branch = grammar.statements.plainBranch(statement);
  const indent = indentAt(source, statement.start);
  if (!branch || indent === undefined) return;
  const inner = grammar.statements.isList(branch.body) ? namedChildren(branch.body) : [branch.body];
  const [first] = inner;
  const last = inner.at(-1);
  if (!first || !last || inner.some(({ type }) => DECLARING.test(type) || /^pass/.test(type))) return;
  const whole = { ...branch.body, start: first.start, end: last.end, children: inner };
  const text = reindented(source, whole, indentAt(source, first.start) ?? indent, indent);
  if (text === undefined || text === '') return;
  if (grammar.phrases.language === 'python' && indentAt(source, first.start) === undefined && /[\r\n]/.test(text))
    return;
  yield { start: statement.start, end: statement.end, text, variant: 'condition-dropped' };
}

/** Two neighbours that have a name in common change places. */
function* swapped(site: Site, first: TreeNode, second: TreeNode, variant: string): Iterable<Replacement> {
  const { grammar, source } = site;
  const { statements } = grammar;
  if (![first, second].every((one) => statements.isMovable(one) && !statements.jump(one))) return;
  const [left, right] = [site.text(first), site.text(second)];
  if (!haveCommonName(left, right)) return;
  const between = source.slice(first.end, second.start);
  if (grammar.phrases.end !== '' && ![left, right].every((text) => text.endsWith(';'))) {
    const isUnclear = [left, right].some((text) => text.endsWith(';') || mayJoin(grammar, 'a', text));
    if (isUnclear || !/[\r\n]/.test(between)) return;
  }
  yield {
    start: first.start,
    end: second.end,
    text: `${right}${between}${left}`,
    variant,
  };
}

function haveCommonName(left: string, right: string): boolean {
  const names = new Set(wordsOf(left));
  return wordsOf(right).some((word) => names.has(word));
}

function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).filter(
    (word) => !/^(self|this|cls|await|not|None|null)$/.test(word),
  );
}

/** The last statement of a block after what the block belongs to, or the first one before it. */
function* movedOut(site: Site, statement: TreeNode, { siblings, previous, next }: Around): Iterable<Replacement> {
  const { grammar, source } = site;
  const list = statement.parent;
  const owner = list?.parent && ownerOf(site, list);
  if (!list || !owner || hasDeclaredName(site, statement, list, owner)) return;
  const outer = indentAt(source, owner.start);
  const inner = indentAt(source, statement.start);
  if (outer === undefined || inner === undefined || !staysInLoop(site, statement, owner)) return;
  const text = reindented(source, statement, inner, outer);
  if (text === undefined || (siblings.length === 1 && grammar.phrases.nothing === '')) return;
  const rest = siblings.length === 1 ? grammar.phrases.nothing : '';
  if (!next) {
    const isAfter = previous && isBlank(source.slice(previous.end, statement.start));
    const start = isAfter ? previous.end : statement.start;
    if (isAfter || siblings.length === 1) {
      yield {
        start,
        end: owner.end,
        text: `${rest}${source.slice(statement.end, owner.end)}\n${outer}${text}`,
        variant: `out-after-${kindOf(site, owner)}`,
      };
    }
  }
  const isConsequence = grammar.statements.body(owner) === list;
  if (previous || !isConsequence || grammar.statements.jump(statement)) return;
  const end =
    next && isBlank(source.slice(statement.end, next.start))
      ? next.start
      : siblings.length === 1
        ? statement.end
        : undefined;
  if (end === undefined) return;
  yield {
    start: owner.start,
    end,
    text: `${text}\n${outer}${source.slice(owner.start, statement.start)}${rest}`,
    variant: `out-before-${kindOf(site, owner)}`,
  };
}

function kindOf({ grammar }: Site, owner: TreeNode): string {
  return grammar.statements.isLoop(owner) ? 'loop' : 'branch';
}

/** The statement that a block belongs to: a loop, or an `if` with all its branches. */
function ownerOf({ grammar }: Site, list: TreeNode): TreeNode | undefined {
  let owner = list.parent;
  while (owner && /^(elif|else)_clause$/.test(owner.type)) owner = owner.parent;
  if (!owner?.parent || !grammar.statements.isList(owner.parent)) return undefined;
  return grammar.statements.isLoop(owner) || /^if_statement$/.test(owner.type) ? owner : undefined;
}

/** It uses a name that only the block or the loop has. */
function hasDeclaredName(site: Site, statement: TreeNode, list: TreeNode, owner: TreeNode): boolean {
  const { grammar } = site;
  const own = new Set(wordsOf(site.text(statement)));
  const declared = [
    ...owner.children,
    ...list.children,
    ...owner.children.flatMap(({ children, type }) => (type === 'lexical_declaration' ? children : [])),
  ].filter((node) => grammar.statements.isDeclaring(node));
  const names = declared.flatMap((node) =>
    wordsOf(node.type === 'lexical_declaration' ? declaredText(site, node) : site.text(node)),
  );
  return names.some((name) => own.has(name));
}

function declaredText(site: Site, declaration: TreeNode): string {
  return namedChildren(declaration)
    .map((one) => site.text(namedChildren(one)[0] ?? one))
    .join(' ');
}

/** `break` and `continue` need a loop, also where they are moved to. */
function staysInLoop({ grammar }: Site, statement: TreeNode, owner: TreeNode): boolean {
  const jump = grammar.statements.jump(statement);
  if (jump === 'break' || jump === 'continue') return !grammar.statements.isLoop(owner);
  for (const node of ownNodes(grammar, statement)) if (/^(break|continue)_statement$/.test(node.type)) return false;
  return true;
}

/** A statement after a loop or branch to its end, one before it to its beginning. */
function* movedIn(site: Site, statement: TreeNode, { previous, next }: Around): Iterable<Replacement> {
  const { grammar, source } = site;
  const indent = indentAt(source, statement.start);
  if (indent === undefined) return;
  const body = previous && lastBody(site, previous);
  const last = body && siblingsOf(grammar, namedChildren(body)[0] ?? body).at(-1);
  const unit = last && unitOf(source, indent, last);
  if (
    previous &&
    last &&
    unit &&
    !grammar.statements.jump(last) &&
    isBlank(source.slice(previous.end, statement.start))
  ) {
    const text = reindented(source, statement, indent, indent + unit);
    const rest = source.slice(last.end, previous.end);
    if (text !== undefined && isTail(rest)) {
      yield {
        start: last.end,
        end: statement.end,
        text: `\n${indent}${unit}${text}${rest}`,
        variant: `in-end-${kindOf(site, previous)}`,
      };
    }
  }
  const inside = next && grammar.statements.body(next);
  const first = inside && namedChildren(inside)[0];
  const step = first && unitOf(source, indent, first);
  if (
    !next ||
    !first ||
    !step ||
    grammar.statements.jump(statement) ||
    !isBlank(source.slice(statement.end, next.start))
  )
    return;
  if (
    /^(expression_statement)$/.test(first.type) &&
    grammar.literal(namedChildren(first)[0] ?? first, source) === 'string'
  )
    return;
  const text = reindented(source, statement, indent, indent + step);
  if (text === undefined) return;
  yield {
    start: statement.start,
    end: first.start,
    text: `${source.slice(next.start, first.start)}${text}\n${indent}${step}`,
    variant: `in-start-${kindOf(site, next)}`,
  };
}

/** Blanks and a closing brace. */
function isTail(text: string): boolean {
  return /^\s*\}?$/.test(text);
}

function lastBody({ grammar }: Site, statement: TreeNode): TreeNode | undefined {
  if (!grammar.statements.isLoop(statement) && !grammar.statements.plainBranch(statement)) return undefined;
  if (statement.children.some(({ field }) => field === 'alternative') || statement.type === 'do_statement')
    return undefined;
  return grammar.statements.body(statement);
}
