// Clause 13 of issue 5 on generated programs: what a slice leaves out does not matter, and the injected fault is in it.
import { parseLoc } from '@h/contracts';
import { sliceRows } from '../src/index.ts';
import { generateProgram, randomFrom } from './generate-program.ts';
import { findPython, openObserver, type ProgramRun } from './observe-programs.ts';
import { type Execution, runPrograms } from './run-programs.ts';
import { type Language, type PrintedProgram, type Program, printProgram } from './write-program.ts';

export interface ProgramsChecked {
  readonly programs: number;
  /**
   * Values outside the slice whose replacement changed the result while every decision outside the slice went as before, or turned a decision of the
   * slice; as "language seed line nth by".
   */
  readonly unsound: readonly string[];
  /**
   * Those that one run cannot show: they turned a decision outside the slice first, or made a name stand for another object (`u = o`), so that a later
   * write went elsewhere. What did not run, and what was not written to, leaves no row.
   */
  readonly omitted: readonly string[];
  /** Programs whose mistaken statement is in the slice. */
  readonly faultInSlice: number;
  readonly faultOutside: readonly string[];
  /** Values replaced outside; values inside, and how many of those changed the result; rows in slices and all. */
  readonly outside: number;
  readonly inside: number;
  readonly insideMattered: number;
  readonly sliced: number;
  readonly rows: number;
}

export interface CheckOptions {
  readonly language: Language;
  /** Seeds of the programs. */
  readonly seeds: readonly number[];
  /** Values replaced a program, outside the slice and inside, at most. */
  readonly most?: number;
}

/** A program with a mistake in it that changes what it returns. */
interface Faulty {
  readonly seed: number;
  readonly program: Program;
  readonly mistaken: number;
  readonly printed: PrintedProgram;
  readonly result: string;
}

export async function checkPrograms({ language, seeds, most = 24 }: CheckOptions): Promise<ProgramsChecked> {
  const python = language === 'python' ? (await findPython()).executable : '';
  const faulty = findFaults(language, seeds, python);
  const observer = await openObserver(language);
  try {
    const runs = await observer.observe(faulty.map(({ printed }) => printed.text));
    return judge(language, faulty, runs, { python, most });
  } finally {
    await observer.close();
  }
}

const tries = 8;

/** Of a program's values those drawn at which a mistake changes the result; programs without one are left out. */
export function findFaults(language: Language, seeds: readonly number[], python: string): Faulty[] {
  const drawn = seeds.flatMap((seed) => {
    const program = generateProgram(seed);
    const random = randomFrom(seed + 7919);
    const { lines } = printProgram(program, language);
    // Not the first, which stands at module level, where nothing is observed.
    const places = Array.from({ length: tries }, () => 1 + Math.floor(random() * (lines.length - 1)));
    return [-1, ...places].map((mistaken) => ({
      seed,
      program,
      mistaken,
      printed: printProgram(program, language, { mistaken }),
    }));
  });
  const outcomes = runPrograms(
    language,
    drawn.map(({ printed: { text } }) => ({ text })),
    python,
  );
  const right = new Map<number, string>();
  const found = new Map<number, Faulty>();
  for (const [at, each] of drawn.entries()) {
    const result = outcomes[at]?.result ?? '';
    if (each.mistaken < 0) right.set(each.seed, result);
    else if (!found.has(each.seed) && result !== right.get(each.seed) && /^-?\d+$/.test(result))
      found.set(each.seed, { ...each, result });
  }
  return [...found.values()];
}

interface Judged {
  readonly at: number;
  readonly execution: Execution;
  readonly isInside: boolean;
  /** The statement makes a name or slot stand for an object that has another name. */
  readonly isAlias: boolean;
}

