// One fault diagnosed by `h diagnose`: where its statement stands in the ranking and in rankings by other formulas, whether it is in the slice, and what
// the pack and a raw trace of its size leave of true and false hypotheses about its state.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DynamicSlice,
  type ObservedRun,
  parseLines,
  parseLoc,
  readEnvelope,
  type Spectrum,
  type SpectrumReport,
} from '@h/contracts';
import { assemblePack, judgeHypotheses, selectSlice } from '@h/evidence';
import { runPipeline } from '@h/pipeline';
import { type FormulaName, rankStatements } from '@h/sbfl';
import { runH } from '../run-h.ts';
import type { Fault } from './draw-faults.ts';
import { cutTrace, makeHypotheses, type ObservedRuns } from './make-hypotheses.ts';
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
  /** Share of the ranked statements that the observed test executed which its slice holds; imports, definitions and what ran as modules loaded aside. */
  readonly slice_share?: number;
  /** Of the pack that `h diagnose` wrote, which knows no hypothesis. */
  readonly pack_bytes?: number;
  /** Of the raw trace of a tracer that prints locals at each step. */
  readonly raw_bytes?: number;
  /** Of the events that H itself recorded: the names each statement reads and writes. */
  readonly event_bytes?: number;
  readonly hypotheses?: HypothesisFigures;
}

export interface HypothesisFigures {
  /** Of the pack that they were judged by, which shows their points: the baseline has as many. */
  readonly pack_bytes: number;
  readonly wrong: number;
  readonly eliminated: number;
  readonly baseline_eliminated: number;
  readonly right: number;
  readonly right_eliminated: number;
  /** Wrong ones that stay open, by why. */
  readonly open: Readonly<Record<string, number>>;
}

const FORMULAS: readonly FormulaName[] = ['ochiai', 'tarantula', 'dstar'];

/** Diagnoses the faulty package in `repo`. An error of H is a result, too. */
export async function measureDiagnosis(fault: Fault, repo: string, out: string): Promise<DiagnosisFigures> {
  try {
    const { dir, summary } = await runPipeline({ command: 'diagnose', repo, out, environment: process.env });
    return { outcome: summary.outcome, ...(await readDiagnosis(fault, dir, repo)) };
  } catch (error) {
    return { error: String(error) };
  }
}

