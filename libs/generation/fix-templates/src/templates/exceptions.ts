import { childIn, namedChildren } from '../copy-tree.ts';
import { functionAround, isOnOwnLine, loopAround, reindented } from '../statement-layout.ts';
import type { Replacement, Site, Template } from '../template.ts';
import { openPlace } from './guards.ts';

const MAX_CLASSES = 4;

/** Classes that are taken for one another. */
const GROUPS: readonly (readonly string[])[] = [
  ['KeyError', 'IndexError', 'LookupError'],
  ['ValueError', 'TypeError'],
  ['AttributeError', 'TypeError', 'KeyError'],
  ['OSError', 'FileNotFoundError', 'IOError'],
  ['StopIteration', 'RuntimeError'],
  ['Error', 'TypeError', 'RangeError', 'SyntaxError'],
  ['ArithmeticError', 'ZeroDivisionError', 'OverflowError'],
];

/** The class that is caught or raised; a statement put into `try`, or taken out of it. */
export const exceptions: Template = {
  name: 'exception',
  prior: 0.001,
  *propose(site) {
    yield* caught(site);
    yield* raised(site);
    yield* wrapped(site);
    yield* unwrapped(site);
  },
};

function others(site: Site, own: string): string[] {
  const groups = GROUPS.filter((group) => group.includes(own)).flat();
  const isKnown = (name: string) => /^[A-Z][\w$]*$/.test(name) && name !== own && !/^Assertion/.test(name);
  return [...new Set([...site.errors, ...groups])].filter(isKnown).slice(0, MAX_CLASSES + 2);
}

/** `except A:` catches B, or both, or everything. */
function* caught(site: Site): Iterable<Replacement> {
  const clause = site.node.type === 'except_clause' ? site.node : site.node.parent;
  if (clause?.type !== 'except_clause' || clause.start !== site.range[0]) return;
  const [first] = namedChildren(clause);
  const named = first?.type === 'as_pattern' ? namedChildren(first)[0] : first;
  if (!named || named.type === 'block') return;
  const own = site.text(named);
  const { start, end } = named;
  const classes = named.type === 'tuple' ? namedChildren(named).map((one) => site.text(one)) : [own];
  for (const name of others(site, own).filter((one) => !classes.includes(one))) {
    if (named.type === 'identifier') yield { start, end, text: name, variant: 'caught-other' };
    yield { start, end, text: `(${[...classes, name].join(', ')})`, variant: 'caught-more' };
  }
  if (own !== 'Exception') yield { start, end, text: 'Exception', variant: 'caught-all' };
  if (named.type === 'tuple' && classes.length > 1) {
    for (const name of classes) yield { start, end, text: name, variant: 'caught-one' };
  }
}

/** `raise A(…)` raises B. */
function* raised(site: Site): Iterable<Replacement> {
  const { statement, grammar } = site;
  if (!statement || grammar.statements.jump(statement) !== 'raise') return;
  const [value] = namedChildren(statement);
  const callee = value && (childIn(value, 'function') ?? childIn(value, 'constructor') ?? value);
  if (callee?.type !== 'identifier' || !/^[A-Z]/.test(site.text(callee))) return;
  for (const name of others(site, site.text(callee)).slice(0, MAX_CLASSES))
    yield { start: callee.start, end: callee.end, text: name, variant: 'raised-other' };
}

/** `try` around a statement that declares nothing; what it ends with is what a failing test ended with, or anything. */
function* wrapped(site: Site): Iterable<Replacement> {
  const { grammar, statement, source } = site;
  const place = statement && openPlace(site, statement);
  if (!statement || !place || !grammar.statements.isMovable(statement) || !isOnOwnLine(grammar, source, statement))
    return;
  const jump = grammar.statements.jump(statement);
  if (jump !== undefined && jump !== 'return') return;
  const { indent, unit } = place;
  const text = reindented(source, statement, indent, indent + unit);
  const around = functionAround(grammar, statement);
  if (text === undefined || !around || [...text].length > 300) return;
  const { phrases } = grammar;
  const isPython = phrases.language === 'python';
  const exits = [
    ...(jump === undefined ? [{ kind: 'pass', text: phrases.nothing }] : []),
    ...(loopAround(grammar, statement) ? [{ kind: 'continue', text: `continue${phrases.end}` }] : []),
    { kind: 'return', text: isPython ? 'return None' : 'return null;' },
  ].filter(({ kind }) => kind !== 'return' || !grammar.statements.isAsync(around) || !isPython);
  const classes = isPython
    ? [...site.errors.filter((name) => !/^Assertion/.test(name)).slice(0, 2), 'Exception']
    : [''];
  for (const [index, name] of [...new Set(classes)].entries()) {
    for (const exit of exits) {
      const handled = isPython
        ? `try:\n${indent}${unit}${text}\n${indent}except ${name}:\n${indent}${unit}${exit.text}`
        : `try {\n${indent}${unit}${text}\n${indent}} catch {\n${exit.text === '' ? '' : `${indent}${unit}${exit.text}\n`}${indent}}`;
      yield {
        start: statement.start,
        end: statement.end,
        text: handled,
        variant: `wrapped-${exit.kind}`,
        fit: 1 / (1 + index),
      };
    }
  }
}

/** The body of a `try` in its place. */
function* unwrapped(site: Site): Iterable<Replacement> {
  const { statement, source } = site;
  if (statement?.type !== 'try_statement') return;
  const body = childIn(statement, 'body');
  const inner = body ? namedChildren(body) : [];
  const [first] = inner;
  const last = inner.at(-1);
  const indent = /[ \t]*$/.exec(source.slice(0, statement.start))?.[0] ?? '';
  const from = first && /[ \t]*$/.exec(source.slice(0, first.start))?.[0];
  if (!body || !first || !last || from === undefined || inner.some(({ type }) => /declaration/.test(type))) return;
  const text = reindented(source, { ...body, start: first.start, end: last.end, children: inner }, from, indent);
  if (text === undefined || from === indent) return;
  yield { start: statement.start, end: statement.end, text, variant: 'unwrapped' };
}
