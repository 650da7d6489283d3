// Faults in whole statements and calls, put in on tokens and line spans, apart from the templates.
import type { Outline, Parser, StatementSpan, Token } from '@h/syntax';
import {
  boundChanges,
  callChanges,
  conditionChanges,
  fallbackChanges,
  literalChanges,
  NONE_CHECK,
} from './inject-expressions.ts';
import type { Change, Program } from './inject-faults.ts';
import { pick } from './pick-item.ts';

export interface Source {
  readonly program: Program;
  readonly outline: Outline;
  readonly tokens: readonly Token[];
  readonly random: () => number;
  readonly isPython: boolean;
}

const JUMP = /^(return|continue|break|raise|throw)_statement$/;
const SIMPLE = /^(expression_statement|return_statement|assert_statement|delete_statement)$/;

/** Every place where a statement can be wrong as a whole. */
export function statementChanges(program: Program, parser: Parser, random: () => number): Change[] {
  const source: Source = {
    program,
    outline: parser.outline(program.text, program.language),
    tokens: parser.tokens(program.text, program.language).filter(({ kind }) => kind !== 'comment'),
    random,
    isPython: program.language === 'python',
  };
  return [
    ...source.outline.statements.flatMap((statement, index) => [
      ...guardChanges(source, statement, index),
      ...orderChanges(source, statement),
      ...jumpChanges(source, statement),
      ...levelChanges(source, statement, index),
    ]),
    ...source.tokens.flatMap((_, index) => [
      ...conditionChanges(source, index),
      ...callChanges(source, index),
      ...fallbackChanges(source, index),
      ...literalChanges(source, index),
      ...boundChanges(source, index),
    ]),
  ];
}

/** Statements of the same block, in order. */
function blockOf({ outline }: Source, block: number): StatementSpan[] {
  return outline.statements.filter((other) => other.block === block);
}

function indentOf({ program: { text } }: Source, offset: number): string | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(start, offset);
  return /^[ \t]*$/.test(before) ? before : undefined;
}

/** What an `if` holds: its only block and where the whole ends; `undefined` with another branch. */
function bodyOf(
  source: Source,
  index: number,
): { inner: StatementSpan[]; end: number; next: StatementSpan | undefined } | undefined {
  const { outline, program } = source;
  const own = outline.blocks.flatMap(({ owner }, block) => (owner === index ? [block] : []));
  const [block] = own;
  const statement = outline.statements[index];
  if (block === undefined || own.length !== 1 || !statement) return undefined;
  const inner = blockOf(source, block);
  const last = inner.at(-1);
  const siblings = blockOf(source, statement.block);
  const next = siblings[siblings.indexOf(statement) + 1];
  if (!last) return undefined;
  const rest = program.text.slice(last.end, next?.start ?? last.end + 40);
  const close = /^\s*\}/.exec(rest)?.[0].length ?? 0;
  if (!source.isPython && close === 0) return undefined;
  if (/^\s*(else|elif|except|finally|catch)\b/.test(rest.slice(close))) return undefined;
  return { inner, end: last.end + close, next };
}

