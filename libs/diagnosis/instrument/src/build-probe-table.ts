import { PROBE_PROTOCOL, type ProbeSpec, type ProbeTable } from '@h/agents';
import { type ProbePlan, parseLoc, type RepoPath, type TracePlan } from '@h/contracts';
import { languageOf, type Parser } from '@h/syntax';
import { draftProbes, observedFunctions, type ProbeDraft, type ProbeSite } from './draft-probes.ts';
import { duplicatePoint, languageUnknown, tooManyPoints, unknownFile } from './errors.ts';
import { analyzeFlow } from './flow/analyze-flow.ts';
import { PROBE_CAP } from './plan-probes.ts';

/** Executed statements recorded where the caller sets no bound. */
export const TRACE_EVENTS = 200_000;

/** Hits of each probe kept once the stream is as long as it may be: the first ones from then on, and the last ones. */
export const KEPT_HITS = { first: 100, last: 500 } as const;

export interface SourceText {
  readonly file: RepoPath;
  readonly text: string;
}

export interface ProbeTableBuild {
  readonly table: ProbeTable;
  /** By number. */
  readonly sites: readonly ProbeSite[];
}

export interface TableOptions {
  readonly parser: Parser;
  /** Default 200,000. */
  readonly maxEvents?: number;
  /** Default 100 and 500. */
  readonly keep?: HitsKept;
  /** Default true: secrets in values are masked. */
  readonly maskSecrets?: boolean;
  /** Files whose source is not to be rewritten: the interpreter itself tells of their statements, which costs far more per hit. */
  readonly hooked?: readonly RepoPath[];
}

/** Of each probe, beyond `maxEvents` or the bytes of the trace. */
export interface HitsKept {
  readonly first: number;
  readonly last: number;
}

/**
 * The table that tells the target what to record: an entry for each traced function, a probe for each of its statements, and
 * the probe points outside of them. Numbers follow file and place, so that the same plan and text give the same bytes.
 *
 * Throws `too_many_points`, `duplicate_point`, `unknown_file`, `unknown_statement`, `language_unknown`.
 */
export function buildProbeTable(
  plan: ProbePlan,
  trace: TracePlan,
  sources: readonly SourceText[],
  { parser, maxEvents = TRACE_EVENTS, keep = KEPT_HITS, maskSecrets = true, hooked = [] }: TableOptions,
): ProbeTableBuild {
  requirePlan(plan);
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  const files: ProbeTable['files'][number][] = [];
  const sites: ProbeSite[] = [];
  const [traced, asked] = [new Set(trace.functions), new Set(trace.variables)];
  for (const file of plannedFiles(plan, trace)) {
    const text = texts.get(file);
    if (text === undefined) throw unknownFile(file);
    const language = languageOf(file);
    if (language === undefined) throw languageUnknown(file);
    const flow = analyzeFlow(text, language, parser);
    const observed = observedFunctions(file, traced, flow);
    const draft = draftProbes({ file, language, plan, asked, flow, observed, isHooked: hooked.includes(file) });
    const placed = number(draft, sites.length);
    if (placed.probes.length > 0) files.push({ file, probes: placed.probes });
    sites.push(...placed.sites);
  }
  const limits = { max_bytes: trace.max_bytes, max_events: maxEvents, keep: { first: keep.first, last: keep.last } };
  const secrets = maskSecrets ? {} : { secrets: 'shown' as const };
  return { table: { protocol: PROBE_PROTOCOL, ...limits, ...secrets, files }, sites };
}

/** The files that a plan and its trace name, in code-unit order. */
export function plannedFiles(plan: ProbePlan, trace: TracePlan): RepoPath[] {
  const named = [
    ...plan.probe_points.map(({ location }) => parseLoc(location).file),
    ...trace.functions.map((name) => name.slice(0, name.lastIndexOf('::'))),
  ];
  return [...new Set(named)].sort();
}

function requirePlan({ probe_points }: ProbePlan): void {
  if (probe_points.length > PROBE_CAP) throw tooManyPoints(probe_points.length, PROBE_CAP);
  const names = probe_points.flatMap(({ id, location }) => [id, location]);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw duplicatePoint(twice);
}

function number(drafts: readonly ProbeDraft[], first: number): { probes: ProbeSpec[]; sites: ProbeSite[] } {
  const numbers = new Map(drafts.map(({ flow }, index) => [flow?.statement ?? -1, first + index]));
  numbers.delete(-1);
  const numbersOf = (statements: readonly number[] = []) => statements.flatMap((each) => numbers.get(each) ?? []);
  const guarded = new Set(drafts.flatMap(({ flow }) => flow?.guarded ?? []));
  return {
    probes: drafts.map(({ spec }, index) => ({ n: first + index, ...spec })),
    sites: drafts.map(({ site, flow }, index) => ({
      n: first + index,
      ...site,
      controllers: numbersOf(flow?.controllers),
      guarded: numbersOf(flow?.guarded),
      ...(guarded.has(flow?.statement ?? -1) ? { isGuarded: true as const } : {}),
    })),
  };
}
