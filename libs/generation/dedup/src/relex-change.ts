// Words of a candidate from those of its snapshot: only the statements that the change touches are lexed again.
import type { LexedText, TextChange } from './lexed-text.ts';
import type { ProgramParser } from './read-program.ts';
import { relexJavaScript } from './relex-javascript.ts';
import { relexPython } from './relex-python.ts';

/**
 * The words of `text`, exactly as lexing it whole gives them; undefined where the change cannot be told apart from what is around it
 * (a directive speaks of it, it opens or closes a block around itself, the statements do not parse on their own), so that `text`
 * has to be lexed whole.
 */
export function relexChange(base: LexedText, text: string, parser: ProgramParser): string[] | undefined {
  if (/^# \/\/\/ /m.test(base.text)) return undefined; // metadata of a script: what is a comment depends on lines far away
  const change = changeOf(base.text, text);
  return base.language === 'python'
    ? relexPython(base, text, change, parser)
    : relexJavaScript(base, text, change, parser);
}

function changeOf(before: string, after: string): TextChange {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = 0;
  while (
    tail < shorter - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  return { start, end: before.length - tail, newEnd: after.length - tail };
}
