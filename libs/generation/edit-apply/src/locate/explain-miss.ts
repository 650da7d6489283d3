import type { ApplyRejection } from '@h/contracts';
import { alignLines } from '../write/edited-lines.ts';
import type { BlockQuery } from './block-query.ts';
import { elisionLines } from './detect-elision.ts';
import { findNearest, linesOf, type NearestLines } from './find-nearest.ts';

export type Nearest = NonNullable<ApplyRejection['nearest']>;

/**
 * What sets a block apart from the place it is nearest to: a surface difference, or `text`. Several surface differences at once are
 * joined with `+`.
 */
export type MissCause =
  | SurfaceCause
  | 'blank_lines'
  | 'final_newline'
  | 'partial_line'
  | 'elision_comment'
  | 'encoding'
  | 'text';
type SurfaceCause =
  | 'trailing_blanks'
  | 'no_break_space'
  | 'invisible_character'
  | 'unicode_form'
  | 'dashes'
  | 'quotes'
  | 'letter_case'
  | 'tabs'
  | 'indentation'
  | 'blanks';

const BLANKS = '[ \\t\\v\\f\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]';
const LEADING = new RegExp(`^${BLANKS}+`);
const TRAILING = new RegExp(`${BLANKS}+$`);
const ANY_BLANKS = new RegExp(`${BLANKS}+`, 'g');

