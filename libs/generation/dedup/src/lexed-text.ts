import type { Language, Token } from '@h/syntax';
import { hasSoundLayout } from './check-layout.ts';
import { type NormalForm, normalizeTokens } from './normalize-tokens.ts';
import type { ProgramParser } from './read-program.ts';

/** A text that was lexed whole. */
export interface LexedText {
  readonly text: string;
  readonly language: Language;
  readonly tokens: readonly Token[];
  readonly form: NormalForm;
}

/** What a text has in place of `[start, end)` of the other: its own `[start, newEnd)`. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly newEnd: number;
}

/** Lexes statements on their own; undefined where they do not parse, or a directive in them speaks of a line. */
export function lexPart(
  part: { readonly text: string; readonly lines: number },
  language: Language,
  parser: ProgramParser,
): { readonly tokens: readonly Token[]; readonly form: NormalForm } | undefined {
  const { tokens, partial } = parser.tokenList(part.text, language);
  // A comment that ends behind the part would be read as something else in it.
  if (partial || tokens.some(({ kind, start }) => kind !== 'comment' && part.text.startsWith('/*', start)))
    return undefined;
  if (language === 'python' && !hasSoundLayout(part.text, tokens)) return undefined;
  const form = normalizeTokens(part.text, tokens, language, part.lines);
  return form.directives.length > 0 || form.words.some((word) => word.startsWith('## /// '))
    ? undefined
    : { tokens, form };
}

/** Whether a directive of the snapshot speaks of one of these lines. */
export function isDirected({ form }: LexedText, first: number, last: number): boolean {
  return form.directives.some((one) => one.last >= first && one.first <= last);
}

/** Index of the first word that starts at or after the offset. */
export function wordAt({ starts }: NormalForm, offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] as number) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
