import { namedChildren, type TreeNode } from '../copy-tree.ts';
import { operandText } from '../fit-text.ts';
import { put } from '../place-expression.ts';
import { functionAround, indentAt, isOnOwnLine, mayReturnValue, ownNodes, siblingsOf } from '../statement-layout.ts';
import type { Replacement, Site, Template } from '../template.ts';

const MAX_NAMES = 3;
const MAX_SEEN = 3;
const MAX_LENGTH = 40;

/** A `return` that is missing, or returns nothing, something else, the negative, or what the function returns elsewhere. */
export const returns: Template = {
  name: 'return',
  *propose(site) {
    const { statement, grammar } = site;
    if (!statement || site.isDefinition) return;
    const around = functionAround(grammar, statement);
    if (!around || around.type === 'lambda' || !mayReturnValue(grammar, around)) return;
    const isReturn = grammar.statements.jump(statement) === 'return';
    if (isReturn) yield* otherValue(site, statement, around);
    else {
      yield* ofExpression(site, statement, around);
      yield* atEnd(site, statement, around);
    }
  },
};

/** `f(x)` becomes `return f(x)`. */
function* ofExpression(site: Site, statement: TreeNode, around: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const expression = grammar.statements.expression(statement);
  if (!expression || grammar.literal(expression, source) === 'string' || /yield|delete/.test(expression.type)) return;
  const siblings = siblingsOf(grammar, statement);
  const isLast = siblings.length === 0 || siblings.at(-1) === statement;
  const isBody = statement.parent?.parent === around;
  yield {
    start: statement.start,
    end: statement.start,
    text: 'return ',
    variant: isLast ? (isBody ? 'added-last' : 'added-in-block') : 'added-early',
  };
}

/** `return name` after the last statement of a function that changed the name. */
function* atEnd(site: Site, statement: TreeNode, around: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const indent = indentAt(source, statement.start);
  if (
    statement.parent?.parent !== around ||
    siblingsOf(grammar, statement).at(-1) !== statement ||
    indent === undefined
  )
    return;
  if (grammar.statements.jump(statement) || !isOnOwnLine(grammar, source, statement)) return;
  const changed = changedNames(site, around);
  const bound = boundAfter(site, statement);
  const ranked = [...changed].filter((name) => bound.has(name)).reverse();
  const end = grammar.phrases.end;
  const before = end !== '' && !/[;}]$/.test(site.text(statement)) ? ';' : '';
  for (const [index, name] of ranked.slice(0, MAX_NAMES).entries()) {
    yield {
      start: statement.end,
      end: statement.end,
      text: `${before}\n${indent}return ${name}${end}`,
      variant: 'added-name',
      fit: 1 / (1 + index),
    };
  }
  for (const [index, text] of seenValues(site, statement, around).slice(0, 2).entries()) {
    yield {
      start: statement.end,
      end: statement.end,
      text: `${before}\n${indent}return ${text}${end}`,
      variant: 'added-seen',
      fit: 1 / (1 + index),
    };
  }
}

/** Names that are bound once the statement has run, those it assigns itself among them. */
export function boundAfter(site: Site, statement: TreeNode): ReadonlySet<string> {
  const bound = new Set(site.locals(statement.parent ?? statement, statement.end - 1));
  if (statement.type !== 'expression_statement') return bound;
  for (const node of ownNodes(site.grammar, statement)) {
    if (node.type === 'identifier' && (node.field === 'left' || node.parent?.field === 'left') && !isMemberPart(node))
      bound.add(site.text(node));
  }
  return bound;
}

/** In `a.b = 1` and `a[i] = 1` nothing is bound. */
function isMemberPart({ parent }: TreeNode): boolean {
  return /^(attribute|subscript|member_expression|subscript_expression)$/.test(parent?.type ?? '');
}

