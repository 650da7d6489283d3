// Blocks of files in several languages, damaged as models damage them, and what is said of each. Used by the test and by `npm run check:refusals`.
import { LANGUAGES, type Language } from '../../check/edit-samples.ts';
import { applyEdits, type Gate, type MatchTier } from '../../src/index.ts';
import { type RandomSource, randomSource } from '../random-edits.ts';

const NAMES = ['request', 'event', 'value', 'limit', 'items', 'rows', 'total', 'index', 'width', 'parent'];

/** Some hundred lines of functions that are alike, as real files are. */
export function fileOf(language: Language, source: RandomSource): string[] {
  const { below, pick } = source;
  const { indent, open, close, assign, result, comment, text, head, tail } = language;
  const body = Array.from({ length: 60 }, (_, i) => {
    const [one, other] = [pick(NAMES), pick(NAMES)];
    return [
      open(`handle_${i}`),
      `${indent}${comment(`takes the ${one} of "${other}", it's number ${below(90)}`)}`,
      `${indent}${assign(`${one}_${below(9)}`, `a + ${below(100)}`)}`,
      `${indent}${assign(`label_${below(40)}`, text(`${other} ${below(50)}`))}`,
      `${indent}${assign(`${other}_total`, `a * ${below(20)} - b`)}`,
      `${indent}${result(`a + b * ${below(30)}`)}`,
      ...close,
      '',
    ];
  });
  return [...head, ...body.flat(), ...tail];
}

export interface DamagedBlock {
  readonly text: string;
  readonly path: string;
  /** The lines as the file has them, and as the block says them. */
  readonly lines: readonly string[];
  readonly search: string;
  /** 1-based. */
  readonly first: number;
  /** Causes that the damage gives; `text` where words differ. */
  readonly causes: ReadonlySet<string>;
}

type Way = readonly [cause: string, change: (lines: string[], at: number, source: RandomSource) => void];

const everyLine = (lines: string[], change: (line: string) => string) => {
  for (const [i, line] of lines.entries()) lines[i] = line.trim() === '' ? line : change(line);
};

const oneLine = (change: (line: string, source: RandomSource) => string): Way[1] => {
  return (lines, at, source) => void lines.splice(at, 1, change(lines[at] ?? '', source));
};

/** Differences of blanks alone, one for the whole block. */
const BLANK_WAYS: readonly Way[] = [
  ['indentation', (lines) => everyLine(lines, (line) => `  ${line}`)],
  ['indentation', (lines) => everyLine(lines, (line) => `        ${line}`)],
  ['trailing_blanks', oneLine((line) => `${line}  `)],
  ['trailing_blanks', (lines) => everyLine(lines, (line) => `${line}\t`)],
];

