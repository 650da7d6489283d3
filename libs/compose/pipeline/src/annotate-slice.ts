import { type DynamicSlice, parseLoc } from '@h/contracts';
import { lineAt } from './line-at.ts';

/** Lines of source shown, at most; the whole slice is in its record. */
const SHOWN_LINES = 40;
const SOURCE_WIDTH = 64;
const VALUE_WIDTH = 60;

interface Line {
  readonly file: string;
  readonly line: number;
  /** Of the last step there: the one nearest to the failure. */
  readonly value: string;
  readonly steps: number;
}

/**
 * The slice as annotated source: the statements that the failing value depends on, with what each last gave, and how often it is in the slice. Files by
 * how near they come to the failure, statements by line; a suspect is marked with ">". Where there is no room, the statements farthest from the failure go.
 */
export function annotateSlice(
  { slice }: DynamicSlice,
  sources: ReadonlyMap<string, string>,
  suspects: readonly string[],
): string {
  const lines = new Map<string, Line>();
  for (const { location, value } of slice) {
    const known = lines.get(location);
    const text = `${value.text}${value.truncated && !value.masked ? '…' : ''}`;
    lines.set(
      location,
      known === undefined ? { ...parseLoc(location), value: text, steps: 1 } : { ...known, steps: known.steps + 1 },
    );
  }
  const shown = [...lines.values()].slice(0, SHOWN_LINES);
  const suspected = new Set(suspects.map((suspect) => suspect.slice(0, suspect.lastIndexOf(' '))));
  const text = [...new Set(shown.map(({ file }) => file))].flatMap((file) => {
    const own = shown.filter((one) => one.file === file).sort((a, b) => a.line - b.line);
    return [file, ...own.map((one) => describe(one, sources, suspected.has(`${one.file}:${one.line}`)))];
  });
  const missing = lines.size - shown.length;
  return [
    ...text,
    ...(missing === 0 ? [] : [`(${missing} of ${lines.size} statements farther from the failure left out)`]),
  ].join('\n');
}

/** "> 34  kwh += 10**meter.digits - 1            44  (3 times)" */
function describe(
  { file, line, value, steps }: Line,
  sources: ReadonlyMap<string, string>,
  suspected: boolean,
): string {
  const source = shorten(lineAt(sources, `${file}:${line}`), SOURCE_WIDTH).padEnd(SOURCE_WIDTH);
  const often = steps === 1 ? '' : `  (${steps} times)`;
  return `${suspected ? '>' : ' '}${String(line).padStart(5)}  ${source}  ${shorten(value, VALUE_WIDTH)}${often}`;
}

function shorten(text: string, most: number): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
