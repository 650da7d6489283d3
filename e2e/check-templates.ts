// `npm run check:templates`: every candidate of a dozen statements of each real file, as @h/edit-apply takes it: each block must be located exactly once. Beside it
// how many are proposed a second, how many of a sample parse, and how many are the same program as another.
import { deduplicate } from '@h/dedup';
import { applyEdits, openSnapshot } from '@h/edit-apply';
import { proposeEdits } from '@h/fix-templates';
import { createParser, createSyntaxChecker, languageOf, type SyntaxChecker } from '@h/syntax';
import type { Program } from '../libs/generation/fix-templates/bench/inject-faults.ts';
import { readOwnPrograms, readPackageFiles } from '../libs/generation/fix-templates/bench/read-programs.ts';

const SAMPLE = 2_000;
/** Statements of one file, spread over it. */
const STATEMENTS = 12;
/** Candidates of one file among which duplicates are looked for. */
const COMPARED = 120;

interface Figures {
  candidates: number;
  applied: number;
  proposing_ms: number;
  sampled: number;
  parse_clean: number;
  compared: number;
  duplicates: number;
  checking_ms: number;
}

const parser = await createParser();
const checker = await createSyntaxChecker(['python', 'javascript', 'typescript', 'tsx']);
const { programs: files, missing } = readPackageFiles();
const programs = [...readOwnPrograms(), ...files];
const total: Figures = {
  ...{ candidates: 0, applied: 0, proposing_ms: 0, sampled: 0 },
  ...{ parse_clean: 0, compared: 0, duplicates: 0, checking_ms: 0 },
};
for (const [index, program] of programs.entries()) {
  const wanted = Math.ceil(((index + 1) * SAMPLE) / programs.length) - total.sampled;
  const own = measure(program, checker, wanted);
  for (const name of Object.keys(total) as (keyof Figures)[]) total[name] += own[name];
  console.error(`${program.path}: ${own.candidates} candidates, ${own.applied} applied`);
}
parser.dispose();
checker.dispose();
const line = {
  files: programs.length,
  missing: missing.length,
  candidates: total.candidates,
  applied: total.applied,
  per_second: Math.round((total.candidates / total.proposing_ms) * 1000),
  sampled: total.sampled,
  parse_clean: total.parse_clean,
  exact_checks_per_second: Math.round((total.sampled / total.checking_ms) * 1000),
  duplicates: Number((total.duplicates / total.compared).toFixed(4)),
};
console.log(JSON.stringify(line));
const isHeld =
  line.applied === line.candidates &&
  line.parse_clean === line.sampled &&
  line.per_second >= 5_000 &&
  line.duplicates <= 0.02;
process.exitCode = isHeld ? 0 : 1;

/** Processor milliseconds. */
function cpuMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function measure({ path, text, language }: Program, exact: SyntaxChecker, wanted: number): Figures {
  const { statements } = parser.outline(text, language);
  const spread = Math.max(1, Math.floor(statements.length / STATEMENTS));
  const chosen = statements.filter((_, index) => index % spread === 0).slice(0, STATEMENTS);
  const targets = chosen.map(({ first, last }) => ({ file: path, first, last, score: 1 }));
  let candidates: ReturnType<typeof proposeAll> = [];
  const proposing_ms = cpuMs(() => {
    candidates = proposeAll(targets);
  });
  const snapshot = openSnapshot({ [path]: new TextEncoder().encode(text) });
  const results = candidates.flatMap((candidate) => {
    const result = applyEdits(snapshot, candidate);
    if (result.status === 'rejected') {
      console.error(`${candidate.provenance}: ${result.rejection.reason}`);
      return [];
    }
    const [file] = result.files;
    return file?.after === undefined ? [] : [{ candidate, after: file.after }];
  });
  const step = Math.max(1, Math.floor(results.length / Math.max(1, wanted)));
  const sample = results.filter((_, index) => index % step === 0).slice(0, wanted);
  let parse_clean = 0;
  const checking_ms = cpuMs(() => {
    for (const { after, candidate } of sample) {
      const [found] = exact.check(new TextDecoder().decode(after), languageOf(path) ?? 'python', { path });
      if (found === undefined) parse_clean += 1;
      else console.error(`${candidate.provenance}: ${found.message}`);
    }
  });
  const near = results.slice(0, COMPARED);
  const before = new TextEncoder().encode(text);
  const distinct = deduplicate(
    near.map(({ candidate, after }) => ({
      candidate_id: candidate.candidate_id,
      files: [{ path, before, after }],
    })),
    { parser, rung: 'tree' },
  );
  return {
    ...{ candidates: candidates.length, applied: results.length, proposing_ms },
    ...{ sampled: sample.length, parse_clean, checking_ms },
    ...{ compared: near.length, duplicates: near.length - distinct.kept.length },
  };

  function proposeAll(all: typeof targets) {
    return [...proposeEdits({ files: [{ path, text }], targets: all, parser })].flatMap((batch) => batch.candidates);
  }
}
