const ADDRESS = /0x[0-9a-f]{6,16}/gi;
const RANDOM_NAME =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?=\d*[a-f])[0-9a-f]{12,}\b|\b0\.\d{9,}|\btmp[a-z0-9_]{8}\b|\btmp\.[A-Za-z0-9]{6,10}\b/gi;
const TIME =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?|\b\d\d:\d\d:\d\d(?:\.\d+)?\b|\b\d+(?:\.\d+)? ?(?:ns|µs|ms|s|seconds?)\b|\b1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9}|\.\d+)?\b/gi;
const PROCESS = /\b(?:pid|process|tid|thread)\W{0,3}\d+/gi;
const WORDS = /[^\s,;:()[\]{}'"]+/g;
const NUMBERS = /-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi;
/** Letters and digits mixed, as random names have them. */
const MIXED = /[\w+/=-]*(?:\d[\w+/=-]*[A-Za-z]|[A-Za-z][\w+/=-]*\d)[\w+/=-]*/g;

/** Tried in order; what makes the texts equal when left out is the cause. */
const PATTERNS: readonly (readonly [cause: string, pattern: RegExp])[] = [
  ['address', ADDRESS],
  ['pid: a process or thread id', PROCESS],
  ['time', TIME],
  ['random', RANDOM_NAME],
];

/**
 * A guess from two texts that should be equal: the one thing which, left out or put in order, makes them so; undefined when there is none.
 * Hash seed, addresses and listings are the same in runs under the same conditions, so that an order that differs is of other making.
 */
export function guessCause(before: string, after: string): string | undefined {
  for (const [cause, pattern] of PATTERNS) {
    if (before.replace(pattern, '') === after.replace(pattern, '')) return cause;
  }
  if (sorted(before.split('\n')) === sorted(after.split('\n')))
    return 'thread: an order of lines, as of threads or processes, or random';
  if (sorted(before.match(WORDS) ?? []) === sorted(after.match(WORDS) ?? []))
    return 'random: an order in a line, or that of threads';
  if (before.replace(NUMBERS, '') === after.replace(NUMBERS, '')) return judgeNumbers(before, after);
  return before.replace(MIXED, '') === after.replace(MIXED, '') ? 'random: a name' : undefined;
}

/** Clocks rise by little from one run to the next, and durations are small. */
function judgeNumbers(before: string, after: string): string {
  const [one, two] = [before, after].map((text) => (text.match(NUMBERS) ?? []).map(Number));
  const pairs = (one ?? []).map((value, index) => [value, two?.[index] ?? value] as const).filter(([a, b]) => a !== b);
  const rises = pairs.every(([a, b]) => a >= 1000 && b > a && b - a < Math.max(60_000, a * 0.05));
  const small = pairs.every(([a, b]) => Math.abs(a) < 0.02 && Math.abs(b) < 0.02);
  return rises || small ? 'time: a number of a clock' : 'random: a number';
}

function sorted(parts: readonly string[]): string {
  return [...parts].sort().join('\n');
}
