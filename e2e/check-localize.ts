// `npm run check:localize`: how often the statement of a fault stands among the first of H's ranking, and in the slice of the failing value.
import { type DiagnosisFigures, measureDiagnosis } from './faults/measure-diagnosis.ts';
import { type Measured, runOnFaults } from './faults/run-on-faults.ts';

const measured = await runOnFaults({ name: 'diagnosis', perPackage: 10, measure: measureDiagnosis });
const failed = measured.filter(({ result }) => result.position === undefined);
for (const { fault, result } of failed) console.error(`${fault.id}: ${result.error ?? result.outcome}`);

for (const [title, chosen] of groups(measured).filter(([, rows]) => rows.length > 0)) {
  console.log(
    `\n${title}: ${chosen.length} faults in ${new Set(chosen.map(({ fault }) => fault.package)).size} packages`,
  );
  row('H', chosen, ({ position }) => position ?? null);
  row('H by the tests alone', chosen, ({ by_tests }) => by_tests ?? null);
  for (const formula of ['ochiai', 'tarantula', 'dstar'])
    row(`${formula} alone, mean of ties`, chosen, ({ plain }) => plain?.[formula] ?? null);
  const shares = chosen.flatMap(({ result }) => result.slice_share ?? []).sort((a, b) => a - b);
  console.log(
    `  the slice holds ${percent(shares[Math.floor(shares.length / 2)] ?? 0)} of the ranked statements that the observed test executed (median of ${shares.length} faults; a quarter below ${percent(shares[Math.floor(shares.length / 4)] ?? 0)})`,
  );
  console.log(
    `  in the slice ${percent(share(chosen, ({ in_slice }) => in_slice === true))}, in the pack ${percent(share(chosen, ({ in_pack }) => in_pack === true))}`,
  );
}

const position = ({ position: at }: DiagnosisFigures) => at ?? null;
const line = {
  faults: measured.length,
  top1: round(within(measured, position, 1)),
  top5: round(within(measured, position, 5)),
  top10: round(within(measured, position, 10)),
  exam: round(exam(measured, position)),
  in_slice: round(share(measured, ({ in_slice }) => in_slice === true)),
};
console.log(JSON.stringify(line));
process.exitCode = line.top10 >= 0.8 && line.in_slice >= 0.85 ? 0 : 1;

type Rows = readonly Measured<DiagnosisFigures>[];
type PlaceOf = (figures: DiagnosisFigures) => number | null;

function groups(rows: Rows): [string, Rows][] {
  const of = (python: boolean) => rows.filter(({ fault }) => (fault.language === 'python') === python);
  return [
    ['Python', of(true)],
    ['JavaScript and TypeScript', of(false)],
    ['all', rows],
  ];
}

function row(name: string, rows: Rows, place: PlaceOf): void {
  const shares = [1, 5, 10].map((k) => `top-${k} ${percent(within(rows, place, k))}`).join(', ');
  console.log(`  ${name}: ${shares}, EXAM ${percent(exam(rows, place))}`);
}

/** Share of faults whose statement is among the first k; a fault without a place counts as not found. */
function within(rows: Rows, place: PlaceOf, k: number): number {
  return share(rows, (figures) => (place(figures) ?? Number.POSITIVE_INFINITY) <= k);
}

/** Mean share of the statements that one reads until the faulty one; all of them where it is not in the list. */
function exam(rows: Rows, place: PlaceOf): number {
  const shares = rows.map(({ result }) => {
    const at = place(result);
    return at === null || result.statements === undefined ? 1 : at / result.statements;
  });
  return shares.reduce((sum, one) => sum + one, 0) / Math.max(1, rows.length);
}

function share(rows: Rows, holds: (figures: DiagnosisFigures) => boolean): number {
  return rows.filter(({ result }) => holds(result)).length / Math.max(1, rows.length);
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
