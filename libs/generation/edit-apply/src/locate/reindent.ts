/**
 * How lines of a replacement are indented in the file, when the found lines differ from the wanted ones by one uniform shift of
 * indentation: a prefix added or taken away, or levels written in the other of tabs and blanks. Undefined when the shift is not uniform,
 * and where a text literal over several lines would change with it. The returned function gives undefined for a line it cannot shift.
 */
export function reindent(
  wanted: readonly string[],
  found: readonly string[],
  replace: readonly string[],
  file: readonly string[],
): ((line: string) => string | undefined) | undefined {
  const pairs = wanted.flatMap((line, i) =>
    isBlank(line) ? [] : [{ from: indentOf(line), to: indentOf(found[i] ?? '') }],
  );
  const used = replace.filter((line) => !isBlank(line)).map(indentOf);
  if ([...wanted, ...replace].some((line) => /'''|"""|`/.test(line))) return undefined;
  const shift = byPrefix(pairs, used) ?? byLevel(pairs, used, file);
  if (shift === undefined) return undefined;
  return (line) => {
    if (isBlank(line)) return line;
    const indent = shift(indentOf(line));
    return indent === undefined ? undefined : indent + line.trimStart();
  };
}

type Shift = (indent: string) => string | undefined;
interface Pair {
  readonly from: string;
  readonly to: string;
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function byPrefix(pairs: readonly Pair[], used: readonly string[]): Shift | undefined {
  const [first] = pairs;
  if (first === undefined) return undefined;
  const added = first.to.endsWith(first.from) ? first.to.slice(0, first.to.length - first.from.length) : undefined;
  if (added !== undefined && pairs.every(({ from, to }) => to === added + from)) {
    return isOneStyle([...used.map((indent) => added + indent)]) ? (indent) => added + indent : undefined;
  }
  const removed = first.from.endsWith(first.to) ? first.from.slice(0, first.from.length - first.to.length) : undefined;
  if (removed === undefined || !pairs.every(({ from, to }) => from === removed + to)) return undefined;
  return (indent) => (indent.startsWith(removed) ? indent.slice(removed.length) : undefined);
}

function isOneStyle(indents: readonly string[]): boolean {
  return !indents.some((indent) => indent.includes('\t')) || !indents.some((indent) => indent.includes(' '));
}

/** The block counts levels in one of tabs and blanks, the file in the other. */
function byLevel(pairs: readonly Pair[], used: readonly string[], file: readonly string[]): Shift | undefined {
  const froms = [...pairs.map(({ from }) => from), ...used];
  const tos = pairs.map(({ to }) => to);
  if (!isOneStyle(froms) || !isOneStyle(tos)) return undefined;
  const toTabs = tos.some((indent) => indent.includes('\t'));
  const fromUnit = froms.some((indent) => indent.includes('\t'))
    ? 1
    : greatestCommonDivisor(froms.map(({ length }) => length));
  const toUnit = toTabs ? 1 : usualStep(file);
  const [first] = pairs;
  const spaced = !froms.some((indent) => indent.includes('\t'));
  if (first === undefined || toUnit === 0 || fromUnit === 0 || (spaced && fromUnit === 1)) return undefined;
  const delta = first.to.length / toUnit - first.from.length / fromUnit;
  const uniform = pairs.every(({ from, to }) => to.length / toUnit - from.length / fromUnit === delta);
  if (!uniform || !Number.isInteger(delta)) return undefined;
  return (indent) => {
    const level = indent.length / fromUnit + delta;
    return level < 0 ? undefined : (toTabs ? '\t' : ' '.repeat(toUnit)).repeat(level);
  };
}

function greatestCommonDivisor(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => {
    while (b !== 0) [a, b] = [b, a % b];
    return a;
  }, 0);
}

/** The most frequent step inwards from one line of the file to the next, in blanks; the smaller one on a tie; 0 when there is none. */
function usualStep(file: readonly string[]): number {
  const counts = new Map<number, number>();
  let before = 0;
  for (const line of file) {
    if (isBlank(line) || line.startsWith('\t')) continue;
    const { length } = indentOf(line);
    if (length > before) counts.set(length - before, (counts.get(length - before) ?? 0) + 1);
    before = length;
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || a - b)[0]?.[0] ?? 0;
}