/** One line with a surface difference taken away, the narrow ones first: a wide one is named only where no narrow one will do. */
const FOLDS: readonly (readonly [cause: SurfaceCause, fold: (line: string) => string])[] = [
  ['trailing_blanks', (line) => line.replace(TRAILING, '')],
  ['no_break_space', (line) => line.replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ')],
  ['invisible_character', (line) => line.replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '')],
  ['unicode_form', (line) => line.normalize('NFKC')],
  ['dashes', (line) => line.replace(/[\u2010-\u2015\u2212]/g, '-')],
  ['quotes', (line) => line.replace(/["'`\u2018-\u201f\u2032\u2033\u00b4]/g, '"')],
  ['letter_case', (line) => line.toLowerCase()],
  ['indentation', (line) => line.replace(LEADING, '')],
  ['blanks', foldInnerBlanks],
];

function foldInnerBlanks(line: string): string {
  const indent = LEADING.exec(line)?.[0] ?? '';
  return indent + line.slice(indent.length).replace(ANY_BLANKS, '');
}

/** True for causes that leave the words as they are: the block means that place and is only written differently. */
export function isSurfaceCause(cause: string): boolean {
  return !['text', 'partial_line', 'elision_comment', 'encoding'].includes(cause);
}

/** The place nearest to a block that did not match, what sets the two apart, and both side by side; undefined when nothing is alike. */
export function explainMiss(query: BlockQuery): Nearest | undefined {
  const found = findNearest(query);
  if (found === undefined) return undefined;
  const { first, lines, similarity } = found;
  const wanted = linesOf(query.search);
  const cause = causeOf(query, wanted, found);
  const diff = showDifference(wanted, lines, isSurfaceCause(cause));
  return { span: [first + 1, first + lines.length], similarity, cause, diff };
}

function causeOf(query: BlockQuery, wanted: readonly string[], { first, lines }: NearestLines): string {
  const whole = query.wholeLines;
  if (coversLines(wanted, lines, whole)) {
    const isLast = first + lines.length === query.file.unified().lines().starts.length;
    return isLast && query.search.endsWith('\n') ? 'final_newline' : 'blank_lines';
  }
  const folded = foldingCauses(wanted, lines, whole) ?? foldingCausesOfSolidLines(wanted, lines, whole);
  if (folded !== undefined) return folded;
  if (elisionLines(query.search).length > 0) return 'elision_comment';
  const contained = wanted.every((line, i) => (lines[i] ?? '').includes(line.trim()));
  if (contained) return 'partial_line';
  return lines.some((line) => line.includes('\ufffd')) ? 'encoding' : 'text';
}

/** As `foldingCauses`, when blank lines are a difference too. */
function foldingCausesOfSolidLines(
  wanted: readonly string[],
  lines: readonly string[],
  whole: boolean,
): string | undefined {
  const isSolid = (line: string) => line.trim() !== '';
  const [solid, found] = [wanted.filter(isSolid), lines.filter(isSolid)];
  if (coversLines(solid, found, whole)) return 'blank_lines';
  const causes = foldingCauses(solid, found, whole);
  return causes === undefined ? undefined : `blank_lines+${causes}`;
}

/** The fewest folds under which the block matches; undefined when not even all of them do. */
function foldingCauses(wanted: readonly string[], lines: readonly string[], whole: boolean): string | undefined {
  let needed = FOLDS.map(([cause]) => cause);
  if (!matchesUnder(needed, wanted, lines, whole)) return undefined;
  for (const [cause] of FOLDS.toReversed()) {
    const fewer = needed.filter((other) => other !== cause);
    if (matchesUnder(fewer, wanted, lines, whole)) needed = fewer;
  }
  return needed.map((cause) => (cause === 'indentation' && mixesTabs(wanted, lines) ? 'tabs' : cause)).join('+');
}

function matchesUnder(
  causes: readonly SurfaceCause[],
  wanted: readonly string[],
  lines: readonly string[],
  whole: boolean,
): boolean {
  const fold = (line: string) =>
    FOLDS.reduce((text, [cause, apply]) => (causes.includes(cause) ? apply(text) : text), line);
  return coversLines(wanted.map(fold), lines.map(fold), whole);
}

/** True when the block, joined, would be found in the lines, joined: whole lines but, unless `whole`, for the start of the first and the end of the last. */
function coversLines(wanted: readonly string[], lines: readonly string[], whole: boolean): boolean {
  if (whole) return wanted.length === lines.length && wanted.every((line, i) => line === lines[i]);
  const last = wanted.length - 1;
  if (last === 0) return (lines[0] ?? '').includes(wanted[0] ?? '');
  return wanted.every((line, i) => {
    const other = lines[i] ?? '';
    return i === 0 ? other.endsWith(line) : i === last ? other.startsWith(line) : other === line;
  });
}

/** One side indents with tabs where the other does not. */
function mixesTabs(wanted: readonly string[], lines: readonly string[]): boolean {
  const withTabs = (line: string) => (LEADING.exec(line)?.[0] ?? '').includes('\t');
  return wanted.some((line, i) => line.trim() !== '' && withTabs(line) !== withTabs(lines[i] ?? ''));
}

const SHOWN_LINES = 40;
const SHOWN_LENGTH = 200;

/** `-` the block, `+` the file; where only blanks differ they are made visible (`·` blank, `→` tab, `⍽` no-break space). */
function showDifference(wanted: readonly string[], lines: readonly string[], visible: boolean): string {
  const shown = alignLines(wanted, lines).flatMap(({ kept, old, next }) => {
    if (kept) return old.map((line) => ` ${clip(line)}`);
    const one = old.map((line, i) => `-${clip(visible ? reveal(line, next[i]) : line)}`);
    const other = next.map((line, i) => `+${clip(visible ? reveal(line, old[i]) : line)}`);
    return one.length === other.length ? one.flatMap((line, i) => [line, other[i] ?? '']) : [...one, ...other];
  });
  const rest = shown.length - SHOWN_LINES;
  return rest > 0 ? [...shown.slice(0, SHOWN_LINES), `… ${rest} more lines`].join('\n') : shown.join('\n');
}

function reveal(line: string, other: string | undefined): string {
  if (other === undefined || line.replace(ANY_BLANKS, '') !== other.replace(ANY_BLANKS, '')) return line;
  return line
    .replace(/ /g, '·')
    .replace(/\t/g, '→')
    .replace(/[\u00a0\u202f]/g, '⍽');
}

function clip(line: string): string {
  return line.length > SHOWN_LENGTH ? `${line.slice(0, SHOWN_LENGTH)}…` : line;
}
