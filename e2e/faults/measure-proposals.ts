// The single changes that `h run` proposes for one fault, before duplicates and with no pairs, and where among them the original text stands: a diagnosis
// is kept, and nothing is executed after it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CandidateBatch,
  type ObservedRun,
  type ProposedEdit,
  parseLoc,
  readEnvelope,
  type TestFailure,
} from '@h/contracts';
import { proposeEdits, type RepairTarget } from '@h/fix-templates';
import { runPipeline } from '@h/pipeline';
import type { Parser } from '@h/syntax';
import { applied } from '../../libs/generation/fix-templates/bench/rank-faults.ts';
import type { Fault } from './draw-faults.ts';
import { isSameProgram } from './is-same-program.ts';

/** What proposing needs of a diagnosis. */
export interface KeptDiagnosis {
  /** Absent: `h diagnose` ended in an error. */
  readonly error?: string;
  readonly outcome?: string;
  readonly targets?: readonly RepairTarget[];
  readonly failures?: readonly TestFailure[];
  readonly observed?: ObservedRun;
}

/** Statements kept: more than a run proposes for. */
const STATEMENTS = 60;

/** Diagnoses the faulty package in `repo`. An error of H is a result, too. */
export async function keepDiagnosis(_fault: Fault, repo: string, out: string): Promise<KeptDiagnosis> {
  try {
    const { dir, summary } = await runPipeline({ command: 'diagnose', repo, out, environment: process.env });
    return { outcome: summary.outcome, ...readDiagnosis(dir) };
  } catch (error) {
    return { error: String(error) };
  }
}

/** What a run directory tells of its diagnosis; nothing where nothing failed. */
export function readDiagnosis(dir: string): KeptDiagnosis {
  if (!existsSync(join(dir, 'spectrum.json'))) return {};
  const spectrum = readEnvelope('Spectrum', readFileSync(join(dir, 'spectrum.json'), 'utf8'));
  const report = readEnvelope('SpectrumReport', readFileSync(join(dir, 'spectrum-report.json'), 'utf8'));
  const run = readEnvelope('TestRunReport', readFileSync(join(dir, 'test-run-report.json'), 'utf8'));
  const lastOf = new Map(spectrum.statements.map(({ file, first, last }) => [`${file}:${first}`, last]));
  const statements = report.statements.filter(({ kind = 'statement' }) => kind === 'statement');
  const targets = statements.slice(0, STATEMENTS).map(({ location, score, rank }) => {
    const { file, line: first } = parseLoc(location);
    return { file, first, last: lastOf.get(location) ?? first, score, rank };
  });
  const failing = new Set(spectrum.tests.filter(({ outcome }) => outcome !== 'passed').map(({ id }) => id));
  return {
    targets,
    failures: run.tests.flatMap(({ test, failure }) => (failing.has(test) && failure !== undefined ? [failure] : [])),
    ...observedIn(dir),
  };
}

/** Runs of more events are not kept. */
const EVENTS = 30_000;

function observedIn(dir: string): Pick<KeptDiagnosis, 'observed'> {
  const path = join(dir, 'raw/failing.json');
  if (!existsSync(path)) return {};
  const { data } = JSON.parse(readFileSync(path, 'utf8')) as { data: ObservedRun };
  return data.events.length > EVENTS ? {} : { observed: data };
}

export type Ordering = 'suspiciousness' | 'prior' | 'both' | 'both and failure' | 'random';
export const ORDERINGS: readonly Ordering[] = ['suspiciousness', 'prior', 'both', 'both and failure', 'random'];

export interface Placed {
  /** Candidates of all statements kept. */
  readonly candidates: number;
  /** Place of the statement of the fault among the targets, from 1; null: not kept. */
  readonly target: number | null;
  /** The template whose candidate is the original text; absent: none is. */
  readonly template?: string;
  /** Place of that candidate in budget order, from 1, by ordering; equal ones count half. */
  readonly positions?: Readonly<Record<Ordering, number>>;
}

/** Where the original text stands among everything that is proposed for the kept statements. */
export function placeOriginal(
  fault: Fault,
  kept: KeptDiagnosis,
  parser: Parser,
  read: (path: string) => string,
): Placed {
  const targets = kept.targets ?? [];
  const files = [...new Set(targets.map(({ file }) => file))].map((path) => ({
    path,
    text: path === fault.file ? fault.faulty : read(path),
  }));
  const flat = targets.map((target) => ({ ...target, score: 1, rank: 1 }));
  const evidence = {
    failures: kept.failures ?? [],
    ...(kept.observed === undefined ? {} : { observed: kept.observed }),
  };
  const both = [...proposeEdits({ files, targets, parser })];
  const prior = [...proposeEdits({ files, targets: flat, parser })];
  const fitted = [...proposeEdits({ files, targets, parser, evidence })];
  const isOnFault = ({ file, first, last }: RepairTarget) =>
    file === fault.file && first <= fault.lines[1] && fault.lines[0] <= last;
  const target = targets.findIndex(isOnFault);
  const isOriginal = (one: ProposedEdit) =>
    one.file === fault.file && isSameProgram(fault.file, applied(fault.faulty, one), fault.original, parser);
  const found = both.flatMap((batch, index) => batch.candidates.filter(isOriginal).map((one) => ({ one, index })));
  const candidates = both.reduce((sum, batch) => sum + batch.candidates.length, 0);
  const [first] = found.sort((a, b) => (b.one.score ?? 0) - (a.one.score ?? 0));
  const placed = { candidates, target: target < 0 ? null : target + 1 };
  if (first === undefined) return placed;
  const among = (batches: readonly CandidateBatch[]) => {
    const scores = batches.flatMap((batch) => batch.candidates);
    const own = scores.find(({ candidate_id }) => candidate_id === first.one.candidate_id)?.score ?? 0;
    const above = scores.filter(({ score = 0 }) => score > own).length;
    return above + (scores.filter(({ score = 0 }) => score === own).length + 1) / 2;
  };
  // Batches come in the order of the targets, and each target weighs less than the one before it.
  const sizes = both.map((batch) => batch.candidates.length);
  const heavier = sizes.slice(0, first.index).reduce((sum, size) => sum + size, 0);
  return {
    ...placed,
    template: first.one.template ?? '',
    positions: {
      suspiciousness: heavier + ((sizes[first.index] ?? 0) + 1) / 2,
      prior: among(prior),
      both: among(both),
      'both and failure': among(fitted),
      random: (candidates + 1) / 2,
    },
  };
}
