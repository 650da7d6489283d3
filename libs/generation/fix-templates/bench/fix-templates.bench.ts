// One JSON line a row, in processor time (the machine may be shared). Rates count candidates that differ as texts. The order is measured by
// `npm run learn`.
import { createParser, createSyntaxChecker, languageOf, type Parser } from '@h/syntax';
import { type ProposedEdit, proposeEdits, type RepairTarget } from '../src/index.ts';
import type { Program } from './inject-faults.ts';
import { applied } from './rank-faults.ts';
import { readOwnPrograms } from './read-programs.ts';

const SAMPLE = 1_000;
const parser = await createParser();

function cpuMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The least of several rounds, after one that warms up. */
function leastMs(run: () => void, rounds = 3): number {
  run();
  return Math.min(...Array.from({ length: rounds }, () => cpuMs(run)));
}

const print = (row: Record<string, unknown>) => console.log(JSON.stringify(row));
const round = (value: number) => Number(value.toPrecision(3));

function targetsOf({ path, text, language }: Program, of: Parser): RepairTarget[] {
  return of.outline(text, language).statements.map(({ first, last }) => ({ file: path, first, last, score: 1 }));
}

const programs = readOwnPrograms();
const targets = programs.flatMap((program) => targetsOf(program, parser));
let candidates: ProposedEdit[] = [];
const proposing = leastMs(() => {
  candidates = [...proposeEdits({ files: programs, targets, parser })].flatMap((batch) => batch.candidates);
});
const texts = new Map(programs.map(({ path, text }) => [path, text]));
const step = Math.max(1, Math.floor(candidates.length / SAMPLE));
const sample = candidates
  .filter((_, index) => index % step === 0)
  .slice(0, SAMPLE)
  .map((candidate) => ({ path: candidate.file, text: applied(texts.get(candidate.file) ?? '', candidate) }));
const reparsing = leastMs(() => {
  for (const { path, text } of sample) parser.withTree(text, languageOf(path) ?? 'python', (root) => root.hasError);
}, 1);
const perSecond = (count: number, ms: number) => Math.round((count / ms) * 1000);
print({
  work: `${candidates.length} distinct candidates of ${targets.length} statements in ${programs.length} programs`,
  ours_per_s: perSecond(candidates.length, proposing),
  reparse_alone_per_s: perSecond(sample.length, reparsing),
  ratio: round(perSecond(candidates.length, proposing) / perSecond(sample.length, reparsing)),
});

const checker = await createSyntaxChecker(['python', 'javascript', 'typescript', 'tsx']);
let clean = 0;
const checking = cpuMs(() => {
  clean = sample.filter(
    ({ path, text }) => checker.check(text, languageOf(path) ?? 'python', { path }).length === 0,
  ).length;
});
checker.dispose();
print({
  work: `exact check of ${sample.length} of them: ${clean} parse`,
  check_alone_per_s: perSecond(sample.length, checking),
  parse_clean_share: round(clean / sample.length),
});

const [first] = programs.filter(({ path }) => path === 'intervals.py');
const large = (first?.text ?? '').repeat(Math.ceil(5_000_000 / (first?.text.length ?? 1)));
const one = { file: 'large.py', first: 19, last: 19, score: 1 };
const largeMs = cpuMs(() => [...proposeEdits({ files: [{ path: 'large.py', text: large }], targets: [one], parser })]);
const parseMs = cpuMs(() => parser.withTree(large, 'python', (root) => root.type));
print({
  work: `one target in a file of ${(large.length / 1e6).toFixed(1)} MB, ${large.split('\n').length} lines`,
  ours_ms: Math.round(largeMs),
  one_parse_alone_ms: Math.round(parseMs),
  ratio: round(largeMs / parseMs),
});

parser.dispose();
