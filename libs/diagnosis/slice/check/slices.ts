// npm run check:slices [programs]: clause 13 of issue 5 on generated programs, half of them Python and half JavaScript, watched by the real agents.
// The last line is {programs, unsound, fault_in_slice}.
import { checkPrograms, type ProgramsChecked } from './check-programs.ts';

const wanted = Number(process.argv[2] ?? 2000);
const from = Number(process.argv[3] ?? 1);
const batch = 400;
const all: ProgramsChecked[] = [];
let seed = from;
for (const language of ['python', 'javascript'] as const) {
  for (let found = 0; found < wanted / 2; ) {
    const size = Math.min(batch, Math.ceil((wanted / 2 - found) * 1.9) + 1);
    const seeds = Array.from({ length: size }, (_, at) => seed + at);
    seed += size;
    const checked = await checkPrograms({ language, seeds });
    found += checked.programs;
    all.push(checked);
    console.error(
      `${language}: ${found} programs, ${checked.unsound.length} unsound, ${checked.omitted.length} omitted, ${checked.faultOutside.length} faults outside`,
    );
    for (const line of [
      ...checked.unsound,
      ...checked.omitted.map((each) => `omitted: ${each}`),
      ...checked.faultOutside.map((each) => `outside: ${each}`),
    ])
      console.error(`  ${line}`);
  }
}
const sum = (of: (each: ProgramsChecked) => number) => all.reduce((total, each) => total + of(each), 0);
const programs = sum((each) => each.programs);
const unsound = sum((each) => each.unsound.length);
console.error(
  `${sum((each) => each.outside)} values outside replaced; of ${sum((each) => each.inside)} inside ${sum((each) => each.insideMattered)} mattered; ` +
    `${sum((each) => each.sliced)} of ${sum((each) => each.rows)} rows in slices`,
);
console.log(
  JSON.stringify({
    programs,
    unsound,
    fault_in_slice: Number((sum((each) => each.faultInSlice) / programs).toFixed(4)),
  }),
);
if (unsound > 0 || programs < wanted) process.exitCode = 1;
