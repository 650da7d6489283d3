// One description of operators for all languages: how each is written, how tightly it binds, and how it relates to the others.

export type OperatorFamily = 'comparison' | 'arithmetic' | 'boolean';

/** What an operator does, whatever its spelling. */
export interface Operator {
  /** As it is written in the language at hand. */
  readonly text: string;
  readonly family: OperatorFamily;
  /** Binding strength on the language's own scale; a larger number binds tighter. */
  readonly tightness: number;
  /** Members of one group are the likeliest confusions. */
  readonly group: string;
  /** Comparisons: for which orders of left and right it holds: 1 less, 2 equal, 4 greater. 0 for other families. */
  readonly relation: number;
  /** `a op b` equals `b op a` for numbers. */
  readonly commutes: boolean;
}

type Spelling = readonly [text: string, tightness: number] | undefined;
type Row = readonly [
  family: OperatorFamily,
  group: string,
  relation: number,
  commutes: boolean,
  python: Spelling,
  javascript: Spelling,
];

const ROWS: readonly Row[] = [
  ['comparison', 'order', 1, false, ['<', 6], ['<', 9]],
  ['comparison', 'order', 3, false, ['<=', 6], ['<=', 9]],
  ['comparison', 'order', 4, false, ['>', 6], ['>', 9]],
  ['comparison', 'order', 6, false, ['>=', 6], ['>=', 9]],
  ['comparison', 'equality', 2, true, ['==', 6], ['===', 8]],
  ['comparison', 'equality', 5, true, ['!=', 6], ['!==', 8]],
  ['comparison', 'loose', 2, true, undefined, ['==', 8]],
  ['comparison', 'loose', 5, true, undefined, ['!=', 8]],
  ['comparison', 'identity', 2, true, ['is', 6], undefined],
  ['comparison', 'identity', 5, true, ['is not', 6], undefined],
  ['comparison', 'membership', 2, false, ['in', 6], undefined],
  ['comparison', 'membership', 5, false, ['not in', 6], undefined],
  ['arithmetic', 'additive', 0, true, ['+', 11], ['+', 11]],
  ['arithmetic', 'additive', 0, false, ['-', 11], ['-', 11]],
  ['arithmetic', 'multiplicative', 0, true, ['*', 12], ['*', 12]],
  ['arithmetic', 'multiplicative', 0, false, ['/', 12], ['/', 12]],
  ['arithmetic', 'multiplicative', 0, false, ['//', 12], undefined],
  ['arithmetic', 'multiplicative', 0, false, ['%', 12], ['%', 12]],
  ['arithmetic', 'matrix', 0, false, ['@', 12], undefined],
  ['arithmetic', 'power', 0, false, ['**', 14], ['**', 13]],
  ['arithmetic', 'shift', 0, false, ['<<', 10], ['<<', 10]],
  ['arithmetic', 'shift', 0, false, ['>>', 10], ['>>', 10]],
  ['arithmetic', 'shift', 0, false, undefined, ['>>>', 10]],
  ['arithmetic', 'bitwise', 0, true, ['&', 9], ['&', 7]],
  ['arithmetic', 'bitwise', 0, true, ['|', 7], ['|', 5]],
  ['arithmetic', 'bitwise', 0, true, ['^', 8], ['^', 6]],
  ['boolean', 'and', 0, false, ['and', 4], ['&&', 4]],
  ['boolean', 'or', 0, false, ['or', 3], ['||', 3.5]],
  ['boolean', 'nullish', 0, false, undefined, ['??', 3]],
];

/** The operators of a language by their spelling, in the order of the table. */
export type OperatorTable = ReadonlyMap<string, Operator>;

function tableOf(column: 4 | 5): OperatorTable {
  const table = new Map<string, Operator>();
  for (const row of ROWS) {
    const spelling = row[column];
    if (!spelling) continue;
    const [family, group, relation, commutes] = row;
    const [text, tightness] = spelling;
    table.set(text, { text, family, tightness, group, relation, commutes });
  }
  return table;
}

export const PYTHON_OPERATORS: OperatorTable = tableOf(4);
export const JAVASCRIPT_OPERATORS: OperatorTable = tableOf(5);
