import type { IntentPackage, RepoPath, TestId } from '@h/contracts';

/** A text, and where it came from: an issue, a failing test, an impact edge … */
export interface Sourced<Value = string> {
  readonly value: Value;
  readonly from: string;
}

/** What earlier stages determined. Each part is present because one of them produced it; absent parts stay empty. */
export interface IntentParts {
  readonly target: Sourced<{
    readonly entity: string;
    readonly file: RepoPath;
    readonly span: readonly [number, number];
  }>;
  /** Verbatim. */
  readonly requirement?: Sourced;
  /** Symbols used in the span, in source order; a signature, never a body. */
  readonly dependencies?: readonly Sourced<{ readonly name: string; readonly signature: string }>[];
  /** Obligations to keep. */
  readonly constraints?: readonly Sourced[];
  /** Failing tests first. */
  readonly validation?: readonly Sourced<TestId>[];
}

/** A cap that bound: characters of a text (Unicode code points), or entries of a list. */
export interface Truncation {
  /** `requirement`, `dependencies`, `dependencies[2].signature` … */
  readonly field: string;
  readonly kept: number;
  readonly of: number;
}

export interface AssembledIntent {
  readonly intent: IntentPackage;
  /** Source per field, such as `constraints[0]`; beside the package, not in it. */
  readonly provenance: Readonly<Record<string, string>>;
  readonly truncated: readonly Truncation[];
  /** The package is larger than 4 KiB as JSON in UTF-8: a warning, nothing is cut for it. */
  readonly large: boolean;
}

/** Seed 09 §3.1. Characters are Unicode code points. */
export const INTENT_CAPS = {
  requirement: 1024,
  entries: 16,
  signature: 512,
  constraint: 512,
  validation: 256,
} as const;
const LARGE_BYTES = 4096;

/**
 * Collects what a change must do into one package: texts verbatim up to their caps, lists in the order given, each cut flagged. Composes
 * nothing and asks no model. Source: seed 09 §3.1.
 */
export function assembleIntent(parts: IntentParts): AssembledIntent {
  const notes: Notes = { provenance: {}, truncated: [] };
  const { target } = parts;
  notes.provenance.target = target.from;
  const [first, last] = target.value.span;
  const intent: IntentPackage = {
    target: { entity: target.value.entity, file: target.value.file, span: [first, last] },
    requirement: takeText(notes, 'requirement', INTENT_CAPS.requirement, parts.requirement),
    dependencies: takeList(notes, 'dependencies', parts.dependencies).map(({ value, from }, index) => {
      const signature = { value: value.signature, from };
      return {
        name: value.name,
        signature: takeText(notes, `dependencies[${index}].signature`, INTENT_CAPS.signature, signature),
      };
    }),
    constraints: takeList(notes, 'constraints', parts.constraints).map((one, index) =>
      takeText(notes, `constraints[${index}]`, INTENT_CAPS.constraint, one),
    ),
    validation: takeList(notes, 'validation', parts.validation).map((one, index) =>
      takeText(notes, `validation[${index}]`, INTENT_CAPS.validation, one),
    ),
  };
  return { intent, ...notes, large: new TextEncoder().encode(JSON.stringify(intent)).length > LARGE_BYTES };
}

interface Notes {
  readonly provenance: Record<string, string>;
  readonly truncated: Truncation[];
}

function takeText({ provenance, truncated }: Notes, field: string, cap: number, given: Sourced | undefined): string {
  if (given === undefined) return '';
  provenance[field] = given.from;
  if (given.value.length <= cap) return given.value;
  const points = Array.from(given.value);
  if (points.length <= cap) return given.value;
  truncated.push({ field, kept: cap, of: points.length });
  return points.slice(0, cap).join('');
}

function takeList<One>({ truncated }: Notes, field: string, given: readonly One[] = []): readonly One[] {
  if (given.length <= INTENT_CAPS.entries) return given;
  truncated.push({ field, kept: INTENT_CAPS.entries, of: given.length });
  return given.slice(0, INTENT_CAPS.entries);
}
