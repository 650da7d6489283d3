import {
  AGENT_FOLDER,
  type AgentFile,
  createProbeInjector,
  PROBE_EVENTS_FILE,
  PROBE_TABLE_FILE,
  type ProbeTable,
} from '@h/agents';
import {
  type ArtifactStore,
  type CancelOptions,
  editTree,
  getTree,
  type InstrumentedArtifact,
  type ProbePlan,
  parseLoc,
  type RepoPath,
  type Sha,
  type TracePlan,
  type TreeChange,
  type TreeEntry,
} from '@h/contracts';
import { createParser, type Language, languageOf, type Parser } from '@h/syntax';
import { buildProbeTable, type HitsKept, plannedFiles, type SourceText } from './build-probe-table.ts';
import type { ProbeSite } from './draft-probes.ts';
import { alreadyInstrumented, languageUnknown, notText, unknownFile } from './errors.ts';

export interface InstrumentInput {
  /** The candidate as it is: it is read, never changed. */
  readonly tree: Sha;
  /** Folder the test runner starts in, relative to the tree; "" is its root. */
  readonly cwd: string;
  readonly artifacts: ArtifactStore;
  /** Agent files of the runner, their paths relative to the tree. */
  readonly agentFiles: readonly AgentFile[];
  readonly plan: ProbePlan;
  readonly trace: TracePlan;
  /** Absent: one is loaded for the languages of the plan, and freed. */
  readonly parser?: Parser;
  /** Executed statements recorded as they come; default 200,000. */
  readonly maxEvents?: number;
  /** Beyond that, hits of each probe; default the first 100 and the last 500. */
  readonly keep?: HitsKept;
  /** Default true: secrets in values are masked, by name and by form. */
  readonly maskSecrets?: boolean;
  /** Files whose source is not to be rewritten, such as one that is run by `exec`: the interpreter itself tells of them. */
  readonly hooked?: readonly RepoPath[];
}

export interface InstrumentedTree {
  readonly artifact: InstrumentedArtifact;
  /** The copy with agents, probe table and, for JavaScript and TypeScript, probes in the sources. */
  readonly tree: Sha;
  readonly table: ProbeTable;
  readonly sites: readonly ProbeSite[];
  /** Where the run will write its events, relative to the tree. */
  readonly eventsPath: RepoPath;
  /** What could not be instrumented, and why. */
  readonly notes: readonly string[];
}

/**
 * A copy of a tree with the probes of a plan (seed 12 §3.3). The same plan and tree give the same bytes and the same hash.
 * Python gets its probes inside the target, from the table; JavaScript and TypeScript get them here, in the text.
 *
 * Throws what `buildProbeTable` throws, `already_instrumented` and `not_text`.
 */
export async function instrumentTree(input: InstrumentInput, options: CancelOptions = {}): Promise<InstrumentedTree> {
  options.signal?.throwIfAborted();
  const { plan, trace, artifacts, cwd } = input;
  const tablePath = inFolder(cwd, `${AGENT_FOLDER}/${PROBE_TABLE_FILE}`);
  const entries = new Map((await getTree(input.tree, artifacts, options)).map((entry) => [entry.path, entry]));
  if (entries.has(tablePath)) throw alreadyInstrumented(tablePath);
  const sources = await readSources(plannedFiles(plan, trace), entries, artifacts, options);
  const built = await withParser(input.parser, sources, options, (parser) =>
    buildProbeTable(plan, trace, sources, {
      parser,
      ...(input.maxEvents === undefined ? {} : { maxEvents: input.maxEvents }),
      ...(input.keep === undefined ? {} : { keep: input.keep }),
      ...(input.maskSecrets === undefined ? {} : { maskSecrets: input.maskSecrets }),
      ...(input.hooked === undefined ? {} : { hooked: input.hooked }),
    }),
  );
  options.signal?.throwIfAborted();
  const { sites } = built;
  const injected = await injectSources(built.table, sources);
  const table = withLogpoints(built.table, injected.unplaced);
  const files = [...input.agentFiles, { path: tablePath, text: JSON.stringify(table) }];
  const changes = [...files.map(({ path, text }) => written(path, text)), ...injected.changes];
  const tree = await editTree(input.tree, changes, artifacts, options);
  return {
    artifact: {
      instrumented_artifact: tree,
      probe_specs: plan.probe_points.map(({ id, location, variables }) => ({
        id,
        location,
        method: methodOf(location, table),
        variables,
      })),
    },
    tree,
    table,
    sites,
    eventsPath: inFolder(cwd, `${AGENT_FOLDER}/${PROBE_EVENTS_FILE}`),
    notes: injected.notes,
  };
}