const WAYS: readonly Way[] = [
  ...BLANK_WAYS,
  ['text', oneLine((line, { pick }) => line.replace(/\b[a-z]{3,}\b/, `my_${pick(NAMES)}`))],
  ['text', oneLine((line) => line.replace(/\d+/, '7777'))],
  ['text', oneLine((line) => line.replace(/[*+]/, '%'))],
  ['tabs', (lines) => everyLine(lines, (line) => line.replace(/^(?: {2}| {4})/, '\t'))],
  ['quotes', oneLine((line) => line.replace(/["']/, '\u2019'))],
  ['no_break_space', oneLine((line) => line.replace(/(\S) /, '$1\u00a0'))],
];

/** Undefined where the draw damages nothing, or leaves a text that stands in the file. */
export function damagedBlock(seed: number, ways: 'all' | 'blanks'): DamagedBlock | undefined {
  const source = randomSource(seed * 7919 + 13);
  const { below, pick } = source;
  const language = pick(LANGUAGES);
  const file = fileOf(language, source);
  const start = below(file.length - 8);
  const lines = file.slice(start, start + 1 + below(7));
  while (lines.at(-1)?.trim() === '') lines.pop();
  const lead = lines.findIndex((line) => line.trim() !== '');
  const text = file.join('\n');
  if (lead !== 0 || text.split(lines.join('\n')).length !== 2) return undefined;
  const damaged = [...lines];
  const causes = new Set<string>();
  for (let times = ways === 'blanks' ? 1 : 1 + below(3); times > 0; times--) {
    const [cause, change] = pick(ways === 'blanks' ? BLANK_WAYS : WAYS);
    const before = damaged.join('\n');
    change(damaged, below(damaged.length), source);
    if (damaged.join('\n') !== before) causes.add(cause);
  }
  const search = damaged.join('\n');
  if (causes.size === 0 || text.includes(search)) return undefined;
  return { text, path: `a.${language.extension}`, lines, search, first: start + 1, causes };
}

export interface RefusalCounts {
  blocks: number;
  nearest_first: number;
  cause_named: number;
}

/** Of damaged blocks: how often the true place comes first, and how often the cause is named. */
export function measureRefusals(seeds: Iterable<number>): RefusalCounts {
  const counts = { blocks: 0, nearest_first: 0, cause_named: 0 };
  for (const seed of seeds) {
    const block = damagedBlock(seed, 'all');
    if (block === undefined) continue;
    const result = applyEdits(
      { [block.path]: block.text },
      { file: block.path, blocks: [{ search: block.search, replace: 'zzz' }] },
    );
    counts.blocks++;
    if (result.status === 'applied') throw new Error(`seed ${seed}: a damaged block was applied`);
    const { nearest } = result.rejection;
    if (nearest?.span[0] === block.first) counts.nearest_first++;
    if (isNamed(nearest?.cause ?? '', block.causes)) counts.cause_named++;
  }
  return counts;
}

/** Words that differ outweigh all else; blanks and tabs before a line are one cause in two words. */
function isNamed(cause: string, causes: ReadonlySet<string>): boolean {
  if (causes.has('text')) return cause === 'text';
  const plain = (list: Iterable<string>) =>
    [...new Set([...list].map((one) => (one === 'tabs' ? 'indentation' : one)))].sort().join('+');
  return plain(cause.split('+')) === plain(causes);
}

export interface TolerantCounts {
  blocks: number;
  recovered: number;
  wrong_writes: number;
}

/** Of blocks that differ in blanks: how many a tolerant tier applies, and how many of those wrongly. */
export function measureTolerance(seeds: Iterable<number>, gate: Gate): TolerantCounts {
  const counts = { blocks: 0, recovered: 0, wrong_writes: 0 };
  for (const seed of seeds) {
    const block = damagedBlock(seed, 'blanks');
    if (block === undefined) continue;
    const { text, path, lines, search } = block;
    const match: MatchTier = block.causes.has('indentation') ? 'indentation' : 'whitespace';
    const [before, after] = [search.split('\n'), search.split('\n')];
    const at = lines.findIndex((line) => /\d+/.test(line));
    if (at < 0) continue;
    after[at] = before[at]?.replace(/\d+/, '4321') ?? '';
    const wanted = lines.map((line, i) => (i === at ? line.replace(/\d+/, '4321') : line));
    counts.blocks++;
    const result = applyEdits(
      { [path]: text },
      { file: path, blocks: [{ search: `${search}\n`, replace: `${after.join('\n')}\n` }] },
      { match, gate },
    );
    if (result.status === 'rejected') continue;
    const got = new TextDecoder().decode(result.files[0]?.after);
    // A new line keeps the blanks at its end that the replacement gives it.
    const isRight =
      got
        .split('\n')
        .map((line) => line.trimEnd())
        .join('\n') ===
      text
        .replace(lines.join('\n'), () => wanted.join('\n'))
        .split('\n')
        .map((line) => line.trimEnd())
        .join('\n');
    if (isRight) counts.recovered++;
    else counts.wrong_writes++;
  }
  return counts;
}
