// `npm run check:falsify`: which share of false hypotheses about observed state the evidence pack strikes out, beside a raw trace cut to its size.
import { WRONG } from './faults/make-hypotheses.ts';
import { measureDiagnosis } from './faults/measure-diagnosis.ts';
import { runOnFaults } from './faults/run-on-faults.ts';

const measured = await runOnFaults({ name: 'diagnosis', perPackage: 10, measure: measureDiagnosis });
const sum = (of: (figures: (typeof measured)[number]['result']) => number | undefined) =>
  measured.reduce((total, { result }) => total + (of(result) ?? 0), 0);
const shares = measured
  .flatMap(({ result: { pack_bytes, raw_bytes } }) =>
    pack_bytes === undefined || !raw_bytes ? [] : [pack_bytes / raw_bytes],
  )
  .sort((a, b) => a - b);
const line = {
  wrong: sum(({ hypotheses }) => hypotheses?.wrong),
  eliminated: sum(({ hypotheses }) => hypotheses?.eliminated),
  baseline_eliminated: sum(({ hypotheses }) => hypotheses?.baseline_eliminated),
  right: sum(({ hypotheses }) => hypotheses?.right),
  right_eliminated: sum(({ hypotheses }) => hypotheses?.right_eliminated),
  median_pack_share: Number((shares[Math.floor(shares.length / 2)] ?? 0).toFixed(5)),
};
const silent = measured.filter(({ result }) => (result.hypotheses?.wrong ?? 0) === 0).length;
const asked = WRONG * measured.length;
console.log(`${measured.length} faults, ${shares.length} of them with a pack`);
console.log(
  `${silent} of them gave no false hypothesis, since nothing with a second value was observed near the fault: counted as not struck out, ${line.eliminated} of ${asked}`,
);
console.log(JSON.stringify(line));
const isMet =
  line.wrong > 0 &&
  line.right_eliminated === 0 &&
  line.eliminated >= 0.85 * asked &&
  line.eliminated >= 2 * line.baseline_eliminated;
process.exitCode = isMet ? 0 : 1;
