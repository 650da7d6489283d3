import { type Language, languageOf, type Parser } from '@h/syntax';
import { hasSoundLayout } from './check-layout.ts';
import type { LexedText } from './lexed-text.ts';
import { normalizeSeed } from './normalize-seed.ts';
import { type NormalForm, normalizeTokens } from './normalize-tokens.ts';
import { relexChange } from './relex-change.ts';

/** Why only equal bytes were taken as equal. */
export type BytesReason = 'unknown_language' | 'language_not_loaded' | 'partial_tree' | 'too_large';

/** A text as words that are compared one by one, or the reason why its bytes are. */
export type Program =
  | { readonly words: readonly string[]; readonly source?: ProgramSource }
  | { readonly why: BytesReason };

/** What higher rungs read; absent under the seed's rule, which reads no program. */
export interface ProgramSource {
  readonly text: string;
  readonly language: Language;
  /** Lexed whole: absent where only the change was. */
  readonly lexed?: LexedText;
}

/** Reading the tokens of a larger file for each of many candidates costs more than running the duplicates would. */
const MAX_BYTES = 1024 * 1024;

export type ProgramParser = Pick<Parser, 'languages' | 'tokenList' | 'flatTree' | 'names'>;

/** Reads a file's content as the words of its normal form; with `base`, lexes only what differs from it where that is exact. */
export function readProgram(
  path: string,
  content: Uint8Array,
  parser: ProgramParser,
  profile: 'tokens' | 'seed',
  base?: Program,
): Program {
  const language = languageOf(path);
  const { text, encoding } = decode(content);
  if (profile === 'seed') return { words: [encoding, ...normalizeSeed(text, language)] };
  if (language === undefined) return { why: 'unknown_language' };
  if (!parser.languages.includes(language)) return { why: 'language_not_loaded' };
  if (content.length > MAX_BYTES) return { why: 'too_large' };
  const start = base !== undefined && 'words' in base && base.words[0] === encoding ? base.source?.lexed : undefined;
  const changed = start === undefined ? undefined : relexChange(start, text, parser);
  if (changed !== undefined) return { words: [encoding, ...changed], source: { text, language } };
  const lexed = lexWhole(text, language, parser);
  if (typeof lexed === 'string') return { why: lexed };
  return { words: [encoding, ...lexed.form.words], source: { text, language, lexed } };
}

/** Lexes a text whole; also for what was read by its change alone. */
export function lexWhole(text: string, language: Language, parser: ProgramParser): LexedText | BytesReason {
  try {
    const { tokens, partial } = parser.tokenList(text, language);
    // A tree with errors has guessed tokens, and a text that does not indent well guessed blocks: two programs could be guessed alike.
    if (partial || (language === 'python' && !hasSoundLayout(text, tokens))) return 'partial_tree';
    const form: NormalForm = normalizeTokens(text, tokens, language);
    return { text, language, tokens, form };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'parse_stopped') return 'too_large';
    throw error;
  }
}

/** Bytes that are not UTF-8 stand as one character each, and say so, so that no two contents decode to one text. */
function decode(bytes: Uint8Array): { text: string; encoding: 'utf8' | 'bytes' } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf8' };
  } catch {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return { text, encoding: 'bytes' };
  }
}