/** What the records of a run directory tell of the fault; the failing test is observed once more in `repo`. */
async function readDiagnosis(fault: Fault, dir: string, repo: string): Promise<Partial<DiagnosisFigures>> {
  if (!existsSync(join(dir, 'spectrum.json'))) return {};
  return { ...ranking(fault, dir), ...(await observation(fault, dir, repo)) };
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

async function observation(fault: Fault, dir: string, repo: string): Promise<Partial<DiagnosisFigures>> {
  if (!existsSync(join(dir, 'dynamic-slice.json'))) return { in_slice: false, in_pack: false };
  const slice = readEnvelope('DynamicSlice', readFileSync(join(dir, 'dynamic-slice.json'), 'utf8'));
  const in_slice = slice.slice.some(isAt(fault));
  const failing = readRecord<ObservedRun>(dir, 'raw/failing', 'ObservedRun');
  const slice_share = shareOf(slice, executedBy(failing.test, dir));
  if (!existsSync(join(dir, 'evidence-pack.json'))) return { in_slice, slice_share, in_pack: false };
  const shown = readEnvelope('EvidencePack', readFileSync(join(dir, 'evidence-pack.json'), 'utf8'));
  const passing = existsSync(join(dir, 'raw/passing.json'))
    ? readRecord<ObservedRun>(dir, 'raw/passing', 'ObservedRun')
    : undefined;
  const runs = [failing, ...(passing === undefined ? [] : [passing])];
  return {
    in_slice,
    slice_share,
    in_pack: shown.evidence_pack.some(isAt(fault)),
    pack_bytes: bytesOf(shown),
    raw_bytes: measureRawTrace(runs),
    event_bytes: runs.reduce((sum, { events }) => sum + bytesOf(events), 0),
    hypotheses: falsify(fault, dir, slice, { failing, passing, again: await observeAgain(failing, dir, repo) }),
  };
}

/** Statements of the ranking that one test executed in its own time, as places. */
function executedBy(test: string, dir: string): string[] {
  const { tests, statements, hits } = readRecord<Spectrum>(dir, 'spectrum', 'Spectrum');
  const { statements: ranked } = readRecord<SpectrumReport>(dir, 'spectrum-report', 'SpectrumReport');
  const hit = hits[tests.findIndex(({ id }) => id === test)] ?? '';
  const places = parseLines(hit).map((at) => `${statements[at]?.file}:${statements[at]?.first}`);
  const own = new Set(
    ranked.flatMap(({ kind = 'statement', loaded, location }) =>
      kind === 'statement' && loaded !== true ? [location] : [],
    ),
  );
  return places.filter((place) => own.has(place));
}

function shareOf({ slice }: DynamicSlice, places: readonly string[]): number {
  const held = new Set(slice.map(({ location }) => location));
  return places.filter((place) => held.has(place)).length / Math.max(1, places.length);
}

/** A second observation of the failing test in a process of its own, as it was observed first. Undefined: it could not be had. */
async function observeAgain({ test }: ObservedRun, dir: string, repo: string): Promise<ObservedRun | undefined> {
  const file = join(dir, 'again.json');
  const plans = ['--plan', join(dir, 'probe-plan.json'), '--trace', join(dir, 'trace-plan.json')];
  const flags = ['--repo', repo, ...plans, '--test', test, '--ordinal', '1', '--quiet'];
  const { exitCode } = await runH(['observe', ...flags], { stdout: { file } });
  return exitCode === 0 ? readRecord<ObservedRun>(dir, 'again', 'ObservedRun') : undefined;
}

/** Hypotheses are there before their pack, which shows their points first (seed 12 §4): it is assembled for them as `h diagnose` does. */
function falsify(fault: Fault, dir: string, slice: DynamicSlice, observed: ObservedRuns): HypothesisFigures {
  const { failing, passing } = observed;
  const runs = [failing, ...(passing === undefined ? [] : [passing])];
  const divergence = readEnvelope('DivergenceRecord', readFileSync(join(dir, 'divergence-record.json'), 'utf8'));
  const set = makeHypotheses(fault, observed);
  const order = (shownIn(dir) ?? []).map(({ location }) => location);
  const points = set.map(({ hypothesis }) => hypothesis.observe.location);
  const selected = selectSlice({ slice, divergence, runs }, { order, points });
  const assembled = assemblePack({ slice: selected, divergence, runs });
  if (assembled.status === 'rejected') throw new Error(JSON.stringify(assembled.violations));
  const asked = { debugging_question: '', hypotheses: set.map(({ hypothesis }) => hypothesis) };
  const options = { execution_id: failing.execution_id, runs };
  const judged = judgeHypotheses(assembled.pack, asked, options);
  const pack_bytes = bytesOf(assembled.pack);
  const baseline = judgeHypotheses(cutTrace(runs, pack_bytes), asked, options);
  const count = (verdicts: typeof judged, right: boolean) =>
    verdicts.filter(({ verdict }, at) => verdict === 'eliminated' && set[at]?.right === right).length;
  return {
    pack_bytes,
    wrong: set.filter(({ right }) => !right).length,
    eliminated: count(judged, false),
    baseline_eliminated: count(baseline, false),
    right: set.filter(({ right }) => right).length,
    right_eliminated: count(judged, true),
    open: tally(
      judged.flatMap(({ verdict, why = verdict }, at) =>
        set[at]?.right !== false || verdict === 'eliminated' ? [] : [why],
      ),
    ),
  };
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of [...words].sort()) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** A record that no schema is asked for again: traces are large. */
function readRecord<T>(dir: string, name: string, record: 'Spectrum' | 'SpectrumReport' | 'ObservedRun'): T {
  const { data } = JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')) as { schema: string; data: T };
  if (data === undefined) throw new Error(`${name} is no ${record}`);
  return data;
}
