// One fault diagnosed by `h diagnose`: where its statement stands in the ranking and in rankings by other formulas, whether it is in the slice, and what
// the pack and a raw trace of its size leave of true and false hypotheses about its state.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ObservedRun, parseLoc, readEnvelope, type Spectrum } from '@h/contracts';
import { judgeHypotheses } from '@h/evidence';
import { runPipeline } from '@h/pipeline';
import { type FormulaName, rankStatements } from '@h/sbfl';
import type { Fault } from './draw-faults.ts';
import { cutTrace, makeHypotheses } from './make-hypotheses.ts';

export interface DiagnosisFigures {
  /** Absent: `h diagnose` ended in an error. */
  readonly error?: string;
  readonly outcome?: string;
  /** Statements in the spectrum. */
  readonly statements?: number;
  /** Place in the list that H shows, from 1; null: not in it. */
  readonly position?: number | null;
  /** Mean place among equal scores, no other rule, by formula. */
  readonly plain?: Readonly<Record<string, number | null>>;
  readonly in_slice?: boolean;
  readonly in_pack?: boolean;
  readonly pack_bytes?: number;
  readonly raw_bytes?: number;
  readonly hypotheses?: HypothesisFigures;
}

export interface HypothesisFigures {
  readonly wrong: number;
  readonly eliminated: number;
  readonly baseline_eliminated: number;
  readonly right: number;
  readonly right_eliminated: number;
}

const FORMULAS: readonly FormulaName[] = ['ochiai', 'tarantula', 'dstar'];

/** Diagnoses the faulty package in `repo`. An error of H is a result, too. */
export async function measureDiagnosis(fault: Fault, repo: string, out: string): Promise<DiagnosisFigures> {
  try {
    const { dir, summary } = await runPipeline({ command: 'diagnose', repo, out, environment: process.env });
    if (!existsSync(join(dir, 'spectrum.json'))) return { outcome: summary.outcome };
    return { outcome: summary.outcome, ...ranking(fault, dir), ...observation(fault, dir) };
  } catch (error) {
    return { error: String(error) };
  }
}

function ranking(fault: Fault, dir: string): Partial<DiagnosisFigures> {
  const spectrum = readRecord<Spectrum>(dir, 'spectrum', 'Spectrum');
  const report = readEnvelope('SpectrumReport', readFileSync(join(dir, 'spectrum-report.json'), 'utf8'));
  const isFaulty = (location: string) => {
    const { file, line } = parseLoc(location);
    return file === fault.file && line >= fault.lines[0] && line <= fault.lines[1];
  };
  const index = report.statements.findIndex(({ location }) => isFaulty(location));
  const plain = FORMULAS.map((formula) => {
    const { statements } = rankStatements(spectrum, { formula });
    const own = statements.find(({ location }) => isFaulty(location))?.score;
    if (own === undefined) return [formula, null];
    const above = statements.filter(({ score }) => score > own).length;
    const equal = statements.filter(({ score }) => score === own).length;
    return [formula, above + (equal + 1) / 2];
  });
  return {
    statements: spectrum.statements.length,
    position: index < 0 ? null : index + 1,
    plain: Object.fromEntries(plain),
  };
}

function observation(fault: Fault, dir: string): Partial<DiagnosisFigures> {
  if (!existsSync(join(dir, 'dynamic-slice.json'))) return { in_slice: false, in_pack: false };
  const isFaulty = (location: string) => {
    const { file, line } = parseLoc(location);
    return file === fault.file && line >= fault.lines[0] && line <= fault.lines[1];
  };
  const { slice } = readEnvelope('DynamicSlice', readFileSync(join(dir, 'dynamic-slice.json'), 'utf8'));
  const in_slice = slice.some(({ location }) => isFaulty(location));
  if (!existsSync(join(dir, 'evidence-pack.json'))) return { in_slice, in_pack: false };
  const text = readFileSync(join(dir, 'evidence-pack.json'), 'utf8');
  const pack = readEnvelope('EvidencePack', text);
  const failing = readRecord<ObservedRun>(dir, 'raw/failing', 'ObservedRun');
  const passing = existsSync(join(dir, 'raw/passing.json'))
    ? readRecord<ObservedRun>(dir, 'raw/passing', 'ObservedRun')
    : undefined;
  const runs = [failing, ...(passing === undefined ? [] : [passing])];
  const pack_bytes = bytesOf(pack);
  const set = makeHypotheses(fault, failing, passing);
  const options = { execution_id: failing.execution_id, runs };
  const judged = judgeHypotheses(
    pack,
    { debugging_question: '', hypotheses: set.map(({ hypothesis }) => hypothesis) },
    options,
  );
  const baseline = judgeHypotheses(
    cutTrace(runs, pack_bytes),
    { debugging_question: '', hypotheses: set.map(({ hypothesis }) => hypothesis) },
    options,
  );
  const count = (verdicts: typeof judged, right: boolean) =>
    verdicts.filter(({ verdict }, at) => verdict === 'eliminated' && set[at]?.right === right).length;
  return {
    in_slice,
    in_pack: pack.evidence_pack.some(({ location }) => isFaulty(location)),
    pack_bytes,
    raw_bytes: runs.reduce((sum, { events }) => sum + bytesOf(events), 0),
    hypotheses: {
      wrong: set.filter(({ right }) => !right).length,
      eliminated: count(judged, false),
      baseline_eliminated: count(baseline, false),
      right: set.filter(({ right }) => right).length,
      right_eliminated: count(judged, true),
    },
  };
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** A record that no schema is asked for again: traces are large. */
function readRecord<T>(dir: string, name: string, record: 'Spectrum' | 'ObservedRun'): T {
  const { data } = JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')) as { schema: string; data: T };
  if (data === undefined) throw new Error(`${name} is no ${record}`);
  return data;
}
