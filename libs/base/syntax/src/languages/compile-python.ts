// What CPython's compiler refuses although the grammar and ruff's rules let it pass. Each rule was found by comparing
// verdicts with compile() of CPython 3.8 to 3.13 and is kept by the differential test. None may reject a valid program.
import type { SyntaxDiagnostic } from '../check-syntax.ts';
import { childInField, childOfKind, childrenOf, type FlatTree, textOf } from '../flat-tree.ts';
import { indexLines } from '../index-lines.ts';
import { type NameTable, resolveNames } from '../resolve-names.ts';
import { scopeAt } from '../visible-names.ts';

export const MAX_BRACKETS = 200;
const MAX_INDENTS = 99;
export const MAX_BLOCKS = 20;
export const MAX_DIGITS = 4300;
const LOOPS = new Set(['for_statement', 'while_statement']);
const BLOCK_STATEMENTS = new Set(['for_statement', 'while_statement', 'with_statement', 'try_statement']);
const FUNCTIONS = new Set(['function_definition', 'lambda']);
const OPENING = new Set([':(', ':[', ':{']);
const CLOSING = new Set([':)', ':]', ':}']);

interface Compile {
  tree: FlatTree;
  minor: number;
  fail(node: number, message: string): void;
  names(): NameTable;
  hasFutureAnnotations: boolean;
}

type Rule = (compile: Compile, node: number) => void;

/** Lists the errors; the tree must be whole. */
export function compileErrors(tree: FlatTree, minor: number): SyntaxDiagnostic[] {
  const lines = indexLines(tree.text, tree.language);
  const errors: SyntaxDiagnostic[] = [];
  let names: NameTable | undefined;
  const compile: Compile = {
    tree,
    minor,
    hasFutureAnnotations: false,
    fail(node, message) {
      const line = lines.lineAt(tree.start(node));
      errors.push({ line, column: tree.start(node) - lines.startOf(line), message, code: 'compile-error' });
    },
    names() {
      names ??= resolveNames(tree);
      return names;
    },
  };
  if (tree.text.startsWith('\ufeff\ufeff')) compile.fail(0, 'invalid non-printable character U+FEFF');
  let depth = 0;
  for (let node = 0; node < tree.count; node++) {
    const kind = tree.kind(node);
    if (OPENING.has(kind) && ++depth === MAX_BRACKETS + 1) compile.fail(node, 'too many nested parentheses');
    if (CLOSING.has(kind)) depth -= 1;
    RULES[kind]?.(compile, node);
  }
  return errors;
}

const RULES: Readonly<Record<string, Rule>> = {
  interpolation: loneStar,
  keyword_argument: (compile, node) => noDebug(compile, childInField(compile.tree, node, 'name')),
  string: patternString,
  keyword_pattern: (compile, node) => noDebug(compile, node + 1),
  import_statement: importedDebug,
  future_import_statement(compile, node) {
    const names = childrenOf(compile.tree, node).filter((child) => compile.tree.field(child) === 'name');
    const isNamed = names.some((name) => /^annotations\b/.test(textOf(compile.tree, name)));
    compile.hasFutureAnnotations ||= isNamed;
  },
  type: futureAnnotation,
  return_statement(compile, node) {
    leftExceptGroup(compile, node);
    returnInGenerator(compile, node);
  },
  break_statement: leftExceptGroup,
  continue_statement: leftExceptGroup,
  nonlocal_statement: nonlocalNames,
  format_expression: formatDepth,
  integer(compile, node) {
    const digits = textOf(compile.tree, node).replaceAll('_', '');
    if (digits.length > MAX_DIGITS && /^[1-9]\d*$/.test(digits)) {
      compile.fail(node, `Exceeds the limit (${MAX_DIGITS} digits) for integer string conversion`);
    }
  },
  for_statement: blockDepth,
  while_statement: blockDepth,
  with_statement: blockDepth,
  try_statement: blockDepth,
  block: indentDepth,
};

/** `f"{*a}"`; starred statements are told by `loneStars`. */
function loneStar({ tree, fail }: Compile, node: number): void {
  const expression = childInField(tree, node, 'expression');
  if (tree.kind(expression) === 'list_splat') fail(expression, "can't use starred expression here");
}

/** `case f"…"`: only plain strings are patterns. */
function patternString({ tree, fail }: Compile, node: number): void {
  const parent = tree.parent(node);
  const holder = tree.kind(parent) === 'concatenated_string' ? tree.parent(parent) : parent;
  if (tree.kind(holder) === 'case_pattern' && /^[a-z]*f/i.test(textOf(tree, node))) {
    fail(node, 'patterns may only match literals and attribute lookups');
  }
}

function noDebug({ tree, fail }: Compile, name: number): void {
  if (name >= 0 && textOf(tree, name) === '__debug__') fail(name, 'cannot assign to __debug__');
}

function importedDebug(compile: Compile, node: number): void {
  const { tree, minor } = compile;
  if (minor < 9) return;
  for (const child of childrenOf(tree, node)) {
    if (tree.kind(child) === 'dotted_name') noDebug(compile, child + 1);
  }
}

function futureAnnotation({ tree, fail, minor, hasFutureAnnotations }: Compile, node: number): void {
  if (!hasFutureAnnotations || minor < 10 || tree.kind(tree.parent(node)) !== 'assignment') return;
  for (let inner = node + 1; inner < tree.next(node); inner++) {
    const kind = tree.kind(inner);
    if (kind === 'lambda') inner = tree.next(inner) - 1;
    else if (kind === 'yield' || kind === 'await' || kind === 'named_expression') {
      fail(inner, `${kind.replace('_', ' ')} expression cannot be used within an annotation`);
    }
  }
}

