// Kinds of characters, and the words of a name, without regular expressions: the target may read what the last one matched.
import { charCodeAt, slice, toLowerCase } from './node-intrinsics.mjs';

/** Kinds of characters, as bits, of the first 128. */
export const [DIGIT, UPPER, LOWER, WORD, TOKEN, RANDOM, HEADER, PLACE, VALUE, START, HYPHENED] = Array.from(
  { length: 11 },
  (_, bit) => 1 << bit,
);
export const ALNUM = DIGIT | UPPER | LOWER;
export const kinds = new Uint16Array(128);
for (let code = 0; code < 128; code += 1) {
  const text = String.fromCharCode(code);
  if (code >= 48 && code <= 57) kinds[code] |= DIGIT;
  if (code >= 65 && code <= 90) kinds[code] |= UPPER;
  if (code >= 97 && code <= 122) kinds[code] |= LOWER;
  const isPlain = (kinds[code] & ALNUM) !== 0;
  const put = (bit, others) => {
    if (isPlain || others.includes(text)) kinds[code] |= bit;
  };
  put(WORD, '_');
  put(TOKEN, '_-');
  put(HYPHENED, '-');
  put(RANDOM, '+/=_.~:-');
  put(HEADER, '._~+/-');
  if (code > 32 && !'/?#@:"\''.includes(text)) kinds[code] |= PLACE;
  if (code > 32 && !'"\'&;,<>{}()[]='.includes(text)) kinds[code] |= VALUE;
  if ('-eAgxsrnpBb:='.includes(text)) kinds[code] |= START;
}

export function kindAt(text, index) {
  if (index < 0 || index >= text.length) return 0;
  const code = charCodeAt(text, index);
  return code < 128 ? kinds[code] : 0;
}

/** Where the run of characters of one kind ends. */
export function runEnd(text, from, kind, limit = text.length) {
  let at = from;
  while (at < limit && (kindAt(text, at) & kind) !== 0) at += 1;
  return at;
}

/** `userPassword` and `USER_password` are `user`, `password`; of `APIKey` the last capital starts a word. */
export function wordsOf(name) {
  const words = [];
  let start = -1;
  const end = (at) => {
    if (start >= 0) words[words.length] = toLowerCase(slice(name, start, at));
    start = -1;
  };
  for (let index = 0; index < name.length; index += 1) {
    const kind = kindAt(name, index);
    if ((kind & (UPPER | LOWER)) === 0) end(index);
    else if ((kind & UPPER) !== 0 && start >= 0) {
      const isInCapitals = (kindAt(name, index - 1) & UPPER) !== 0;
      if (!isInCapitals || (kindAt(name, index + 1) & LOWER) !== 0) end(index);
    }
    if (start < 0 && (kind & (UPPER | LOWER)) !== 0) start = index;
  }
  end(name.length);
  return words;
}
