// One fault diagnosed by `h diagnose`: where its statement stands in the ranking and in rankings by other formulas, whether it is in the slice, and what
// the pack and a raw trace of its size leave of true and false hypotheses about its state.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DynamicSlice, type ObservedRun, parseLoc, readEnvelope, type Spectrum } from '@h/contracts';
import { assemblePack, judgeHypotheses, selectSlice } from '@h/evidence';
import { runPipeline } from '@h/pipeline';
import { type FormulaName, rankStatements } from '@h/sbfl';
import type { Fault } from './draw-faults.ts';
import { cutTrace, makeHypotheses } from './make-hypotheses.ts';
import { measureRawTrace } from './measure-raw-trace.ts';

export interface DiagnosisFigures {
  /** Absent: `h diagnose` ended in an error. */
  readonly error?: string;
  readonly outcome?: string;
  /** Statements in the spectrum. */
  readonly statements?: number;
  /** Place in the list that H shows, from 1; null: not in it. */
  readonly position?: number | null;
  /** Place by the tests alone, in the SpectrumReport. */
  readonly by_tests?: number | null;
  /** Mean place among equal scores, no other rule, by formula. */
  readonly plain?: Readonly<Record<string, number | null>>;
  readonly in_slice?: boolean;
  readonly in_pack?: boolean;
  readonly pack_bytes?: number;
  /** Of the raw trace of a tracer that prints locals at each step. */
  readonly raw_bytes?: number;
  /** Of the events that H itself recorded: the names each statement reads and writes. */
  readonly event_bytes?: number;
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
    return { outcome: summary.outcome, ...readDiagnosis(fault, dir) };
  } catch (error) {
    return { error: String(error) };
  }
}

/** What the records of a run directory tell of the fault. */
export function readDiagnosis(fault: Fault, dir: string): Partial<DiagnosisFigures> {
  if (!existsSync(join(dir, 'spectrum.json'))) return {};
  return { ...ranking(fault, dir), ...observation(fault, dir) };
}

function isAt({ file, lines }: Fault): (one: { readonly location: string }) => boolean {
  return ({ location }) => {
    const at = parseLoc(location);
    return at.file === file && at.line >= lines[0] && at.line <= lines[1];
  };
}

function placeIn(list: readonly { readonly location: string }[], fault: Fault): number | null {
  const index = list.findIndex(isAt(fault));
  return index < 0 ? null : index + 1;
}

function ranking(fault: Fault, dir: string): Partial<DiagnosisFigures> {
  const spectrum = readRecord<Spectrum>(dir, 'spectrum', 'Spectrum');
  const report = readEnvelope('SpectrumReport', readFileSync(join(dir, 'spectrum-report.json'), 'utf8'));
  const plain = FORMULAS.map((formula) => {
    const { statements } = rankStatements(spectrum, { formula });
    const own = statements.find(isAt(fault))?.score;
    if (own === undefined) return [formula, null];
    const above = statements.filter(({ score }) => score > own).length;
    const equal = statements.filter(({ score }) => score === own).length;
    return [formula, above + (equal + 1) / 2];
  });
  return {
    statements: spectrum.statements.length,
    position: placeIn(shownIn(dir) ?? report.statements, fault),
    by_tests: placeIn(report.statements, fault),
    plain: Object.fromEntries(plain),
  };
}

function shownIn(dir: string): readonly { readonly location: string }[] | undefined {
  const file = join(dir, 'refined-ranking.json');
  return existsSync(file) ? readEnvelope('RefinedRanking', readFileSync(file, 'utf8')).statements : undefined;
}

function observation(fault: Fault, dir: string): Partial<DiagnosisFigures> {
  if (!existsSync(join(dir, 'dynamic-slice.json'))) return { in_slice: false, in_pack: false };
  const slice = readEnvelope('DynamicSlice', readFileSync(join(dir, 'dynamic-slice.json'), 'utf8'));
  const in_slice = slice.slice.some(isAt(fault));
  if (!existsSync(join(dir, 'evidence-pack.json'))) return { in_slice, in_pack: false };
  const shown = readEnvelope('EvidencePack', readFileSync(join(dir, 'evidence-pack.json'), 'utf8'));
  const failing = readRecord<ObservedRun>(dir, 'raw/failing', 'ObservedRun');
  const passing = existsSync(join(dir, 'raw/passing.json'))
    ? readRecord<ObservedRun>(dir, 'raw/passing', 'ObservedRun')
    : undefined;
  const runs = [failing, ...(passing === undefined ? [] : [passing])];
  return {
    in_slice,
    in_pack: shown.evidence_pack.some(isAt(fault)),
    pack_bytes: bytesOf(shown),
    raw_bytes: measureRawTrace(runs),
    event_bytes: runs.reduce((sum, { events }) => sum + bytesOf(events), 0),
    hypotheses: falsify(fault, dir, slice, runs),
  };
}

/** Hypotheses are there before their pack, which shows their points first (seed 12 §4): it is assembled for them as `h diagnose` does. */
function falsify(fault: Fault, dir: string, slice: DynamicSlice, runs: readonly ObservedRun[]): HypothesisFigures {
  const [failing, passing] = runs;
  if (failing === undefined) throw new Error('no run was observed');
  const divergence = readEnvelope('DivergenceRecord', readFileSync(join(dir, 'divergence-record.json'), 'utf8'));
  const set = makeHypotheses(fault, failing, passing);
  const order = (shownIn(dir) ?? []).map(({ location }) => location);
  const points = set.map(({ hypothesis }) => hypothesis.observe.location);
  const selected = selectSlice({ slice, divergence, runs }, { order, points });
  const assembled = assemblePack({ slice: selected, divergence, runs });
  if (assembled.status === 'rejected') throw new Error(JSON.stringify(assembled.violations));
  const asked = { debugging_question: '', hypotheses: set.map(({ hypothesis }) => hypothesis) };
  const options = { execution_id: failing.execution_id, runs };
  const judged = judgeHypotheses(assembled.pack, asked, options);
  const baseline = judgeHypotheses(cutTrace(runs, bytesOf(assembled.pack)), asked, options);
  const count = (verdicts: typeof judged, right: boolean) =>
    verdicts.filter(({ verdict }, at) => verdict === 'eliminated' && set[at]?.right === right).length;
  return {
    wrong: set.filter(({ right }) => !right).length,
    eliminated: count(judged, false),
    baseline_eliminated: count(baseline, false),
    right: set.filter(({ right }) => right).length,
    right_eliminated: count(judged, true),
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
