// One preorder pass with a stack of open contexts: which function, statement and block a node lies in.

import type { FlatTree } from './flat-tree.ts';
import { indexLines, type LineIndex } from './index-lines.ts';
import type { Language } from './language-of.ts';
import { javascriptOutline } from './languages/outline-javascript.ts';
import { pythonOutline } from './languages/outline-python.ts';

/** Functions, statements and blocks of one file, each list in source order (an enclosing one before what it encloses). */
export interface Outline {
  language: Language;
  /** The text did not parse as a whole; what is listed is what was still recognised. Valid code can be partial too. */
  partial: boolean;
  functions: FunctionSpan[];
  statements: StatementSpan[];
  /** `blocks[0]` is the whole file. */
  blocks: BlockSpan[];
}

/** A function, method, class or lambda with its whole body and its decorators. */
export interface FunctionSpan {
  /** Declared name, else the name it is assigned to; `<lambda>` (Python) or `<anonymous>` where there is none. */
  name: string;
  /** Names of the enclosing functions and classes and its own, joined by `.`: `Class.method`, `outer.inner`. */
  qualified_name: string;
  kind: 'function' | 'method' | 'class' | 'lambda';
  /** 1-based lines, inclusive. */
  first: number;
  last: number;
  /** UTF-16 offsets, half-open. */
  start: number;
  end: number;
  /** Index of the enclosing entry in `functions`; absent at file level. */
  parent?: number;
}

/**
 * One statement. The span of a compound statement is its header alone (`if cond:`, `for (…)`, `match x:`); a definition's
 * is its decorators and signature; a `do … while` and a simple statement have all their lines, also where these contain
 * functions with statements of their own: the innermost span owns a place (see `statementAt`).
 */
export interface StatementSpan {
  /** `definition`: function, class, type, method, docstring, directive. `import` includes re-exports. */
  kind: 'statement' | 'import' | 'definition';
  /** tree-sitter's node type, such as `if_statement`, `elif_clause`, `return_statement`, `arrow_function`. */
  node: string;
  /** 1-based lines, inclusive. */
  first: number;
  last: number;
  /** UTF-16 offsets, half-open. */
  start: number;
  end: number;
  /** Index in `blocks` of the block the statement stands in. */
  block: number;
  /** Index in `functions` of the innermost function, class or lambda around it; absent at file level. */
  function?: number;
}

/** A run of statements: the file, an indented Python block, braces, or the single statement of `if (x) y();`. */
export interface BlockSpan {
  /** 1-based lines, inclusive. */
  first: number;
  last: number;
  /** Index in `blocks` of the block around it; absent for the file. */
  parent?: number;
  /** Index in `statements` of the statement it belongs to; absent for the file and for bare braces at file level. */
  owner?: number;
}

/** What a language says about one node. Called in preorder. */
export interface OutlineRules {
  statement(tree: FlatTree, node: number): { kind: StatementSpan['kind']; start: number; end: number } | undefined;
  function(
    tree: FlatTree,
    node: number,
  ): { name: string; kind: FunctionSpan['kind']; start: number; end: number } | undefined;
  /** The node is a block, or the only statement of an implicit one. */
  isBlock(tree: FlatTree, node: number): boolean;
  /** For a function whose body is an expression, so that it runs apart from its statement without one of its own: the body; else -1. */
  expressionBody(tree: FlatTree, node: number): number;
}

interface Context {
  until: number;
  function: number;
  statement: number;
  block: number;
}

/** Lists functions, statements and blocks in one pass over the tree. */
export function outlineCode(tree: FlatTree): Outline {
  const rules = tree.language === 'python' ? pythonOutline : javascriptOutline;
  const lines = indexLines(tree.text, tree.language);
  const outline = emptyOutline(tree.language, lines.count, tree.partial);
  let context: Context = { until: tree.count, function: -1, statement: -1, block: 0 };
  const stack: Context[] = [];
  for (let node = 1; node < tree.count; node++) {
    while (node >= context.until) context = stack.pop() as Context;
    const inner = enter(tree, node, context, rules, outline, lines);
    if (inner !== context) {
      stack.push(context);
      context = inner;
    }
  }
  return outline;
}

/** The outline of a text that could not be read: nothing but the file's block. */
export function emptyOutline(language: Language, lineCount: number, partial: boolean): Outline {
  return { language, partial, functions: [], statements: [], blocks: [{ first: 1, last: lineCount }] };
}

/** Index of the statement that owns an offset: the innermost whose span holds it; `undefined` between statements. */
export function statementAt(outline: Outline, offset: number): number | undefined {
  let found: number | undefined;
  for (const [index, { start, end }] of outline.statements.entries()) {
    if (start > offset) break;
    if (offset < end) found = index;
  }
  return found;
}

function enter(
  tree: FlatTree,
  node: number,
  outer: Context,
  rules: OutlineRules,
  outline: Outline,
  lines: LineIndex,
): Context {
  let context = outer;
  const open = (changes: Partial<Context>) => {
    context = { ...context, ...changes, until: tree.next(node) };
  };
  if (rules.isBlock(tree, node)) open({ block: addBlock(tree, node, context, outline, lines) });
  const statement = rules.statement(tree, node) ?? deferred(tree, node, context, rules, outline, lines);
  if (statement) open({ statement: addStatement(tree.kind(node), statement, context, outline, lines) });
  const found = rules.function(tree, node);
  if (found) open({ function: addFunction(found, context, outline, lines) });
  return context;
}

function deferred(
  tree: FlatTree,
  node: number,
  context: Context,
  rules: OutlineRules,
  outline: Outline,
  lines: LineIndex,
) {
  const body = rules.expressionBody(tree, node);
  if (body < 0) return undefined;
  const around = outline.statements[context.statement]?.first;
  const start = [tree.start(node), tree.start(body)].find((offset) => lines.lineAt(offset) !== around);
  return start === undefined ? undefined : { kind: 'statement' as const, start, end: tree.end(node) };
}

function addBlock(tree: FlatTree, node: number, context: Context, outline: Outline, lines: LineIndex): number {
  outline.blocks.push({
    ...linesOf(tree.start(node), tree.end(node), lines),
    parent: context.block,
    ...(context.statement >= 0 ? { owner: context.statement } : {}),
  });
  return outline.blocks.length - 1;
}

function addStatement(
  node: string,
  { kind, start, end }: { kind: StatementSpan['kind']; start: number; end: number },
  context: Context,
  outline: Outline,
  lines: LineIndex,
): number {
  outline.statements.push({
    kind,
    node,
    ...linesOf(start, end, lines),
    start,
    end,
    block: context.block,
    ...(context.function >= 0 ? { function: context.function } : {}),
  });
  return outline.statements.length - 1;
}

function addFunction(
  { name, kind, start, end }: { name: string; kind: FunctionSpan['kind']; start: number; end: number },
  context: Context,
  outline: Outline,
  lines: LineIndex,
): number {
  const parent = outline.functions[context.function];
  const isMethod = kind === 'function' && parent?.kind === 'class';
  outline.functions.push({
    name,
    qualified_name: parent ? `${parent.qualified_name}.${name}` : name,
    kind: isMethod ? 'method' : kind,
    ...linesOf(start, end, lines),
    start,
    end,
    ...(parent ? { parent: context.function } : {}),
  });
  return outline.functions.length - 1;
}

function linesOf(start: number, end: number, lines: LineIndex): { first: number; last: number } {
  return { first: lines.lineAt(start), last: lines.lineAt(Math.max(start, end - 1)) };
}
