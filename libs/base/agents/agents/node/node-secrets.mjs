// Which values are secrets, by the name they go by or by their form, and why. The rules are those of h_agent_secrets.py, tested on the
// same cases (test/fixtures/secrets.json). Without regular expressions: the target may read what the last one matched.
import {
  ALNUM,
  DIGIT,
  HEADER,
  HYPHENED,
  kindAt,
  kinds,
  LOWER,
  PLACE,
  RANDOM,
  runEnd,
  START,
  TOKEN,
  UPPER,
  VALUE,
  WORD,
  wordsOf,
} from './node-characters.mjs';
import { charCodeAt, ownMap, slice, toLowerCase } from './node-intrinsics.mjs';

const { min } = Math;
const LEAST = 9;
const LOOKED_AT = 400;
const SHOWN = 200;
const NAME = 80;
const NAMES = 4096;

/** By word: 1 says that it is a secret, 2 that it is one beside a text that looks random. */
const LAST = table(
  'password passwords passwd passwds pwd passphrase passphrases passcode secret secrets credential credentials cvv apikey apikeys privatekey secretkey accesskey authtoken accesstoken refreshtoken sessiontoken',
  1,
);
add(
  LAST,
  'netloc userinfo token tokens key keys auth authorization bearer cookie cookies session sid signature jwt otp nonce',
  2,
);
const KEYS = table('api private secret access signing encryption account master shared ssh auth', 1);
const TOKENS = table('access auth refresh bearer api session csrf xsrf security oauth bot github deploy', 1);
const PLACES = table(
  'db database mysql postgres pg redis mongo smtp mail email ftp ssh admin root login user auth account proxy sudo',
  1,
);
/** Words behind the one that says what it is. */
const BEHIND = table(
  'hash hashed digest value text str string bytes plain raw hex b base encoded old new current confirm confirmation again repeat env',
  1,
);
const NOTHING = table('none null nil true false undefined', 1);
const reasons = ownMap(Map);
let known = 0;

function table(words, value) {
  return add(Object.create(null), words, value);
}

function add(into, words, value) {
  for (const word of words.split(' ')) into[word] = value;
  return into;
}

/** Why values that go by a name are secrets, `{ text, isSure }`; undefined: they are not. */
export function reasonOf(name) {
  if (name.length > NAME) return undefined;
  let reason = reasons.get(name);
  if (reason === undefined) {
    if (known >= NAMES) {
      reasons.clear();
      known = 0;
    }
    reason = judged(name);
    reasons.set(name, reason);
    known += 1;
  }
  return reason === null ? undefined : reason;
}

function judged(name) {
  const words = wordsOf(name);
  let count = words.length;
  while (count > 1 && BEHIND[words[count - 1]] === 1) count -= 1;
  const last = count > 0 ? words[count - 1] : '';
  const pair = count > 1 ? words[count - 2] : ''; // `pwd` alone is the working folder
  const isKey = (last === 'key' || last === 'keys') && KEYS[pair] === 1;
  const isToken = (last === 'token' || last === 'tokens') && TOKENS[pair] === 1;
  const isPass = last === 'pass' && PLACES[pair] === 1;
  const isSure = isKey || isToken || isPass || (LAST[last] === 1 && (last !== 'pwd' || pair !== ''));
  if (!isSure && LAST[last] !== 2) return null;
  return { text: `name "${isPrintable(name) ? name : last}"`, isSure, kind: last };
}

function isPrintable(name) {
  for (let index = 0; index < name.length; index += 1) {
    const code = charCodeAt(name, index);
    if (code < 32 || code > 126) return false;
  }
  return true;
}

/** Whether a text under a name that is not sure is a secret. */
export function fits({ kind }, text) {
  const isHost = kind === 'netloc';
  if (isHost || kind === 'auth' || kind === 'userinfo') {
    const head = slice(text, 0, LOOKED_AT);
    const end = loginEnd(head, 0);
    if (isHost ? slice(head, end, end + 1) === '@' : end === head.length) return true;
  }
  return looksRandom(text);
}

