// One file of a candidate: from its plan to its new bytes, or the reason why not.
import type { Hunk, MatchTier } from '@h/contracts';
import { type BlockRequest, type LocatedBlock, type Refusal, refuse, spansOf } from './locate/block-query.ts';
import { findElision, locateBlock } from './locate/locate-block.ts';
import { isWellFormed, markEnd, once, type SnapshotFile, unifyLineEnds, withLf } from './open-snapshot.ts';
import type { FilePlan, FileRefusal, PlannedBlock } from './plan-files.ts';
import { type EditedLines, editedLines, refineLines } from './write/edited-lines.ts';
import { type LineTable, tableOfLines } from './write/line-table.ts';
import { type Change, changesOf, differs, type Replacement, sameBytes, splice } from './write/splice-edits.ts';

/** A file with its new bytes, not yet judged by a gate. */
export interface EditedFile {
  readonly status: 'edited';
  readonly plan: FilePlan;
  /** Absent for a created file. */
  readonly before?: Uint8Array;
  /** Absent for a deleted file. */
  readonly after?: Uint8Array;
  /** Some byte differs; true for files created and deleted. */
  readonly differs: boolean;
  /** What the record says of it, computed when first asked for. */
  readonly described: () => DescribedFile;
  /** The first block that only a tolerant tier found. */
  readonly tolerant?: BlockRequest;
}

export interface DescribedFile {
  readonly hunks: readonly Hunk[];
  /** The edits by LF lines, without lines that both sides share: what a diff shows. */
  readonly edits: readonly EditedLines[];
  /** Lines of the bytes before, by LF. */
  readonly lines: LineTable;
}

export interface EditFileOptions {
  readonly match: MatchTier;
  readonly maxBytes: number;
}

/** The new bytes of one file; nothing outside the replaced ranges differs from the old ones. */
export function editFile(plan: FilePlan, options: EditFileOptions): EditedFile | FileRefusal {
  const edited = plan.file === undefined ? createFile(plan) : changeFile(plan, plan.file, options);
  if (edited.status === 'refused') return { path: plan.path, ...edited };
  if ((edited.after?.length ?? 0) > options.maxBytes) return { path: plan.path, ...refuse('apply', 'too_large') };
  return edited;
}

function createFile(plan: FilePlan): EditedFile | Refusal {
  const content = plan.content ?? '';
  if (!isPlainText(content)) return refuse('apply', 'not_text');
  const after = new TextEncoder().encode(content);
  return finish(plan, undefined, after, [{ start: 0, end: 0, bytes: after, tier: 'exact' }]);
}

function changeFile(plan: FilePlan, file: SnapshotFile, options: EditFileOptions): EditedFile | FileRefusal {
  const { op, blocks, content } = plan;
  if (op === 'move' && blocks.length === 0 && content === undefined) return finish(plan, file, file.bytes, []);
  if (!file.isText) return refuse('locate', 'not_text');
  if (file.bytes.length > options.maxBytes) return refuse('locate', 'too_large');
  if (op === 'delete') {
    return finish(plan, file, undefined, [
      { start: 0, end: file.bytes.length, bytes: new Uint8Array(), tier: 'exact' },
    ]);
  }
  return content === undefined ? applyBlocks(plan, file, options) : applyContent(plan, file, content);
}

/** A text that bytes can hold and that leaves the file a text. */
function isPlainText(text: string): boolean {
  return isWellFormed(text) && !text.includes('\0');
}

type Tiered = Pick<LocatedBlock, 'tier' | 'margin'>;
type TieredChange = Change & Tiered;
type PlacedBlock = Replacement & Tiered & { readonly block: PlannedBlock | undefined };

function applyBlocks(plan: FilePlan, file: SnapshotFile, options: EditFileOptions): EditedFile | FileRefusal {
  const located = plan.blocks.map((block) => ({ block, result: locateBlock(file, block, options.match) }));
  const refusal = decisiveRefusal(located);
  if (refusal !== undefined) return refusal;
  const unfit = plan.blocks.find(({ replace }) => !isPlainText(replace));
  if (unfit !== undefined) return { ...refuse('apply', 'not_text'), block: unfit.index };
  const placed = located
    .flatMap(({ block, result }) =>
      result.status === 'located' ? result.places.map((place): PlacedBlock => ({ ...result, ...place, block })) : [],
    )
    .sort((a, b) => a.start - b.start);
  return refuseOverlap(file, placed) ?? replaceAt(plan, file, placed);
}

/**
 * The refusal of the first block that has one. When all that are missing were applied before, or are deletions, of which no trace can be
 * left, the candidate as a whole was applied before.
 */