/** Names in order of their last change: assigned, updated, or the object of a call that stands alone. */
function changedNames(site: Site, around: TreeNode): Set<string> {
  const names = new Set<string>();
  for (const node of ownNodes(site.grammar, around)) {
    if (node.type !== 'identifier') continue;
    const { parent, field } = node;
    const isAssigned =
      field === 'left' ||
      (field === 'name' && parent?.type === 'variable_declarator') ||
      parent?.type === 'update_expression';
    const isObject = field === 'object' && parent?.parent?.parent?.type === 'expression_statement';
    const isElement = (field === 'value' || field === 'object') && parent?.field === 'left';
    if (!isAssigned && !isObject && !isElement) continue;
    const name = site.text(node);
    names.delete(name);
    names.add(name);
  }
  return names;
}

function* otherValue(site: Site, statement: TreeNode, around: TreeNode): Iterable<Replacement> {
  const { grammar, source } = site;
  const { end, none } = grammar.phrases;
  const [value] = namedChildren(statement);
  const seen = seenValues(site, statement, around);
  if (!value) {
    const names = site.locals(statement.parent ?? statement, statement.start);
    const texts = [
      ...seen.map((text) => [text, 'seen'] as const),
      ...names.slice(0, MAX_NAMES).map((name) => [name, 'name'] as const),
    ];
    for (const [index, [text, kind]] of texts.entries()) {
      yield {
        start: statement.start,
        end: statement.end,
        text: `return ${text}${end}`,
        variant: `empty-to-${kind}`,
        fit: 1 / (1 + index / 2),
      };
    }
    return;
  }
  const own = site.text(value);
  for (const [index, text] of seen.entries())
    yield* put(site, value, text, { tightness: 0, variant: 'to-seen', fit: 1 / (1 + index / 2) });
  const literals = [none[0] ?? 'null', ...grammar.booleans].filter(
    (text) => !seen.includes(text) && text !== own && !isOpposite(site, text, own),
  );
  for (const text of literals)
    yield* put(site, value, text, { variant: grammar.literal(value, source) ? 'literal-to-literal' : 'to-literal' });
  yield* toOperand(site, value);
  if (grammar.literal(value, source) || grammar.negative(value) || own.startsWith('not ') || !isNumber(site, value))
    return;
  const minus = grammar.operators.get('*');
  if (minus)
    yield* put(site, value, `-${operandText(grammar, value, minus, false, source)}`, {
      tightness: grammar.signTightness,
      variant: 'negative',
    });
}

/** The template of constants proposes it. */
function isOpposite({ grammar }: Site, text: string, own: string): boolean {
  return grammar.booleans.includes(text) && grammar.booleans.includes(own);
}

/** A conditional value becomes one of its two sides. */
function* toOperand(site: Site, value: TreeNode): Iterable<Replacement> {
  if (!/^(conditional|ternary)_expression$/.test(value.type)) return;
  const parts = namedChildren(value);
  const sides = value.type === 'ternary_expression' ? parts.slice(1) : [parts[0], parts[2]];
  for (const side of sides) {
    if (side)
      yield* put(site, value, site.text(side), {
        tightness: site.grammar.tightness(side, site.source),
        variant: 'one-side',
      });
  }
}

/** A name, a difference, a call: what could be a number. */
function isNumber({ grammar }: Site, value: TreeNode): boolean {
  const [token, ...more] = grammar.operation(value)?.operators ?? [];
  if (token) return more.length === 0 && /^[-*/]/.test(token.type);
  return value.type === 'identifier' || grammar.call(value) !== undefined || grammar.member(value) !== undefined;
}

/** Short values that other returns of the function give, in source order. */
function seenValues(site: Site, statement: TreeNode, around: TreeNode): string[] {
  const { grammar } = site;
  const known = boundAfter(site, statement);
  const own = namedChildren(statement)[0];
  const values = new Set<string>();
  for (const node of ownNodes(grammar, around)) {
    const [value] = grammar.statements.jump(node) === 'return' ? namedChildren(node) : [];
    if (!value || node === statement) continue;
    const text = site.text(value);
    if (text.length > MAX_LENGTH || /[\r\n]/.test(text) || (own && text === site.text(own))) continue;
    const names = [value, ...ownNodes(grammar, value)].filter((one) => one.type === 'identifier' && site.isLocal(one));
    if (names.every((one) => known.has(site.text(one)))) values.add(text);
  }
  return [...values].slice(0, MAX_SEEN);
}