/** Where `user:password` ends that starts at a place; -1: there is none. */
function loginEnd(text, from) {
  let name = from;
  while (name < text.length && isPlace(text, name)) name += 1;
  if (slice(text, name, name + 1) !== ':') return -1;
  let end = name + 1;
  while (end < text.length && (isPlace(text, end) || charCodeAt(text, end) === 58)) end += 1;
  return end > name + 1 ? end : -1;
}

function isPlace(text, at) {
  const code = charCodeAt(text, at);
  return code > 127 || (kinds[code] & PLACE) !== 0;
}

export function looksRandom(text) {
  const { length } = text;
  if (length < 16 || length > LOOKED_AT || runEnd(text, 0, RANDOM) < length) return false;
  for (let at = 0; at < length; at += 1) {
    const end = runEnd(text, at, ALNUM);
    let digits = 0;
    for (let index = at; index < end; index += 1) if ((kindAt(text, index) & DIGIT) !== 0) digits += 1;
    if (end - at >= 16 && digits >= 2 && digits <= end - at - 2) return true;
    at = end;
  }
  return false;
}

/** Why the part of a text that is shown is a secret; undefined: it is none. */
export function formOf(text) {
  if (text.length < LEAST) return undefined;
  const head = text.length > LOOKED_AT ? slice(text, 0, LOOKED_AT) : text;
  const end = min(head.length, SHOWN);
  for (let at = 0; at < end; at += 1) {
    const code = charCodeAt(head, at);
    if (code > 127 || (kinds[code] & START) === 0) continue;
    const found = formAt(head, at, code);
    if (found !== undefined) return found;
  }
  return undefined;
}

function formAt(text, at, code) {
  if (code === 45) return isPem(text, at) ? 'looks like private key' : undefined;
  if (code === 58 || code === 61) {
    if (code === 58 && hasUserinfo(text, at)) return 'looks like URL userinfo';
    return assignmentAt(text, at, code === 61);
  }
  return (kindAt(text, at - 1) & ALNUM) === 0 ? tokenAt(text, at, code) : undefined;
}

function starts(text, at, word) {
  return slice(text, at, at + word.length) === word;
}

/** A prefix, and so many characters of a kind. */
function has(text, at, prefix, kind, count) {
  if (!starts(text, at, prefix)) return false;
  const from = at + prefix.length;
  return runEnd(text, from, kind, from + count) === from + count;
}

function tokenAt(text, at, code) {
  if (code === 101) return isJwt(text, at) ? 'looks like JWT' : undefined;
  if (code === 65) {
    if (has(text, at, 'AIza', TOKEN, 35)) return 'looks like Google API key';
    const isKey = has(text, at, 'AKIA', UPPER | DIGIT, 16) || has(text, at, 'ASIA', UPPER | DIGIT, 16);
    return isKey && (kindAt(text, at + 20) & ALNUM) === 0 ? 'looks like AWS access key' : undefined;
  }
  if (code === 103) {
    if (has(text, at, 'glpat-', TOKEN, 20)) return 'looks like GitLab token';
    const letter = slice(text, at + 2, at + 3);
    const isOne = letter === 'p' || letter === 'o' || letter === 'u' || letter === 's' || letter === 'r';
    if (isOne && has(text, at, `gh${letter}_`, ALNUM, 36)) return 'looks like GitHub token';
    return has(text, at, 'github_pat_', WORD, 22) ? 'looks like GitHub token' : undefined;
  }
  if (code === 120) {
    const letter = slice(text, at + 3, at + 4);
    const isOne =
      letter === 'a' || letter === 'b' || letter === 'p' || letter === 'o' || letter === 's' || letter === 'r';
    return isOne && has(text, at, `xox${letter}-`, HYPHENED, 10) ? 'looks like Slack token' : undefined;
  }
  if (code === 115 || code === 114) {
    const head = code === 115 ? 's' : 'r';
    if (has(text, at, `${head}k_live_`, ALNUM, 16) || has(text, at, `${head}k_test_`, ALNUM, 16))
      return 'looks like API key';
    return has(text, at, 'sk-', TOKEN, 20) ? 'looks like API key' : undefined;
  }
  if (code === 110 || code === 112)
    return has(text, at, 'npm_', ALNUM, 36) || has(text, at, 'pypi-', TOKEN, 16)
      ? 'looks like package registry token'
      : undefined;
  return isHeader(text, at) ? 'looks like authorization header' : undefined;
}

