import { type Language, languageOf, type Parser } from '@h/syntax';
import { normalizeSeed } from './normalize-seed.ts';
import { normalizeTokens } from './normalize-tokens.ts';

/** Why only equal bytes were taken as equal. */
export type BytesReason = 'unknown_language' | 'language_not_loaded' | 'partial_tree' | 'too_large';

/** A text as words that are compared one by one, or the reason why its bytes are. */
export type Program = { readonly words: readonly string[] } | { readonly why: BytesReason };

/** Reading the tokens of a larger file for each of many candidates costs more than running the duplicates would. */
const MAX_BYTES = 1024 * 1024;

export type ProgramParser = Pick<Parser, 'languages' | 'tokenList'>;

/** Reads a file's content as the words of its normal form. */
export function readProgram(
  path: string,
  content: Uint8Array,
  parser: ProgramParser,
  profile: 'tokens' | 'seed',
): Program {
  const language = languageOf(path);
  const { text, encoding } = decode(content);
  if (profile === 'seed') return { words: [encoding, ...normalizeSeed(text, language)] };
  if (language === undefined) return { why: 'unknown_language' };
  if (!parser.languages.includes(language)) return { why: 'language_not_loaded' };
  if (content.length > MAX_BYTES) return { why: 'too_large' };
  const words = parse(text, language, parser);
  return typeof words === 'string' ? { why: words } : { words: [encoding, ...words] };
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

function parse(text: string, language: Language, parser: ProgramParser): string[] | BytesReason {
  try {
    const { tokens, partial } = parser.tokenList(text, language);
    // A tree with errors has guessed tokens: two programs could be guessed alike.
    return partial ? 'partial_tree' : normalizeTokens(text, tokens, language);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'parse_stopped') return 'too_large';
    throw error;
  }
}
