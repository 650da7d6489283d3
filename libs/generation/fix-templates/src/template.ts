// The surface a repair template is written against.

import type { Donor, DonorKind, SeenCall } from './collect-donors.ts';
import type { SeenLiteral, SeenMemberNames } from './collect-facts.ts';
import type { OffsetRange, TreeNode } from './copy-tree.ts';
import type { Grammar } from './languages/grammar.ts';

import type { Wanted } from './read-failure.ts';

/** A change of one place: `text` takes the place of the source in `[start, end)`, UTF-16 offsets of the file. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
  /** What kind of change it is within its template; `<template>/<variant>` is looked up among the priors. */
  variant: string;
  /** How well it fits among its variant, 0 to 1; absent: 1. Multiplies the prior. */
  fit?: number;
  /** An expression of the target's language, free of effects, without which the change does nothing: what a new check asks. */
  when?: string;
}

/** A statement that is to be changed, with what can be known about its surroundings. */
export interface Site {
  /** Text of the whole file. */
  readonly source: string;
  readonly grammar: Grammar;
  /** The statement's node with all its blocks; `undefined` for a clause (`elif`, `except`, `case`) and in broken text. */
  readonly statement: TreeNode | undefined;
  /** The statement's own span: a compound one's header. */
  readonly range: OffsetRange;
  /** Nodes that lie wholly inside the statement and may change, in preorder; blocks nested in it are left out. */
  readonly nodes: readonly TreeNode[];
  /** The statement documents or declares: a docstring, a directive, a signature. */
  readonly isDefinition: boolean;
  text(node: TreeNode): string;
  /** What an identifier that is read, or assigned as a plain target, could be mistaken for, likeliest first; empty for other nodes. */
  alternatives(node: TreeNode): readonly NameAlternative[];
  /** The name can be used at the node without being undefined. */
  isVisible(name: string, node: TreeNode): boolean;
  /** Literals of the enclosing function first, then of the rest of the file; each text once, nearest first. */
  literals(kind: 'number' | 'string', node: TreeNode): readonly SeenLiteral[];
  /** The node is an identifier that is read here. */
  isRead(node: TreeNode): boolean;
  /** The node reads a variable or parameter of a function around it. */
  isLocal(node: TreeNode): boolean;
  /** Variables and parameters of functions around the node that are assigned before an offset, innermost first. */
  locals(node: TreeNode, from: number): readonly string[];
  /** What the node does in its place, as bits of `ROLES`. */
  role(node: TreeNode): number;
  /** Nothing speaks against a use in such a role: the name is not used as a container alone, nor as a number alone, when the role is the other. */
  suits(node: TreeNode, role: number): boolean;
  /** Properties of members that are called, or that are not, for an object written like this. */
  memberNames(object: string, isCalled: boolean): SeenMemberNames;
  /** Code of the file that is not the statement's own: of the function around it first, then nearest. */
  donors(kind: DonorKind): readonly Donor[];
  /** Other calls of what is written like this. */
  calls(callee: string): readonly SeenCall[];
  /** Error classes: those that failing tests ended with, then those the file raises or catches. */
  readonly errors: readonly string[];
  /** What failed assertions wanted where something else came. */
  readonly wanted: readonly Wanted[];
  /** The smallest node around the statement's own span: of a clause, the clause. */
  readonly node: TreeNode;
}

export interface NameAlternative {
  readonly name: string;
  /** The place is assigned, not read. */
  readonly isTarget: boolean;
  /** A function, class or import, not a value. */
  readonly isCallable: boolean;
  /** Nothing reads it: it may be what was meant. */
  readonly isUnused: boolean;
  /** Innermost scope is 0. */
  readonly distance: number;
}

/** A family of changes: a pure function over one statement. */
export interface Template {
  readonly name: string;
  /** Prior of variants that the table of priors does not know; 0.01 when absent. */
  readonly prior?: number;
  propose(site: Site): Iterable<Replacement>;
}
