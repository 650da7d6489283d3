// Single faults put into programs, independently of the templates: on tokens and names, not on the tree.
import { type Language, type Parser, visibleNames } from '@h/syntax';
import { statementChanges } from './inject-statements.ts';
import { tokenChanges } from './inject-tokens.ts';
import { pick } from './pick-item.ts';

export interface Program {
  path: string;
  text: string;
  language: Language;
  /** What it was taken from, left out as a whole when its own faults are measured. */
  group: string;
}

export interface Fault {
  program: string;
  group: string;
  kind: string;
  /** Text with the fault in it. */
  faulty: string;
  /** UTF-16 offset in the faulty text of the statement that is to be changed. */
  at: number;
}

/** `[start, end)` of the original and what stands there in the faulty text. */
export interface Change {
  kind: string;
  start: number;
  end: number;
  text: string;
  /** Offset in the faulty text of what is to be changed; absent: `start`. */
  at?: number;
}

/**
 * Shares of kinds among faults: a guess at what people get wrong, not counted anywhere. The first 24 were fixed before any measurement;
 * the others were lowered once, by a fifth, after a first look at how far they push the first ones back.
 */
export const KIND_WEIGHTS: Readonly<Record<string, number>> = {
  'wrong-variable': 18,
  'wrong-target': 2,
  'wrong-attribute': 6,
  'wrong-method': 3,
  'method-confused': 3,
  'comparison-boundary': 9,
  'comparison-opposite': 4,
  'comparison-direction': 3,
  'comparison-other': 3,
  'one-added': 7,
  'one-removed': 7,
  'number-changed': 8,
  'text-changed': 3,
  'truth-flipped': 3,
  'arithmetic-operator': 7,
  'assignment-operator': 3,
  'boolean-operator': 4,
  'condition-added': 2,
  'negation-removed': 4,
  'negation-added': 3,
  'arguments-swapped': 4,
  'operands-swapped': 2,
  'elements-swapped': 1,
  'sign-changed': 1,
  'none-guard-removed': 6,
  'guard-removed': 4,
  'guard-unwrapped': 2,
  'none-part-dropped': 4,
  'condition-part-dropped': 4,
  'optional-dropped': 2,
  'default-dropped': 3,
  'call-unwrapped': 5,
  'call-wrapped': 1.5,
  'await-dropped': 1,
  'statement-inserted': 1.5,
  'statement-duplicated': 0.5,
  'statements-swapped': 1.5,
  'moved-out-of-loop': 0.75,
  'moved-out-of-branch': 0.75,
  'moved-into-loop': 0.75,
  'moved-into-branch': 0.75,
  'jump-swapped': 1.5,
  'jump-removed': 1.5,
  'jump-added': 1,
  'return-word-dropped': 1.5,
  'return-removed': 2,
  'returned-changed': 2,
  'literal-kind': 2.5,
  'text-spelling': 1.5,
  'bounds-changed': 2,
};

/** The kinds that the templates before guards, calls, statements, returns, literals and bounds were made for. */
export const FIRST_KINDS: ReadonlySet<string> = new Set(Object.keys(KIND_WEIGHTS).slice(0, 24));

/** Random numbers in [0, 1) from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Kinds with few places in any program: as many as there are, up to this. */
const PER_RARE_KIND = 3;
const RARE = /^(none-|moved-|jump-|return|optional|await|default|bounds)/;

/** Up to `perKind` distinct faults of each kind in a program; a fault that does not parse is not one. */
export function injectFaults(program: Program, parser: Parser, random: () => number, perKind: number): Fault[] {
  const places = changesOf(program, parser, random);
  const faults: Fault[] = [];
  for (const kind of Object.keys(KIND_WEIGHTS)) {
    const own = shuffled(
      places.filter((change) => change.kind === kind),
      random,
    );
    const texts = new Set<string>();
    for (const { start, end, text, at = start } of own) {
      if (texts.size >= (RARE.test(kind) ? PER_RARE_KIND : perKind)) break;
      const faulty = program.text.slice(0, start) + text + program.text.slice(end);
      if (faulty === program.text || texts.has(faulty)) continue;
      if (parser.outline(faulty, program.language).partial) continue;
      texts.add(faulty);
      faults.push({ program: program.path, group: program.group, kind, faulty, at });
    }
  }
  return faults;
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
}

function changesOf(program: Program, parser: Parser, random: () => number): Change[] {
  const outline = parser.outline(program.text, program.language);
  const tokens = parser.tokens(program.text, program.language).filter(({ kind }) => kind !== 'comment');
  const statements = outline.statements.filter(({ kind }) => kind === 'statement');
  const isInStatement = (offset: number) => statements.some(({ start, end }) => start <= offset && offset <= end);
  const changes = [
    ...nameChanges(program, parser, random),
    ...targetChanges(program, parser, random),
    ...tokens.flatMap((_, index) => tokenChanges(program, tokens, index, random)),
    ...statementChanges(program, parser, random),
  ];
  return changes.filter(({ start }) => isInStatement(start));
}

/** A use reads another value that is visible there; the intended one is the original. */
function nameChanges({ text, language }: Program, parser: Parser, random: () => number): Change[] {
  const names = parser.names(text, language);
  return names.uses.flatMap((use) => {
    if (use.type_only || use.definition === undefined) return [];
    const isValue = (kind: string | undefined) => kind === 'variable' || kind === 'parameter';
    if (!isValue(names.definitions[use.definition]?.kind) || ['self', 'this'].includes(use.name)) return [];
    const local = visibleNames(names, use.start).filter(
      ({ name, kind, scope, assigned_before }) =>
        isValue(kind) && scope !== 0 && assigned_before && name !== use.name && name !== 'self' && name !== '_',
    );
    const other = pick(local, random);
    return other ? [{ kind: 'wrong-variable', start: use.start, end: use.end, text: other.name }] : [];
  });
}

/** An assignment goes to another local name. */
function targetChanges({ text, language }: Program, parser: Parser, random: () => number): Change[] {
  const names = parser.names(text, language);
  return names.definitions.flatMap(({ kind, scope, start, end, name }) => {
    if (
      (kind !== 'variable' && kind !== 'assignment') ||
      scope === 0 ||
      !/^\s*[-+*]?=[^=]/.test(text.slice(end, end + 6))
    )
      return [];
    if (/(const|let|var)\s+$/.test(text.slice(Math.max(0, start - 8), start))) return [];
    const others = names.definitions.filter(
      (other) => other.scope === scope && other.name !== name && other.name !== 'self',
    );
    const other = pick(others, random);
    return other ? [{ kind: 'wrong-target', start, end, text: other.name }] : [];
  });
}
