// One fault given to `h run` without a model: after how many executions the first plausible patch is found, and whether it is the original text.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppliedCandidate, directoryArtifacts, readEnvelope } from '@h/contracts';
import { runPipeline } from '@h/pipeline';
import { createParser, type Parser } from '@h/syntax';
import type { Fault } from './draw-faults.ts';
import { isSameProgram } from './is-same-program.ts';
import { type Placed, placeOriginal, readDiagnosis } from './measure-proposals.ts';

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
  /** Where it stands among everything that templates propose, by ordering. */
  readonly placed?: Placed;
}

export const BUDGET = 300;

/** Repairs the faulty package in `repo` and stops at the first plausible patch. An error of H is a result, too. */
export async function measureRepair(fault: Fault, repo: string, out: string): Promise<RepairFigures> {
  try {
    const { dir, summary } = await runPipeline({
      ...{ command: 'run', repo, out, environment: process.env },
      ...{ budget: BUDGET, stopAfterPlausible: 1 },
    });
    const parser = await createParser();
    const figures = await validations(fault, dir, out, parser);
    const read = (path: string) => readFileSync(join(repo, path), 'utf8');
    const placed = placeOriginal(fault, readDiagnosis(dir), parser, read);
    parser.dispose();
    return { outcome: summary.outcome, ...figures, placed };
  } catch (error) {
    return { error: String(error) };
  }
}

async function validations(fault: Fault, dir: string, out: string, parser: Parser): Promise<RepairFigures> {
  const { candidates } = readEnvelope('CandidateSet', readFileSync(join(dir, 'candidate-set.json'), 'utf8'));
  const validated = new Map(
    readdirSync(join(dir, 'validations')).map((name) => {
      const one = readEnvelope('CandidateValidation', readFileSync(join(dir, 'validations', name), 'utf8'));
      return [one.candidate_id, one];
    }),
  );
  const originals = await originalsAmong(fault, candidates, out, parser);
  let executions = 0;
  let first: string | undefined;
  let atFirst: number | null = null;
  for (const { candidate_id } of candidates) {
    const one = validated.get(candidate_id);
    if (one === undefined) continue;
    executions += one.executions;
    if (one.status !== 'plausible' || first !== undefined) continue;
    first = candidate_id;
    atFirst = executions;
  }
  return {
    candidates: candidates.length,
    executions,
    first_plausible: atFirst,
    first_equals_original: first !== undefined && originals.has(first),
    original_proposed: originals.size > 0,
  };
}

/** Candidates that are the original program again, token for token. */
async function originalsAmong(
  fault: Fault,
  candidates: readonly AppliedCandidate[],
  out: string,
  parser: Parser,
): Promise<ReadonlySet<string>> {
  const artifacts = directoryArtifacts(join(out, 'artifacts'));
  const found = new Set<string>();
  for (const { candidate_id, files } of candidates) {
    const [file, ...more] = files;
    if (more.length > 0 || file?.path !== fault.file || file.after === undefined) continue;
    const text = new TextDecoder().decode(await artifacts.get(file.after));
    if (isSameProgram(fault.file, text, fault.original, parser)) found.add(candidate_id);
  }
  return found;
}
