// What templates ask of a language. Everything else in a template is the same for Python, JavaScript and TypeScript.
import type { TreeNode } from '../copy-tree.ts';
import type { Operator, OperatorTable } from './operators.ts';

/** Operators with the operands between which they stand: `operands.length === operators.length + 1`. */
export interface Operation {
  readonly operators: readonly TreeNode[];
  readonly operands: readonly TreeNode[];
}

/** `target operator= value`. */
export interface AugmentedAssignment {
  readonly operator: TreeNode;
  readonly target: TreeNode;
  readonly value: TreeNode;
}

export interface Call {
  readonly callee: TreeNode;
  /** Positional arguments up to the first spread or keyword argument. */
  readonly positional: readonly TreeNode[];
}

export interface Member {
  readonly object: TreeNode;
  readonly property: TreeNode;
}

/** Where an integer decides about one element more or less. */
export type IntegerPlace =
  | 'index'
  | 'slice'
  | 'range'
  | 'comparison'
  | 'bound'
  | 'returned'
  | 'assigned'
  | 'argument'
  | 'factor'
  | 'elsewhere';

export type LiteralKind = 'number' | 'string' | 'boolean' | 'null' | 'collection';

/** A statement that leaves where it stands. */
export type Jump = 'break' | 'continue' | 'return' | 'raise';

/** What a language calls its statements. */
export interface StatementGrammar {
  /** Statements stand in it one after another: a block, a module, the body of a case. */
  isList(node: TreeNode): boolean;
  isLoop(node: TreeNode): boolean;
  /** Anything that returns a value of its own: functions, methods, lambdas, arrow functions. */
  isFunction(node: TreeNode): boolean;
  /** Nothing inside belongs to a function around it: class bodies, parameters. */
  isBarrier(node: TreeNode): boolean;
  isAsync(node: TreeNode): boolean;
  isYield(node: TreeNode): boolean;
  /** A jump without a label. */
  jump(node: TreeNode): Jump | undefined;
  /** It does one thing and declares nothing: it may be left out, or stand elsewhere. Docstrings and directives are not. */
  isMovable(node: TreeNode): boolean;
  /** The expression of a statement that is nothing else, an assignment excepted. */
  expression(node: TreeNode): TreeNode | undefined;
  /** The block of a loop or of what is done when a condition holds; `undefined` where it is no block of its own lines. */
  body(node: TreeNode): TreeNode | undefined;
  /** An `if` without another branch: its condition and what it guards. */
  plainBranch(node: TreeNode): { readonly condition: TreeNode; readonly body: TreeNode } | undefined;
  /** A name that the node declares for its own block: a loop's variable, an alias, a caught error. */
  isDeclaring(node: TreeNode): boolean;
}

/** How a language says what a repair puts in. */
export interface Phrases {
  readonly language: 'python' | 'javascript';
  readonly none: readonly string[];
  readonly and: string;
  readonly or: string;
  readonly equal: string;
  /** What ends a statement. */
  readonly end: string;
  /** What a block has that does nothing. */
  readonly nothing: string;
  isNone(text: string): string;
  isSome(text: string): string;
  isEmpty(text: string): string;
  length(text: string): string;
  /** `if`, with one statement in it; both at an indentation. */
  branch(condition: string, statement: string, indent: string, unit: string): string;
}

export interface Grammar {
  readonly statements: StatementGrammar;
  readonly phrases: Phrases;
  readonly operators: OperatorTable;
  /** Arithmetic operators that text and collections take. */
  readonly onText: readonly string[];
  /** Operators of `x op= y` without the `=`, in table order. */
  readonly augmented: readonly string[];
  /** How a negation is written, how tightly it binds and what its operand must bind at least. */
  readonly negation: { readonly prefix: string; readonly tightness: number; readonly operand: number };
  /** How tightly `-1` binds. */
  readonly signTightness: number;
  readonly booleans: readonly [yes: string, no: string];

  /** Nothing inside the node is ever changed: types, imports, comments, names of parameters and keys. */
  isFrozen(node: TreeNode): boolean;
  /** A block of statements, which are places of their own. */
  isBlock(node: TreeNode): boolean;
  /** How tightly the expression binds; anything closed in itself binds tightest. */
  tightness(node: TreeNode, source: string): number;
  /** Text that binds like this may stand beside the operator without parentheses. */
  operandFits(operator: Operator, isLeft: boolean, tightness: number): boolean;
  /** Text that binds like this may stand in the place of the node without parentheses; the place is no operand. */
  placeFits(node: TreeNode, tightness: number): boolean;

  operation(node: TreeNode): Operation | undefined;
  augmentedAssignment(node: TreeNode): AugmentedAssignment | undefined;
  /** The `++` or `--` of an update. */
  update(node: TreeNode): TreeNode | undefined;
  /** `x = y` with one plain target that already exists. */
  reassignment(node: TreeNode): { readonly equals: TreeNode; readonly target: TreeNode } | undefined;
  /** The operand of `not x` or `!x`. */
  negated(node: TreeNode): TreeNode | undefined;
  /** The operand of `-x`. */
  negative(node: TreeNode): TreeNode | undefined;
  /** The node decides a branch: of `if`, a loop, a conditional expression, a comprehension or an assertion. */
  isCondition(node: TreeNode): boolean;
  call(node: TreeNode): Call | undefined;
  member(node: TreeNode): Member | undefined;
  literal(node: TreeNode, source: string): LiteralKind | undefined;
  /** Elements of a short tuple, list or array literal; the order of two could be wrong. */
  elements(node: TreeNode): readonly TreeNode[];
  /** `x[i]`: the element's container and its only index. */
  subscript(node: TreeNode): { readonly container: TreeNode; readonly index: TreeNode } | undefined;
  /** The expression a `return` gives, or an arrow function or lambda. */
  isReturned(node: TreeNode): boolean;
  /** The value of a plain assignment. */
  isAssigned(node: TreeNode): boolean;
  /** A string whose text is a value of its own: no part of a concatenation, no key, no interpolation inside. */
  isPlainString(node: TreeNode): boolean;
  integerPlace(node: TreeNode, source: string): IntegerPlace | undefined;
  /** Key of an entry in a dictionary or object literal, or a string index. */
  isKey(node: TreeNode): boolean;
  /** The expression may not contain these characters: it stands inside an interpolation. */
  forbiddenIn(node: TreeNode, source: string): string;
}
