// From a file and its targets to the statements that templates work on. A file is parsed when its first target is
// reached; what is kept of it are plain objects.
import { type Language, languageOf, type Parser, type StatementSpan } from '@h/syntax';
import { collectDonors, nearestDonors } from './collect-donors.ts';
import { collectFacts, type Facts, listMembers, nearestLiterals } from './collect-facts.ts';
import { type CopyLimits, copyTree, firstNotBefore, nodeAround, type OffsetRange, type TreeNode } from './copy-tree.ts';
import type { FailureFacts } from './fit-failure.ts';
import type { Grammar } from './languages/grammar.ts';
import { javascript } from './languages/javascript.ts';
import { python } from './languages/python.ts';
import { rankNames } from './rank-names.ts';
import { roleOf } from './roles.ts';
import type { Site } from './template.ts';

/** A file read for its targets. */
export interface FileSites {
  readonly source: string;
  readonly root: TreeNode;
  /** Statements of a target, each once, in source order. */
  sitesOf(target: { first: number; last: number }): Site[];
}

const COPY_LIMITS: CopyLimits = { nodes: 200_000, keptNodes: 600_000, depth: 300 };
const GRAMMARS: Readonly<Record<Language, Grammar>> = { python, javascript, typescript: javascript, tsx: javascript };

/** Reads a file; `undefined` when no template knows its language. Three parses, then only plain objects. */
export function readSites(
  path: string,
  source: string,
  targets: readonly { first: number; last: number }[],
  parser: Parser,
  nodesPerStatement: number,
  { raised, wanted: differing }: FailureFacts = { raised: [], wanted: [] },
): FileSites | undefined {
  const language = languageOf(path);
  if (language === undefined) return undefined;
  const grammar = GRAMMARS[language];
  const outline = parser.outline(source, language);
  const lines = mergeRanges(targets.map(({ first, last }) => [first, last + 1] as const));
  const wanted = outline.statements
    .filter((statement) => statement.kind !== 'import' && isTouched(lines, statement))
    .sort((left, right) => left.first - right.first || left.start - right.start);
  const keep = mergeRanges(wanted.map(({ start, end }) => [start, end] as const));
  const root = parser.withTree(source, language, (tree) => copyTree(tree, keep, COPY_LIMITS));
  const facts = collectFacts(root, source, grammar);
  const names = parser.names(source, language);
  const ranking = rankNames({ names, identifiers: facts.identifiers, source, grammar });
  const donors = collectDonors(root, source, grammar, names);
  const errors = [...new Set([...raised, ...donors.errors])];
  const members = listMembers(facts, outline);
  const functionAround = (statement: StatementSpan): OffsetRange | undefined => {
    const around = statement.function === undefined ? undefined : outline.functions[statement.function];
    return around && [around.start, around.end];
  };
  return {
    source,
    root,
    sitesOf: (target) =>
      statementsOf(wanted, target).map((statement) => ({
        source,
        grammar,
        range: [statement.start, statement.end],
        statement: statementNode(root, statement, grammar),
        isDefinition: statement.kind === 'definition',
        nodes: nodesWithin(root, statement, grammar, nodesPerStatement),
        text: (node) => source.slice(node.start, node.end),
        alternatives: (node) => ranking.alternatives(node, statement.start),
        isVisible: (name, node) => ranking.isVisible(name, node, statement.start),
        literals: (kind, node) => nearestLiterals(listOf(facts, kind), node.start, functionAround(statement)),
        isRead: ranking.isRead,
        isLocal: ranking.isLocal,
        locals: ranking.locals,
        suits: ranking.suits,
        role: (node) => roleOf(node, grammar),
        memberNames: (object, isCalled) => members(object, isCalled, statement.start),
        node: nodeAround(root, statement.start, statement.end),
        errors,
        wanted: differing,
        donors: (kind) =>
          nearestDonors(donors.pieces[kind], statement.start, functionAround(statement)).filter(
            ({ start }) => start < statement.start || start >= statement.end,
          ),
        calls: (callee) =>
          (donors.calls.get(callee) ?? []).filter(({ start }) => start < statement.start || start >= statement.end),
      })),
  };
}

function listOf(facts: Facts, kind: 'number' | 'string') {
  return kind === 'number' ? facts.numbers : facts.strings;
}

/** The statement of exactly these lines with what shares its first line, else all that start in them, else the one around. */
function statementsOf(
  statements: readonly StatementSpan[],
  { first, last }: { first: number; last: number },
): StatementSpan[] {
  const inside: StatementSpan[] = [];
  for (let index = firstNotBefore(statements, (other) => other.first < first); index < statements.length; index++) {
    const statement = statements[index] as StatementSpan;
    if (statement.first > last) break;
    inside.push(statement);
  }
  if (inside.length === 0) {
    const around = statements.findLast((statement) => statement.first < first && first <= statement.last);
    return around ? [around] : [];
  }
  const isOne = inside.some((statement) => statement.first === first && statement.last === last);
  if (!isOne) return inside;
  // An arrow function's expression on a line of its own belongs to the statement around it, too.
  return inside.filter((statement) => statement.first === first || statement.node === 'arrow_function');
}

/** Nodes wholly inside the statement's own span, without what is frozen and without nested blocks. */
function nodesWithin(root: TreeNode, { start, end }: StatementSpan, grammar: Grammar, limit: number): TreeNode[] {
  const nodes: TreeNode[] = [];
  const stack: TreeNode[] = [nodeAround(root, start, end)];
  for (let node = stack.pop(); node && nodes.length < limit; node = stack.pop()) {
    const isInside = start <= node.start && node.end <= end;
    if (isInside) nodes.push(node);
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index] as TreeNode;
      if (child.end <= start || child.start >= end || !child.named) continue;
      if (!grammar.isFrozen(child) && !grammar.isBlock(child)) stack.push(child);
    }
  }
  return nodes;
}

/** The whole statement that starts where the span does; none for a clause. */
function statementNode(root: TreeNode, { start, end }: StatementSpan, grammar: Grammar): TreeNode | undefined {
  const { isList } = grammar.statements;
  let node: TreeNode | undefined = nodeAround(root, start, end);
  while (node?.parent && !isList(node.parent) && !/_statement$/.test(node.type)) node = node.parent;
  return node?.start === start && node.parent && !/_clause$/.test(node.type) ? node : undefined;
}

function isTouched(ranges: readonly OffsetRange[], { first, last }: StatementSpan): boolean {
  const range = ranges[firstNotBefore(ranges, (candidate) => candidate[1] <= first)];
  return range !== undefined && range[0] <= last;
}

function mergeRanges(ranges: OffsetRange[]): OffsetRange[] {
  const merged: OffsetRange[] = [];
  for (const [start, end] of ranges.sort((left, right) => left[0] - right[0])) {
    const last = merged[merged.length - 1];
    if (last && start <= last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], end)];
    else merged.push([start, end]);
  }
  return merged;
}
