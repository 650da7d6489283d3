/** What became of the tests on one candidate, or on the tree itself. */
interface Ended {
  /** The events that the agent told, as it would have written them alone. */
  readonly report: string;
  readonly wall_ms: number;
  readonly ended_by: (typeof ENDED_BY)[number];
  readonly exit_code?: number;
  readonly signal?: string;
  /** A limit of the batch's own ended it, which a run alone does not have: the report counts for nothing. */
  readonly limited?: boolean;
}

const ENDED_BY = ['exit', 'signal', 'wall_limit'] as const;

/** A line of what a batch tells. */
export type BatchLine =
  | ({ readonly kind: 'control' } & Ended)
  | { readonly kind: 'start'; readonly index: number }
  | ({ readonly kind: 'end'; readonly index: number } & Ended)
  /** The rest was not run. */
  | { readonly kind: 'stopped'; readonly index: number; readonly reason: string }
  /** No candidate was run. */
  | { readonly kind: 'off'; readonly reason: string }
  | { readonly kind: 'done' };

/** The lines of a batch as far as they are whole: it may have been ended in the middle of one, or the target have written there. */
export function readBatchLines(text: string | undefined): BatchLine[] {
  const lines: BatchLine[] = [];
  for (const line of (text ?? '').split('\n')) {
    const read = parseLine(line);
    if (read !== undefined) lines.push(read);
  }
  return lines;
}

function parseLine(line: string): BatchLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isBatchLine(value) ? value : undefined;
}

function isBatchLine(value: unknown): value is BatchLine {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  const { kind, index, report, reason } = value as Record<string, unknown>;
  const hasIndex = Number.isSafeInteger(index) && (index as number) >= 0;
  if (kind === 'done') return true;
  if (kind === 'off') return typeof reason === 'string';
  if (kind === 'start') return hasIndex;
  if (kind === 'stopped') return hasIndex && typeof reason === 'string';
  return (kind === 'control' || (kind === 'end' && hasIndex)) && typeof report === 'string' && isEnd(value);
}

function isEnd(value: object): boolean {
  const { wall_ms, ended_by, exit_code, signal, limited } = value as Record<string, unknown>;
  return (
    Number.isFinite(wall_ms) &&
    ENDED_BY.some((one) => one === ended_by) &&
    (exit_code === undefined || Number.isSafeInteger(exit_code)) &&
    (signal === undefined || typeof signal === 'string') &&
    (limited === undefined || typeof limited === 'boolean')
  );
}
