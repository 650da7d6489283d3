// The one learned input of a ledger (seed 19 §4): what a model proposes each divergence means. Existence is not its to say, nor the status.
import {
  type Divergence,
  hashRecord,
  IntentAnnotations,
  type LedgerEntry,
  type Marker,
  type UnexpectedDifference,
} from '@h/contracts';

/** `advisory`: an annotation may add "accidental" and clears nothing. `effective`: "intentional" clears, and the ledger says so. */
export type AnnotationMode = 'advisory' | 'effective';

export interface AnnotatedDifferences {
  readonly differences: readonly UnexpectedDifference[];
  readonly violations: LedgerEntry['violations'];
}

/**
 * Attaches annotations to the unexpected differences among the divergences. One unknown divergence, one that is annotated
 * twice, or any other field voids the whole answer, which is then recorded as a violation.
 */
export function annotateDifferences(
  divergences: readonly Divergence[],
  annotations?: unknown,
  mode: AnnotationMode = 'advisory',
): AnnotatedDifferences {
  const unexpected = divergences.filter(({ classification }) => classification === 'regression_evidence');
  const marked = unexpected.map((divergence): UnexpectedDifference => ({ ...divergence, marker: 'accidental' }));
  if (annotations === undefined) return { differences: marked, violations: [] };
  const read = readAnnotations(annotations, new Set(divergences.map(({ divergence_id }) => divergence_id)));
  if (typeof read === 'string') {
    const violation = { source: 'intent', kind: read, digest: hashRecord(annotations) };
    return { differences: marked, violations: [violation] };
  }
  return { differences: marked.map((difference) => annotate(difference, read, mode)), violations: [] };
}

type Void = 'malformed_annotations' | 'unknown_divergence' | 'divergence_annotated_twice';

function readAnnotations(value: unknown, known: ReadonlySet<string>): ReadonlyMap<string, Marker> | Void {
  const parsed = IntentAnnotations.safeParse(value);
  if (!parsed.success) return 'malformed_annotations';
  const byId = new Map<string, Marker>();
  for (const { divergence_id, classification } of parsed.data.annotations) {
    if (!known.has(divergence_id)) return 'unknown_divergence';
    if (byId.has(divergence_id)) return 'divergence_annotated_twice';
    byId.set(divergence_id, classification);
  }
  return byId;
}

function annotate(
  difference: UnexpectedDifference,
  annotations: ReadonlyMap<string, Marker>,
  mode: AnnotationMode,
): UnexpectedDifference {
  const annotation = annotations.get(difference.divergence_id);
  if (annotation === undefined) return difference;
  const clears = mode === 'effective' && annotation === 'intentional';
  return { ...difference, annotation, ...(clears ? { cleared: true } : {}) };
}
