// `npm run check:falsify`: which share of false hypotheses about observed state the evidence pack strikes out, beside a raw trace cut to its size.
import { WRONG } from './faults/make-hypotheses.ts';
import { measureDiagnosis } from './faults/measure-diagnosis.ts';
import { runOnFaults } from './faults/run-on-faults.ts';

const measured = await runOnFaults({ name: 'diagnosis', perPackage: 10, measure: measureDiagnosis });
const sum = (of: (figures: (typeof measured)[number]['result']) => number | undefined) =>
  measured.reduce((total, { result }) => total + (of(result) ?? 0), 0);
const sharesOf = (whole: 'raw_bytes' | 'event_bytes') =>
  measured
    .flatMap(({ result }) =>
      result.pack_bytes === undefined || !result[whole] ? [] : [result.pack_bytes / result[whole]],
    )
    .sort((a, b) => a - b);
const middle = (shares: readonly number[]) => Number((shares[Math.floor(shares.length / 2)] ?? 0).toFixed(5));
const shares = sharesOf('raw_bytes');
const line = {
  wrong: sum(({ hypotheses }) => hypotheses?.wrong),
  eliminated: sum(({ hypotheses }) => hypotheses?.eliminated),
  baseline_eliminated: sum(({ hypotheses }) => hypotheses?.baseline_eliminated),
  right: sum(({ hypotheses }) => hypotheses?.right),
  right_eliminated: sum(({ hypotheses }) => hypotheses?.right_eliminated),
  median_pack_share: middle(shares),
};
const silent = measured.filter(({ result }) => (result.hypotheses?.wrong ?? 0) === 0).length;
const asked = WRONG * measured.length;
console.log(`${measured.length} faults, ${shares.length} of them with a pack`);
console.log(
  `${silent} of them gave no false hypothesis, since nothing with a second value was observed near the fault: counted as not struck out, ${line.eliminated} of ${asked}`,
);
console.log(
  `median share of the pack in the trace with all locals at each step ${middle(shares)}, in the events that H records ${middle(sharesOf('event_bytes'))}`,
);
console.log(JSON.stringify(line));
const isMet =
  line.wrong > 0 &&
  line.right_eliminated === 0 &&
  line.eliminated >= 0.85 * asked &&
  line.eliminated >= 2 * line.baseline_eliminated;
process.exitCode = isMet ? 0 : 1;