function judge(
  language: Language,
  faulty: readonly Faulty[],
  runs: readonly ProgramRun[],
  { python, most }: { readonly python: string; readonly most: number },
): ProgramsChecked {
  const judged: Judged[] = [];
  const faultOutside: string[] = [];
  const slices: Set<number>[] = [];
  let rows = 0;
  for (const [at, { seed, program, mistaken, printed, result }] of faulty.entries()) {
    const run = runs[at] ?? { rows: [], events: [] };
    const slice = sliceProgram(run, result);
    slices.push(slice);
    rows += run.rows.length;
    const lines = new Set([...slice].map((row) => lineOf(run, row)));
    if (!lines.has(printed.lines[mistaken] ?? 0))
      faultOutside.push(`${language} ${seed} line ${printed.lines[mistaken]}`);
    const { text } = printProgram(program, language, { mistaken, isReplaceable: true });
    const random = randomFrom(seed + 104_729);
    const values = valuesOf(run, printed).map((value) => ({ ...value, isInside: slice.has(value.row) }));
    for (const isInside of [false, true]) {
      for (const { line, nth, isAlias } of draw(
        values.filter((each) => each.isInside === isInside),
        isInside ? most / 4 : most,
        random,
      )) {
        const by = [1, 5, -20][Math.floor(random() * 3)] ?? 1;
        judged.push({ at, isInside, isAlias, execution: { text, replace: { line, nth, by } } });
      }
    }
  }
  const outcomes = runPrograms(
    language,
    judged.map(({ execution }) => execution),
    python,
  );
  const changed = judged.filter(({ at }, index) => outcomes[index]?.result !== faulty[at]?.result);
  const lost = judged.findIndex((_, index) => outcomes[index]?.isReplaced !== true);
  if (lost >= 0) throw new Error(`A value was not replaced: ${describe(language, faulty, judged[lost])}`);
  const outsideSlice = judged.flatMap((each, index) =>
    each.isInside || outcomes[index]?.result === faulty[each.at]?.result
      ? []
      : [{ each, turned: outcomes[index]?.turned }],
  );
  const isOmitted = ({ each, turned }: (typeof outsideSlice)[number]) =>
    each.isAlias ||
    (turned !== undefined && turned.line > 0 && !isDecisionInSlice(runs[each.at], slices[each.at], turned));
  const inside = judged.filter(({ isInside }) => isInside);
  return {
    programs: faulty.length,
    unsound: outsideSlice.filter((each) => !isOmitted(each)).map(({ each }) => describe(language, faulty, each)),
    omitted: outsideSlice.filter(isOmitted).map(({ each }) => describe(language, faulty, each)),
    faultInSlice: faulty.length - faultOutside.length,
    faultOutside,
    outside: judged.length - inside.length,
    inside: inside.length,
    insideMattered: changed.filter(({ isInside }) => isInside).length,
    sliced: slices.reduce((sum, { size }) => sum + size, 0),
    rows,
  };
}

/** Whether the nth decision at a line is in the slice; a loop decides more than once each time it is reached: any turn of it counts. */
function isDecisionInSlice(
  run: ProgramRun | undefined,
  slice: ReadonlySet<number> | undefined,
  { line, nth }: { readonly line: number; readonly nth: number },
): boolean {
  const there = (run?.rows ?? []).filter(({ role, location }) => role === 'branch' && parseLoc(location).line === line);
  const isLoop = there.some(
    ({ sequence }) => !/^(?:true|false)$/.test(run?.events[sequence]?.payload.branch_taken ?? ''),
  );
  return (isLoop ? there : there.slice(nth, nth + 1)).some(({ sequence }) => slice?.has(sequence) === true);
}

function describe(language: Language, faulty: readonly Faulty[], judged: Judged | undefined): string {
  const replace = judged?.execution.replace;
  return `${language} ${faulty[judged?.at ?? 0]?.seed} line ${replace?.line} nth ${replace?.nth} by ${replace?.by}`;
}

/** Rows that the last return of `main` depends on, decisions not to run something among them. */
function sliceProgram({ rows, events }: ProgramRun, result: string): Set<number> {
  const root = rows.findLastIndex(({ role, function: name }) => role === 'return' && name === 'main');
  if (events[root]?.payload.return_value?.text !== result)
    throw new Error(`Observed ${events[root]?.payload.return_value?.text}, not ${result}.`);
  return new Set(sliceRows(rows, [root], { events, omissions: true }).rows.map(({ sequence }) => sequence));
}

function lineOf({ rows }: ProgramRun, row: number): number {
  return parseLoc(rows[row]?.location ?? '').line;
}

interface WrittenValue {
  readonly row: number;
  readonly line: number;
  readonly nth: number;
  readonly isAlias: boolean;
}

/** Rows that wrote a value, by line and how often it was written before. */
function valuesOf(run: ProgramRun, { written, text }: PrintedProgram): WrittenValue[] {
  const lines = text.split('\n');
  const counts = new Map<number, number>();
  return run.rows.flatMap(({ sequence, role, function: name, completed }) => {
    const line = lineOf(run, sequence);
    if (role === 'entry' || role === 'branch' || !written.has(line) || name.includes('<anonymous>')) return [];
    const nth = counts.get(line) ?? 0;
    counts.set(line, nth + 1);
    const isAlias = /= (?:[pqou]|(?:self|this)\.items);?$/.test(lines[line - 1] ?? '');
    return completed ? [{ row: sequence, line, nth, isAlias }] : [];
  });
}

function draw<Item>(items: readonly Item[], most: number, random: () => number): Item[] {
  const left = [...items];
  const drawn: Item[] = [];
  while (left.length > 0 && drawn.length < most) drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  return drawn;
}
