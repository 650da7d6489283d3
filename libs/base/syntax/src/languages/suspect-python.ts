// Whether CPython's compiler could refuse a text that the grammar lets pass: decided without a tree, in linear time.
import { MAX_BLOCKS, MAX_BRACKETS, MAX_DIGITS } from './compile-python.ts';

/** What a text must contain for any rule to fail; most texts have none of it and need no tree. Each is linear in the text. */
const SUSPECTS: readonly ((text: string) => boolean)[] = [
  (text) => /\bnonlocal\b|\b__debug__\b|\bexcept\s*\*|^\ufeff\ufeff/.test(text),
  (text) => /[;:{][ \t]*\*(?!\*)/.test(text) || hasStarredLine(text),
  (text) => /\basync\b/.test(text) && /\byield\b/.test(text),
  (text) => /\bannotations\b/.test(text) && /\byield\b|\bawait\b|:=/.test(text),
  (text) => someMatch(text, /^[ \t]*case\b.*/gm, (line) => /f["']/i.test(line)),
  (text) => someMatch(text, /f["'].*/gi, (rest) => rest.split('{').length > 3),
  hasManyBlocks,
  (text) => /^[ \t]{99}/m.test(text),
  (text) => someMatch(text, /[\d_]+/g, (digits) => digits.length > MAX_DIGITS),
  hasManyBrackets,
];

/** Whether `compileErrors` could find anything in the text; true too often rather than too seldom. */
export function mayFailToCompile(text: string): boolean {
  return SUSPECTS.some((isSuspect) => isSuspect(text));
}

function someMatch(text: string, pattern: RegExp, accepts: (match: string) => boolean): boolean {
  for (const [match] of text.matchAll(pattern)) if (accepts(match)) return true;
  return false;
}

/** A line that starts with a star and does not go on from the line before. */
function hasStarredLine(text: string): boolean {
  for (const { index } of text.matchAll(/^[ \t]*\*(?!\*)/gm)) {
    let before = index - 1;
    while (before >= 0 && /\s/.test(text[before] as string)) before -= 1;
    if (before < 0 || !'([{,=+-*/%|&^<>\\'.includes(text[before] as string)) return true;
  }
  return false;
}

/** Blocks nested twenty deep start at twenty different indentations. */
function hasManyBlocks(text: string): boolean {
  const indentations = new Set<number>();
  for (const [, blanks] of text.matchAll(/^([ \t]*)(?:async[ \t]+)?(?:for|while|with|try)\b/gm)) {
    indentations.add(blanks?.length ?? 0);
  }
  return indentations.size >= MAX_BLOCKS;
}

/** Bracket depth with the brackets in strings and comments: half of the limit is enough to look closer. */
function hasManyBrackets(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[([{}\])]/g)) {
    depth = '([{'.includes(bracket) ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_BRACKETS / 2) return true;
  }
  return false;
}