function guardChanges(source: Source, statement: StatementSpan, index: number): Change[] {
  if (statement.node !== 'if_statement') return [];
  const {
    program: { text },
  } = source;
  const body = bodyOf(source, index);
  const [only, ...more] = body?.inner ?? [];
  if (!body || !only || more.length > 0 || indentOf(source, statement.start) === undefined) return [];
  if (JUMP.test(only.node)) {
    if (!body.next || !/^\s*$/.test(text.slice(body.end, body.next.start))) return [];
    const condition = text.slice(statement.start, statement.end).replace(/^if\s*\(?|\)?:?\s*\{?$/g, '');
    const isNone = NONE_CHECK.test(condition);
    return [
      { kind: isNone ? 'none-guard-removed' : 'guard-removed', start: statement.start, end: body.next.start, text: '' },
    ];
  }
  if (only.node !== 'expression_statement' || only.first !== only.last) return [];
  return [{ kind: 'guard-unwrapped', start: statement.start, end: body.end, text: text.slice(only.start, only.end) }];
}

/** One statement writes a name that the other mentions: their order matters. */
function isDependent(left: string, right: string): boolean {
  const written = (text: string) =>
    /^(?:(?:self|this)\.)?([\w$]+)[^=(]*[-+*/]?=[^=]/.exec(text)?.[1] ?? /^([\w$]+)\./.exec(text)?.[1];
  const mentions = (text: string, name: string | undefined) =>
    name !== undefined && new RegExp(`\\b${name.replace('$', '\\$')}\\b`).test(text);
  return left !== right && (mentions(right, written(left)) || mentions(left, written(right)));
}

function orderChanges(source: Source, statement: StatementSpan): Change[] {
  const {
    program: { text },
    outline,
    random,
  } = source;
  if (!SIMPLE.test(statement.node) || statement.kind !== 'statement') return [];
  const siblings = blockOf(source, statement.block);
  const next = siblings[siblings.indexOf(statement) + 1];
  const own = text.slice(statement.start, statement.end);
  const indent = indentOf(source, statement.start);
  if (indent === undefined || statement.first !== statement.last) return [];
  const changes: Change[] = [];
  if (
    next &&
    SIMPLE.test(next.node) &&
    !JUMP.test(next.node) &&
    !JUMP.test(statement.node) &&
    isDependent(own, text.slice(next.start, next.end))
  ) {
    const swapped = `${text.slice(next.start, next.end)}${text.slice(statement.end, next.start)}${own}`;
    changes.push({ kind: 'statements-swapped', start: statement.start, end: next.end, text: swapped });
  }
  if (JUMP.test(statement.node)) return changes;
  changes.push({
    kind: 'statement-duplicated',
    start: statement.end,
    end: statement.end,
    text: `\n${indent}${own}`,
    at: statement.end + 1 + indent.length,
  });
  const others = outline.statements.filter(
    (other) =>
      other.function === statement.function &&
      other !== statement &&
      other.node === 'expression_statement' &&
      other.first === other.last,
  );
  const other = pick(others, random);
  if (other) {
    changes.push({
      kind: 'statement-inserted',
      start: statement.start,
      end: statement.start,
      text: `${text.slice(other.start, other.end)}\n${indent}`,
    });
  }
  return changes;
}

function isFunctionBody({ outline }: Source, { block }: StatementSpan): boolean {
  const owner = outline.blocks[block]?.owner;
  return owner === undefined || outline.statements[owner]?.kind === 'definition';
}

function jumpChanges(source: Source, statement: StatementSpan): Change[] {
  const {
    program: { text },
    isPython,
    random,
  } = source;
  const indent = indentOf(source, statement.start);
  if (indent === undefined || statement.kind !== 'statement') return [];
  const own = text.slice(statement.start, statement.end);
  const end = isPython ? '' : ';';
  const siblings = blockOf(source, statement.block);
  const at = siblings.indexOf(statement);
  const previous = siblings[at - 1];
  const isLast = at === siblings.length - 1;
  const changes: Change[] = [];
  const add = (kind: string, start: number, to: number, replacement: string, faultAt = start) =>
    changes.push({ kind, start, end: to, text: replacement, at: faultAt });
  if (/^(break|continue)_statement$/.test(statement.node)) {
    const word = statement.node.startsWith('break') ? 'continue' : 'break';
    add('jump-swapped', statement.start, statement.end, `${random() < 0.7 ? word : 'return'}${end}`);
  }
  if (
    JUMP.test(statement.node) &&
    !/^(raise|throw)/.test(statement.node) &&
    isLast &&
    previous &&
    previous.first === previous.last
  ) {
    const isBody = /^return\s+\w+;?$/.test(own) && isFunctionBody(source, statement);
    if (SIMPLE.test(previous.node)) {
      add(isBody ? 'return-removed' : 'jump-removed', previous.end, statement.end, '', previous.start);
    }
  }
  if (statement.node === 'return_statement') {
    const value = own.replace(/^return\s*/, '');
    if (/^[\w.]+\(.*\);?$/s.test(value)) add('return-word-dropped', statement.start, statement.end, value);
    if (/^-\w/.test(value)) add('returned-changed', statement.start, statement.end, `return ${value.slice(1)}`);
    const literal = /^(None|True|False|null|undefined|true|false|\[\]|\{\}|''|""|-?\d+);?$/.exec(value)?.[1];
    const words = isPython ? ['None', 'True', 'False', '0', '[]'] : ['null', 'true', 'false', '0', '[]', 'undefined'];
    const other = pick(
      words.filter((word) => word !== literal),
      random,
    );
    if (literal && other) add('returned-changed', statement.start, statement.end, `return ${other}${end}`);
  }
  if (isLast && SIMPLE.test(statement.node) && !JUMP.test(statement.node) && !isFunctionBody(source, statement)) {
    const word = pick(['break', 'continue', 'return'], random);
    add('jump-added', statement.end, statement.end, `\n${indent}${word}${end}`, statement.end + 1 + indent.length);
  }
  return changes;
}

/** Last statements of a block one level out; the statement after a block one level in. */
function levelChanges(source: Source, statement: StatementSpan, index: number): Change[] {
  if (!/^(for|while|if|for_in)_statement$/.test(statement.node)) return [];
  const {
    program: { text },
  } = source;
  const body = bodyOf(source, index);
  const outer = indentOf(source, statement.start);
  const last = body?.inner.at(-1);
  if (!body || outer === undefined || !last) return [];
  const inner = indentOf(source, last.start);
  if (inner === undefined || inner === outer) return [];
  const changes: Change[] = [];
  const kind = statement.node === 'if_statement' ? 'branch' : 'loop';
  const before = body.inner.at(-2);
  if (
    before &&
    SIMPLE.test(last.node) &&
    last.first === last.last &&
    /^\s*$/.test(text.slice(before.end, last.start)) &&
    !/^(if|for|while|try|with)/.test(before.node)
  ) {
    const moved = `${text.slice(last.end, body.end)}\n${outer}${text.slice(last.start, last.end)}`;
    const at = before.end + moved.length - (last.end - last.start);
    changes.push({ kind: `moved-out-of-${kind}`, start: before.end, end: body.end, text: moved, at });
  }
  const { next } = body;
  if (
    next &&
    SIMPLE.test(next.node) &&
    next.first === next.last &&
    /^\s*$/.test(text.slice(body.end, next.start)) &&
    !JUMP.test(last.node)
  ) {
    const moved = `\n${inner}${text.slice(next.start, next.end)}`;
    changes.push({
      kind: `moved-into-${kind}`,
      start: last.end,
      end: next.end,
      text: `${moved}${text.slice(last.end, body.end)}`,
      at: last.end + 1 + inner.length,
    });
  }
  return changes;
}
