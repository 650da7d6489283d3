import type { EditChoice } from '@h/contracts';

/** Contiguous lines that search/replace blocks may cover (seed 09 §3.2). */
export const LOCALIZED_LINES = 40;

export interface EditScope {
  /** 1-based lines, inclusive. */
  readonly span: readonly [number, number];
  /** The change needs more than this one module: it moves a definition, or its files depend on each other. */
  readonly crossesModule?: boolean;
}

/** The edit representation, from the span alone: at most 40 lines inside one module → search/replace, else the whole file. Source: seed 09 §3.2. */
export function chooseFormat({ span: [first, last], crossesModule = false }: EditScope): EditChoice {
  const lines = last - first + 1;
  if (crossesModule)
    return {
      classification: 'structural-rewrite',
      format: 'whole_file',
      reason: 'the change crosses a module boundary',
    };
  if (lines > LOCALIZED_LINES)
    return {
      classification: 'structural-rewrite',
      format: 'whole_file',
      reason: `${lines} lines, more than ${LOCALIZED_LINES}`,
    };
  return {
    classification: 'localized-edit',
    format: 'search_replace',
    reason: `${lines} lines, at most ${LOCALIZED_LINES}`,
  };
}
