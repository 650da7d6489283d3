// One fault given to `h run` without a model: after how many executions the first plausible patch is found, and whether it is the original text.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvelope, sha256Hex } from '@h/contracts';
import { runPipeline } from '@h/pipeline';
import type { Fault } from './draw-faults.ts';

export interface RepairFigures {
  /** Absent: `h run` ended in an error. */
  readonly error?: string;
  readonly outcome?: string;
  readonly candidates?: number;
  /** Executions spent on candidates, at most the budget. */
  readonly executions?: number;
  /** Executions until the first plausible candidate, itself included; null: none. */
  readonly first_plausible?: number | null;
  readonly first_equals_original?: boolean;
  /** Whether the original text is among the candidates at all. */
  readonly original_proposed?: boolean;
}

export const BUDGET = 300;

/** Repairs the faulty package in `repo` and stops at the first plausible patch. An error of H is a result, too. */
export async function measureRepair(fault: Fault, repo: string, out: string): Promise<RepairFigures> {
  try {
    const { dir, summary } = await runPipeline({
      ...{ command: 'run', repo, out, environment: process.env },
      ...{ budget: BUDGET, stopAfterPlausible: 1 },
    });
    return { outcome: summary.outcome, ...validations(fault, dir) };
  } catch (error) {
    return { error: String(error) };
  }
}

function validations(fault: Fault, dir: string): RepairFigures {
  const { candidates } = readEnvelope('CandidateSet', readFileSync(join(dir, 'candidate-set.json'), 'utf8'));
  const validated = new Map(
    readdirSync(join(dir, 'validations')).map((name) => {
      const one = readEnvelope('CandidateValidation', readFileSync(join(dir, 'validations', name), 'utf8'));
      return [one.candidate_id, one];
    }),
  );
  const original = sha256Hex(fault.original);
  const isOriginal = ({ files }: (typeof candidates)[number]) =>
    files.length === 1 && files[0]?.path === fault.file && files[0].after === original;
  let executions = 0;
  let first: (typeof candidates)[number] | undefined;
  let atFirst: number | null = null;
  for (const candidate of candidates) {
    const one = validated.get(candidate.candidate_id);
    if (one === undefined) continue;
    executions += one.executions;
    if (one.status !== 'plausible' || first !== undefined) continue;
    first = candidate;
    atFirst = executions;
  }
  return {
    candidates: candidates.length,
    executions,
    first_plausible: atFirst,
    first_equals_original: first !== undefined && isOriginal(first),
    original_proposed: candidates.some(isOriginal),
  };
}
