// Where the true fix stands in the order, when the faulty statement has a given rank among 20 of its file.
import { type Parser, statementAt } from '@h/syntax';
import { type ProposedEdit, proposeEdits, type RepairTarget } from '../src/index.ts';
import { type Fault, KIND_WEIGHTS, type Program } from './inject-faults.ts';

export const RANKS = [1, 2, 3, 4, 5] as const;
const TARGETS = 20;

/** A fault with everything proposed for the statements around it. */
export interface RankedFault {
  fault: Fault;
  /** Weight of the fault, so that kinds count by their share whatever their number. */
  weight: number;
  /** Proposals by statement: the faulty one, then its neighbours, nearest first. */
  statements: { template: string; isFix: boolean }[][];
}

/** Proposes for the faulty statement and its nearest neighbours, each as if it were the only target. */
export function rankFault(program: Program, fault: Fault, parser: Parser): RankedFault | undefined {
  const { statements } = parser.outline(fault.faulty, program.language);
  const index = statementAt({ statements } as Parameters<typeof statementAt>[0], fault.at);
  const faulty = index === undefined ? undefined : statements[index];
  if (!faulty || index === undefined) return undefined;
  const near = statements
    .map((statement, position) => ({ statement, distance: Math.abs(position - index), position }))
    .filter(({ statement }) => statement.kind === 'statement')
    .sort((left, right) => left.distance - right.distance || left.position - right.position)
    .slice(0, TARGETS);
  const targets: RepairTarget[] = near.map(({ statement: { first, last } }) => ({
    file: program.path,
    first,
    last,
    score: 1,
    rank: 1,
  }));
  const batches = [...proposeEdits({ files: [{ path: program.path, text: fault.faulty }], targets, parser })];
  const isFix = (edit: ProposedEdit) => applied(fault.faulty, edit) === program.text;
  return {
    fault,
    weight: 1,
    statements: batches.map(({ candidates }, position) =>
      candidates.map((edit) => ({ template: edit.template ?? '', isFix: position === 0 && isFix(edit) })),
    ),
  };
}

/** The file after the edit; fixtures end their lines with LF. */
export function applied(text: string, { span = [1, 1], blocks = [] }: ProposedEdit): string {
  const lines = text.split('\n');
  const head = lines.slice(0, span[0] - 1).map((line) => `${line}\n`);
  const region = lines.slice(span[0] - 1, span[1]).join('\n');
  const [block] = blocks;
  const at = block ? region.indexOf(block.search) : -1;
  if (!block || at < 0) throw new Error('the block is not there');
  const start = head.join('').length + at;
  return text.slice(0, start) + block.replace + text.slice(start + block.search.length);
}

/** Gives every kind its share of the whole. */
export function weighFaults(faults: readonly RankedFault[]): RankedFault[] {
  const counts = new Map<string, number>();
  for (const { fault } of faults) counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
  return faults.map((ranked) => {
    const share = KIND_WEIGHTS[ranked.fault.kind] ?? 0;
    return { ...ranked, weight: share / (counts.get(ranked.fault.kind) ?? 1) };
  });
}