/** How a point is realized: seed 12 §3.3 (a), (b). */
function methodOf(location: string, { files }: ProbeTable): InstrumentedArtifact['probe_specs'][number]['method'] {
  const { file, line } = parseLoc(location);
  const found = files
    .find((entry) => entry.file === file)
    ?.probes.find((probe) => probe.line === line && probe.role !== 'entry');
  if (found?.method !== 'hook') return 'inject';
  return languageFor(file) === 'python' ? 'settrace' : 'inspector';
}

async function readSources(
  files: readonly RepoPath[],
  entries: ReadonlyMap<string, TreeEntry>,
  artifacts: ArtifactStore,
  options: CancelOptions,
): Promise<SourceText[]> {
  const sources: SourceText[] = [];
  for (const file of files) {
    const entry = entries.get(file);
    if (entry === undefined) throw unknownFile(file);
    sources.push({ file, text: decode(file, await artifacts.get(entry.sha, options)) });
  }
  return sources;
}

function decode(file: RepoPath, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText(file);
  }
}

async function withParser<T>(
  given: Parser | undefined,
  sources: readonly SourceText[],
  options: CancelOptions,
  use: (parser: Parser) => T,
): Promise<T> {
  if (given !== undefined) return use(given);
  const languages = [...new Set(sources.map(({ file }) => languageFor(file)))].sort();
  const parser = await createParser({ languages, ...options });
  try {
    return use(parser);
  } finally {
    parser.dispose();
  }
}

function languageFor(file: RepoPath): Language {
  const language = languageOf(file);
  if (language === undefined) throw languageUnknown(file);
  return language;
}

interface InjectedSources {
  readonly changes: TreeChange[];
  readonly notes: string[];
  /** Probes that could not be put into the source, by number. */
  readonly unplaced: ReadonlySet<number>;
}

async function injectSources(table: ProbeTable, sources: readonly SourceText[]): Promise<InjectedSources> {
  const changes: TreeChange[] = [];
  const notes: string[] = [];
  const unplaced = new Set<number>();
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  const planned = table.files.filter(
    ({ file, probes }) => languageFor(file) !== 'python' && probes.some(({ method }) => method !== 'hook'),
  );
  if (planned.length === 0) return { changes, notes, unplaced };
  const injector = await createProbeInjector();
  for (const { file, probes } of planned) {
    const language = languageFor(file);
    if (language === 'python') continue;
    const wanted = probes.filter(({ method }) => method !== 'hook');
    const result = injector.inject(texts.get(file) ?? '', language, { path: file, probes: wanted });
    const placed = new Set('skipped' in result ? [] : result.placed);
    if ('skipped' in result) notes.push(`No probe in ${file}: ${result.skipped}`);
    else changes.push(written(file, result.text));
    for (const { n, line } of wanted) {
      if (placed.has(n)) continue;
      unplaced.add(n);
      if (!('skipped' in result)) notes.push(`No probe could be placed at ${file}:${line}.`);
    }
  }
  return { changes, notes, unplaced };
}

/** Where no probe could be placed, a logpoint stands for it; not in TypeScript, whose lines need not be those of what runs. */
function withLogpoints(table: ProbeTable, unplaced: ReadonlySet<number>): ProbeTable {
  if (unplaced.size === 0) return table;
  return {
    ...table,
    files: table.files.map(({ file, probes }) => ({
      file,
      probes: probes.map((spec) =>
        unplaced.has(spec.n) && languageFor(file) === 'javascript' ? { ...spec, method: 'hook' as const } : spec,
      ),
    })),
  };
}

function written(path: string, text: string): TreeChange {
  return { path, bytes: new TextEncoder().encode(text) };
}

function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
