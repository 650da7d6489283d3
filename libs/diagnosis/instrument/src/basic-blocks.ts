import type { Outline, StatementSpan } from '@h/syntax';

/** A run of statements that execute one after another: entered at the first, left after the last. */
export interface BasicBlock {
  /** Indexes into the outline's statements, in source order. */
  readonly statements: readonly number[];
  /** `function Class.method, lines 3-7`; `class C, …` in a class body, `module, …` at file level. */
  readonly text: string;
}

/** Reached from more than one place: a block begins here. */
const LEADERS = new Set([
  'for_statement',
  'for_in_statement',
  'while_statement',
  'do_statement',
  'elif_clause',
  'except_clause',
  'except_group_clause',
  'case_clause',
  'switch_case',
]);
/** Control leaves here, or may. */
const ENDERS = new Set([
  ...LEADERS,
  'if_statement',
  'match_statement',
  'switch_statement',
  'try_statement',
  'with_statement',
  'return_statement',
  'raise_statement',
  'throw_statement',
  'break_statement',
  'continue_statement',
]);

/**
 * The basic block of every statement, by index; imports and definitions are in none. A condition belongs to the block before it,
 * a loop's header stands alone.
 */
export function basicBlocks(outline: Outline): BasicBlock[] {
  const found: BasicBlock[] = [];
  for (const members of runsOf(outline)) {
    const block = { statements: members, text: describeBlock(outline, members) };
    for (const member of members) found[member] = block;
  }
  return found;
}

function runsOf({ statements }: Outline): number[][] {
  const runs: number[][] = [];
  const open = new Map<string, number[]>();
  for (const [index, statement] of statements.entries()) {
    if (statement.kind !== 'statement') continue;
    const place = `${statement.block}/${statement.function ?? ''}`;
    const current = open.get(place);
    if (current && !LEADERS.has(statement.node)) current.push(index);
    else {
      const run = [index];
      runs.push(run);
      open.set(place, run);
    }
    if (ENDERS.has(statement.node)) open.delete(place);
  }
  return runs;
}

function describeBlock({ statements, functions }: Outline, members: readonly number[]): string {
  const first = statements[members[0] ?? -1] as StatementSpan;
  const last = statements[members.at(-1) ?? -1] as StatementSpan;
  const around = first.function === undefined ? undefined : functions[first.function];
  const where =
    around === undefined ? 'module' : `${around.kind === 'class' ? 'class' : 'function'} ${around.qualified_name}`;
  return `${where}, lines ${first.first}-${last.last}`;
}
