// `npm run check:repair`: which share of faults `h run` mends plausibly without a model within 100 and 300 executions, and how often the first such patch
// is the original text.
import { describeOrderings } from './faults/describe-orderings.ts';
import { measureRepair, type RepairFigures } from './faults/measure-repair.ts';
import { type Measured, runOnFaults } from './faults/run-on-faults.ts';

/** Five of each of thirteen packages: what ninety minutes are enough for. */
const FAULTS = 65;

const measured = await runOnFaults({ name: 'repair', perPackage: 10, faults: FAULTS, measure: measureRepair });
for (const { fault, result } of measured)
  if (result.first_plausible === undefined) console.error(`${fault.id}: ${result.error ?? result.outcome}`);

const python = measured.filter(({ fault }) => fault.language === 'python');
const others = measured.filter(({ fault }) => fault.language !== 'python');
for (const [title, rows] of [
  ['Python', python],
  ['JavaScript and TypeScript', others],
  ['all', measured],
] as const) {
  const figures = Object.entries(figuresOf(rows)).map(([name, value]) => `${name} ${value}`);
  console.log(
    `${title}: ${figures.join(', ')}, original proposed ${share(rows, ({ original_proposed }) => original_proposed === true)}`,
  );
}
console.log('Place of the original text in budget order, by what decides it:');
console.log(describeOrderings(measured.flatMap(({ result }) => result.placed ?? [])));
const line = figuresOf(measured);
console.log(JSON.stringify(line));
process.exitCode = line.plausible_300 >= 0.7 ? 0 : 1;

function figuresOf(rows: readonly Measured<RepairFigures>[]) {
  const within = (budget: number) =>
    share(rows, ({ first_plausible }) => (first_plausible ?? Number.POSITIVE_INFINITY) <= budget);
  return {
    faults: rows.length,
    plausible_100: within(100),
    plausible_300: within(300),
    first_equals_original: share(rows, ({ first_equals_original }) => first_equals_original === true),
  };
}

function share(rows: readonly Measured<RepairFigures>[], holds: (figures: RepairFigures) => boolean): number {
  return Number((rows.filter(({ result }) => holds(result)).length / Math.max(1, rows.length)).toFixed(4));
}