/** `-----BEGIN RSA PRIVATE KEY` */
function isPem(text, at) {
  if (!starts(text, at, '-----BEGIN ')) return false;
  let from = at + 11;
  for (let words = 0; words <= 4; words += 1) {
    if (starts(text, from, 'PRIVATE KEY')) return true;
    const end = runEnd(text, from, UPPER | DIGIT, from + 12);
    if (end === from || slice(text, end, end + 1) !== ' ') return false;
    from = end + 1;
  }
  return false;
}

function isJwt(text, at) {
  if (!starts(text, at, 'eyJ') || (kindAt(text, at - 1) & TOKEN) !== 0 || slice(text, at - 1, at) === '-') return false;
  const end = runEnd(text, at + 3, TOKEN);
  if (end < at + 11 || !starts(text, end, '.eyJ')) return false;
  const second = runEnd(text, end + 4, TOKEN);
  return second >= end + 12 && (second === text.length || slice(text, second, second + 1) === '.');
}

/** `://user:password@` */
function hasUserinfo(text, at) {
  if (!starts(text, at, '://')) return false;
  const end = loginEnd(text, at + 3);
  return end > 0 && slice(text, end, end + 1) === '@';
}

function isHeader(text, at) {
  const word = slice(text, at, at + 7);
  const length =
    word === 'Bearer ' || word === 'bearer ' ? 7 : starts(text, at, 'Basic ') || starts(text, at, 'basic ') ? 6 : 0;
  if (length === 0) return false;
  const end = runEnd(text, at + length, HEADER);
  return end >= at + length + 12 && isMixed(text, at + length, end);
}

/** A digit, or small letters and a capital that is not the first. */
function isMixed(text, from, end) {
  let hasSmall = false;
  let hasCapital = false;
  for (let at = from; at < end; at += 1) {
    const kind = kindAt(text, at);
    if ((kind & DIGIT) !== 0) return true;
    if ((kind & LOWER) !== 0) hasSmall = true;
    if ((kind & UPPER) !== 0 && at > from) hasCapital = true;
  }
  return hasSmall && hasCapital;
}

/** `password=x`, `"password": "x1"`: a name that is surely one, a sign, and a value. */
function assignmentAt(text, at, isEqual) {
  const isSpaced = at > 0 && charCodeAt(text, at - 1) === 32;
  let end = isSpaced ? at - 1 : at;
  const isQuoted = end > 0 && isQuote(text, end - 1);
  if (isQuoted) end -= 1;
  let start = end;
  while (start > 0 && end - start < 40 && (kindAt(text, start - 1) & TOKEN) !== 0) start -= 1;
  while (start < end && (kindAt(text, start) & (UPPER | LOWER)) === 0) start += 1;
  if (end - start < 3) return undefined;
  let from = at + 1;
  const isFollowed = from < text.length && charCodeAt(text, from) === 32;
  if (isFollowed) from += 1;
  const isBare = isEqual && !isSpaced && !isQuoted && !isFollowed;
  if (isQuote(text, from)) from += 1;
  const reason = reasonOf(slice(text, start, end));
  if (reason === undefined || !reason.isSure) return undefined;
  let stop = from;
  while (stop < text.length && stop < from + NAME && isValue(text, stop)) stop += 1;
  if (stop === from || NOTHING[toLowerCase(slice(text, from, stop))] === 1) return undefined;
  if (!isBare && (stop - from < 4 || !isMixed(text, from, stop))) return undefined;
  return `assigns "${slice(text, start, end)}"`;
}

function isQuote(text, at) {
  const code = at < text.length ? charCodeAt(text, at) : 0;
  return code === 34 || code === 39;
}

function isValue(text, at) {
  const code = charCodeAt(text, at);
  return code > 127 || (kinds[code] & VALUE) !== 0;
}