function decisiveRefusal(
  located: readonly { block: PlannedBlock; result: LocatedBlock | Refusal }[],
): FileRefusal | undefined {
  const refused = located.flatMap(({ block, result }) =>
    result.status === 'refused' ? [{ ...result, block: block.index, deletes: block.replace === '' }] : [],
  );
  const done = refused.find(({ reason }) => reason === 'already_applied');
  const allDone = refused.every(
    ({ reason, deletes }) => reason === 'already_applied' || (deletes && reason === 'not_found'),
  );
  const decisive = allDone ? (done ?? refused[0]) : refused[0];
  if (decisive === undefined) return undefined;
  const { deletes: _, ...refusal } = decisive;
  return refusal;
}

function refuseOverlap(file: SnapshotFile, placed: readonly PlacedBlock[]): FileRefusal | undefined {
  const at = placed.findIndex((place, i) => place.start < (placed[i - 1]?.end ?? 0));
  const [one, two] = [placed[at - 1], placed[at]];
  if (one === undefined || two === undefined) return undefined;
  const matches = spansOf({ file }, [one, two]);
  return {
    ...refuse('apply', 'overlapping_edits', { matches }),
    block: Math.max(one.block?.index ?? 0, two.block?.index ?? 0),
  };
}

function applyContent(plan: FilePlan, file: SnapshotFile, content: string): EditedFile | FileRefusal {
  if (!isPlainText(content)) return refuse('apply', 'not_text');
  const { bytes } = file.unified();
  const start = markEnd(bytes);
  const found = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start));
  const replace = start > 0 ? content.replace(/^\ufeff/, '') : content;
  const whole = { start, end: bytes.length, found, replace: withLf(replace), tier: 'exact' as const, block: undefined };
  const lines = () => Math.max(1, file.lines().starts.length);
  return findElision(found, replace, () => [1, lines()]) ?? replaceAt(plan, file, [whole]);
}

function replaceAt(plan: FilePlan, file: SnapshotFile, placed: readonly PlacedBlock[]): EditedFile | Refusal {
  const changes = changesOf(file, placed).map(
    (change, i): TieredChange => ({ tier: 'exact', ...placed[i], ...change }),
  );
  const after = splice(file.bytes, changes);
  if (file.unified().carriageReturns === 'lone' && !keepsLineEndsApart(file, placed, after))
    return refuse('apply', 'not_text');
  const tolerant = placed.find(({ tier }) => tier !== 'exact')?.block;
  return { ...finish(plan, file, after, changes), ...(tolerant === undefined ? {} : { tolerant }) };
}

/** A lone CR before, and LF after, a replaced range can run together into one line end: then the bytes would say another text. */
function keepsLineEndsApart(file: SnapshotFile, placed: readonly Replacement[], after: Uint8Array): boolean {
  const encoder = new TextEncoder();
  const changes = placed.map(({ start, end, replace }) => ({ start, end, bytes: encoder.encode(replace) }));
  const wanted = splice(file.unified().bytes, changes);
  return sameBytes(wanted, unifyLineEnds(after).bytes);
}

function finish(
  plan: FilePlan,
  file: SnapshotFile | undefined,
  after: Uint8Array | undefined,
  changes: readonly TieredChange[],
): EditedFile {
  const before = file?.bytes ?? new Uint8Array();
  return {
    status: 'edited',
    plan,
    ...(file === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    differs: file === undefined || after === undefined || changes.some((change) => differs(before, change)),
    described: once(() => describe(plan, file, changes)),
  };
}

function describe(plan: FilePlan, file: SnapshotFile | undefined, changes: readonly TieredChange[]): DescribedFile {
  const before = file?.bytes ?? new Uint8Array();
  const lines = file?.lfLines() ?? tableOfLines(before, 'lf');
  const byLine = editedLines(before, file?.lines() ?? lines, changes);
  const whole = plan.content !== undefined && file !== undefined;
  return {
    hunks: hunksOf(whole ? refineLines(byLine) : byLine),
    edits: refineLines(file?.lines() === lines ? byLine : editedLines(before, lines, changes)),
    lines,
  };
}

function hunksOf(edits: readonly EditedLines<TieredChange>[]): Hunk[] {
  let shift = 0;
  return edits.map(({ first, removed, added, changes }) => {
    const tolerant = changes.filter(({ tier }) => tier !== 'exact');
    const tier = tolerant.some((change) => change.tier === 'indentation')
      ? 'indentation'
      : (tolerant[0]?.tier ?? 'exact');
    const start = first + 1;
    const hunk: Hunk = {
      before: [start, start + removed.length],
      after: [start + shift, start + shift + added.length],
      tier,
      ...(tolerant.length === 0 ? {} : { runner_up_margin: Math.min(...tolerant.map(({ margin = 0 }) => margin)) }),
    };
    shift += added.length - removed.length;
    return hunk;
  });
}
