import { type CandidateBatch, hashRecord, type ProposedEdit, type Sha, sha256Hex } from '@h/contracts';
import type { Parser } from '@h/syntax';
import { type BlockSource, blockSource, changeKey, chooseBlock, MAX_SEARCH_LENGTH } from './choose-block.ts';
import { badTarget, fileMissing } from './errors.ts';
import { createFailureFit, type FailureEvidence, type FailureFit, factsOf } from './fit-failure.ts';
import { glue } from './fit-text.ts';
import { readSites } from './read-sites.ts';
import { type ScoredReplacement, scoreReplacements, weighTargets } from './score-candidates.ts';
import type { Site, Template } from './template.ts';
import { ALL_TEMPLATES } from './templates/all-templates.ts';

/** A file of the snapshot. */
export interface SourceFile {
  /** Relative to the repository root, with `/`; its extension tells the language. */
  path: string;
  /** The whole text as UTF-8 decodes it, a byte order mark and line ends kept. */
  text: string;
  /** SHA-256 of the file's bytes; absent: that of the text as UTF-8. */
  sha?: Sha;
}

/** A statement that may be at fault. */
export interface RepairTarget {
  file: string;
  /** 1-based inclusive lines of the statement, or of its header. */
  first: number;
  last: number;
  /** Suspiciousness, 0 or more; only its size beside the other targets counts. */
  score: number;
  /** 1-based; absent: the position in the list. Equal ranks weigh the same. */
  rank?: number;
  /** Qualified name of the function around it; goes into the provenance. */
  function?: string;
}

export interface ProposalLimits {
  /** Candidates kept of one target, the best ones. 300. */
  perTarget: number;
  /** Syntax nodes looked at in one statement, from its start. 4,000. */
  nodesPerStatement: number;
}

export interface ProposalOptions {
  files: readonly SourceFile[];
  /** Likeliest first. */
  targets: readonly RepairTarget[];
  parser: Parser;
  /** All of this library when absent. */
  templates?: readonly Template[];
  limits?: Partial<ProposalLimits>;
  /** What is known of the failure: it raises and lowers candidates, and leaves none out. */
  evidence?: FailureEvidence;
}

const LIMITS: ProposalLimits = { perTarget: 300, nodesPerStatement: 4_000 };
const MAX_SHOWN = 60;

/**
 * Proposes single-place changes of the targets, one batch a target in their order, best candidate first. Lazy: a file is
 * parsed when its first target is reached. No two candidates lead to the same text. A file of another language and a
 * target without a statement give an empty batch. Throws `file_missing` and `bad_target` at once.
 */
export function proposeEdits(options: ProposalOptions): Iterable<CandidateBatch> {
  const files = new Map(options.files.map((file) => [file.path, file]));
  for (const { file, first, last } of options.targets) {
    if (!files.has(file)) throw fileMissing(file);
    if (!Number.isInteger(first) || !Number.isInteger(last) || first < 1 || last < first) {
      throw badTarget(file, first, last);
    }
  }
  return { [Symbol.iterator]: () => batches(files, options) };
}

interface OpenFile {
  sites(target: RepairTarget): Site[];
  blocks: BlockSource;
  before: Sha;
  seen: Set<string>;
}

function* batches(files: ReadonlyMap<string, SourceFile>, options: ProposalOptions): Iterator<CandidateBatch> {
  const limits = { ...LIMITS, ...options.limits };
  const weights = weighTargets(options.targets);
  const failure = options.evidence && createFailureFit(options.evidence);
  const open = new Map<string, OpenFile | undefined>();
  const last = new Map(options.targets.map(({ file }, index) => [file, index]));
  for (const [index, target] of options.targets.entries()) {
    if (!open.has(target.file)) open.set(target.file, openFile(files, target.file, options, limits));
    const file = open.get(target.file);
    const candidates = file
      ? candidatesOf(file, target, { ...limits, ...options, weight: weights[index] ?? 0, failure })
      : [];
    if (last.get(target.file) === index) open.delete(target.file);
    yield {
      target: { file: target.file, span: [target.first, target.last] },
      format: 'search_replace',
      candidates,
      regenerate: false,
      origin: 'templates',
    };
  }
}

function openFile(
  files: ReadonlyMap<string, SourceFile>,
  path: string,
  { targets, parser, evidence }: ProposalOptions,
  limits: ProposalLimits,
): OpenFile | undefined {
  const file = files.get(path);
  if (!file) return undefined;
  const own = targets.filter((target) => target.file === path);
  const read = readSites(path, file.text, own, parser, limits.nodesPerStatement, factsOf(evidence ?? {}));
  if (!read) return undefined;
  return {
    sites: read.sitesOf,
    blocks: blockSource(file.text, read.root),
    before: file.sha ?? sha256Hex(file.text),
    seen: new Set(),
  };
}

interface Rating extends ProposalLimits {
  weight: number;
  failure: FailureFit | undefined;
  templates?: readonly Template[];
}

function candidatesOf(
  file: OpenFile,
  target: RepairTarget,
  { templates = ALL_TEMPLATES, perTarget, weight, failure }: Rating,
): ProposedEdit[] {
  const scored = file.sites(target).flatMap((site) => {
    const location = `${target.file}:${file.blocks.lines.lineAt(site.range[0])}`;
    return scoreReplacements(site, templates, { weight, failure, location });
  });
  scored.sort((left, right) => right.score - left.score);
  const candidates: ProposedEdit[] = [];
  for (const replacement of scored) {
    if (candidates.length >= perTarget) break;
    const candidate = candidateOf(file, target, replacement);
    if (candidate) candidates.push(candidate);
  }
  return candidates;
}

function candidateOf(file: OpenFile, target: RepairTarget, replacement: ScoredReplacement): ProposedEdit | undefined {
  const { source } = replacement.site;
  const { start, end, kind, score } = replacement;
  if (end - start > MAX_SEARCH_LENGTH || replacement.text.length > MAX_SEARCH_LENGTH) return undefined;
  const inserted = withLineEnds(replacement.text, source);
  if (source.slice(start, end) === inserted) return undefined;
  const text = glue(source.slice(Math.max(0, start - 1), start), inserted, source.slice(end, end + 1));
  const key = changeKey(source, start, end, text);
  if (file.seen.has(key)) return undefined;
  const placed = chooseBlock(file.blocks, replacement.site.range, { start, end, text });
  if (!placed) return undefined;
  file.seen.add(key);
  const content = { file: target.file, span: placed.span, blocks: [placed.block] };
  return {
    candidate_id: hashRecord({ ...content, before: file.before }),
    origin: 'templates',
    ...content,
    template: kind,
    score,
    provenance: describeChange(file, target, replacement, text),
  };
}

/** Templates end lines with LF; beside the others the text has to end them as the file does. */
function withLineEnds(text: string, source: string): string {
  if (!/[\r\n]/.test(text)) return text;
  const [end = '\n'] = /\r\n|\n|\r/.exec(source) ?? [];
  return text.replace(/\r\n|\n|\r/g, end);
}

/** `comparison-operator/boundary at src/a.py:4:7 in pick: < → <=`; the column counts UTF-16 units from 0. */
function describeChange(
  { blocks }: OpenFile,
  target: RepairTarget,
  { start, end, kind }: ScoredReplacement,
  text: string,
): string {
  const line = blocks.lines.lineAt(start);
  const place = `${target.file}:${line}:${start - blocks.lines.startOf(line)}`;
  const around = target.function === undefined ? '' : ` in ${target.function}`;
  return `${kind} at ${place}${around}: ${shown(blocks.text.slice(start, end))} → ${shown(text)}`;
}

function shown(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line;
}