function functionAround(tree: FlatTree, node: number): number {
  let around = tree.parent(node);
  while (around >= 0 && !FUNCTIONS.has(tree.kind(around))) around = tree.parent(around);
  return around;
}

function returnInGenerator({ tree, fail }: Compile, node: number): void {
  const hasValue = childrenOf(tree, node).some(
    (child) => tree.kind(child) !== ':return' && tree.kind(child) !== 'comment',
  );
  const around = functionAround(tree, node);
  if (!hasValue || around < 0 || childOfKind(tree, around, ':async') < 0) return;
  for (let inner = around + 1; inner < tree.next(around); inner++) {
    if (FUNCTIONS.has(tree.kind(inner))) inner = tree.next(inner) - 1;
    else if (tree.kind(inner) === 'yield') {
      fail(node, "'return' with value in async generator");
      return;
    }
  }
}

function leftExceptGroup({ tree, fail }: Compile, node: number): void {
  const isReturn = tree.kind(node) === 'return_statement';
  let from = node;
  for (let around = tree.parent(node); around >= 0; around = tree.parent(around)) {
    const kind = tree.kind(around);
    if (FUNCTIONS.has(kind) || kind === 'class_definition') return;
    if (!isReturn && LOOPS.has(kind) && tree.field(from) === 'body') return;
    if (kind === 'except_clause' && childOfKind(tree, around, ':*') >= 0) {
      fail(node, "'break', 'continue' and 'return' cannot appear in an except* block");
      return;
    }
    from = around;
  }
}

function nonlocalNames(compile: Compile, node: number): void {
  const { tree, fail } = compile;
  const names = compile.names();
  const scope = scopeAt(names, tree.start(node));
  if (scope === 0) return;
  for (const child of childrenOf(tree, node)) {
    if (tree.kind(child) !== 'identifier') continue;
    const name = textOf(tree, child);
    const binding = bindingAround(names, scope, name);
    if (binding === 'type') fail(child, `nonlocal binding not allowed for type parameter '${name}'`);
    if (binding === undefined && !isDeletedSomewhere(tree, name))
      fail(child, `no binding for nonlocal '${name}' found`);
    annotatedNonlocal(compile, node, name);
  }
}

function bindingAround(names: NameTable, scope: number, name: string): 'function' | 'type' | undefined {
  for (let around = names.scopes[scope]?.parent; around !== undefined; around = names.scopes[around]?.parent) {
    const kind = names.scopes[around]?.kind;
    if (kind === 'class' && name === '__class__') return 'function';
    if (kind !== 'function' && kind !== 'lambda' && kind !== 'type') continue;
    if (names.definitions.some((definition) => definition.scope === around && definition.name === name)) {
      return kind === 'type' ? 'type' : 'function';
    }
  }
  return undefined;
}

/** `del x` alone makes a name local; rare enough to let any such name pass. */
function isDeletedSomewhere(tree: FlatTree, name: string): boolean {
  for (let node = 0; node < tree.count; node++) {
    if (tree.kind(node) === 'delete_statement' && textOf(tree, node).includes(name)) return true;
  }
  return false;
}

/** `x: int` in the function or class whose `nonlocal x` it is. */
function annotatedNonlocal({ tree, fail }: Compile, statement: number, name: string): void {
  let body = statement;
  while (body > 0 && !['function_definition', 'class_definition'].includes(tree.kind(tree.parent(body)))) {
    body = tree.parent(body);
  }
  for (let node = body + 1; node < tree.next(body); node++) {
    const kind = tree.kind(node);
    if (FUNCTIONS.has(kind) || kind === 'class_definition') node = tree.next(node) - 1;
    if (kind !== 'assignment' || childInField(tree, node, 'type') < 0) continue;
    const left = childInField(tree, node, 'left');
    if (tree.kind(left) === 'identifier' && textOf(tree, left) === name) {
      fail(node, `annotated name '${name}' can't be nonlocal`);
    }
  }
}

function formatDepth({ tree, fail, minor }: Compile, node: number): void {
  let depth = 0;
  for (let around = node; around >= 0 && tree.kind(around) !== 'string'; around = tree.parent(around)) {
    if (tree.kind(around) === 'format_expression') depth += 1;
  }
  const most = minor < 12 ? 1 : 2;
  if (depth === most + 1) fail(node, 'f-string: expressions nested too deeply');
}

/** Loops, `with` and `try` bodies inside one another; the exact count of handlers is not modelled. */
function blockDepth({ tree, fail, minor }: Compile, node: number): void {
  let depth = 1;
  let from = node;
  for (let around = tree.parent(node); around >= 0; around = tree.parent(around)) {
    const kind = tree.kind(around);
    if (FUNCTIONS.has(kind) || kind === 'class_definition') break;
    if (BLOCK_STATEMENTS.has(kind) && tree.field(from) === 'body') depth += 1;
    from = around;
  }
  const most = minor < 13 ? MAX_BLOCKS : MAX_BLOCKS + 1;
  if (depth === most + 1) fail(node, 'too many statically nested blocks');
}

function indentDepth({ tree, fail }: Compile, node: number): void {
  let depth = 0;
  for (let around = node; around >= 0; around = tree.parent(around)) if (tree.kind(around) === 'block') depth += 1;
  if (depth === MAX_INDENTS + 1) fail(node, 'too many levels of indentation');
}
