const ADDRESS = /0x[0-9a-f]{6,16}/gi;
const RANDOM_NAME = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{16,}\b|\b0\.\d{9,}/gi;
const TIME =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?|\b\d\d:\d\d:\d\d(?:\.\d+)?\b|\b\d+(?:\.\d+)? ?(?:ns|µs|ms|s|seconds?)\b|\b1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9}|\.\d+)?\b/gi;
const PROCESS = /\b(?:pid|process|tid|thread)\W{0,3}\d+/gi;
const WORDS = /[^\s,;:()[\]{}'"]+/g;

/** Tried in order; what makes the texts equal when left out is the cause. */
const PATTERNS: readonly (readonly [cause: string, pattern: RegExp])[] = [
  ['address', ADDRESS],
  ['process or thread id', PROCESS],
  ['time', TIME],
  ['random', RANDOM_NAME],
];

/** A guess from two texts that should be equal: the one thing which, left out or put in order, makes them so; undefined when there is none. */
export function guessCause(before: string, after: string): string | undefined {
  for (const [cause, pattern] of PATTERNS) {
    if (before.replace(pattern, '') === after.replace(pattern, '')) return cause;
  }
  if (sorted(before.split('\n')) === sorted(after.split('\n')))
    return 'order of lines: threads, processes or a folder listing';
  if (sorted(before.match(WORDS) ?? []) === sorted(after.match(WORDS) ?? []))
    return 'order in a line: hashes or a folder listing';
  const numbers = /-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi;
  return before.replace(numbers, '') === after.replace(numbers, '') ? 'random or time, a number' : undefined;
}

function sorted(parts: readonly string[]): string {
  return [...parts].sort().join('\n');
}
