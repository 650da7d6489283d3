// `npm run check:falsify`: which share of false hypotheses about observed state the evidence pack strikes out, beside a raw trace cut to its size.
import { WRONG } from './faults/make-hypotheses.ts';
import { type DiagnosisFigures, measureDiagnosis } from './faults/measure-diagnosis.ts';
import { runOnFaults } from './faults/run-on-faults.ts';

const measured = await runOnFaults({ name: 'diagnosis', perPackage: 10, measure: measureDiagnosis });
const sum = (of: (figures: (typeof measured)[number]['result']) => number | undefined) =>
  measured.reduce((total, { result }) => total + (of(result) ?? 0), 0);
type Bytes = number | undefined;
/** Middle one of the shares of a pack in the whole trace, and how many there are. */
const middleOf = (pack: (figures: DiagnosisFigures) => Bytes, whole: 'raw_bytes' | 'event_bytes') => {
  const shares = measured
    .flatMap(({ result }) => {
      const [part, all] = [pack(result), result[whole]];
      return part === undefined || !all ? [] : [part / all];
    })
    .sort((a, b) => a - b);
  return { share: Number((shares[Math.floor(shares.length / 2)] ?? 0).toFixed(5)), packs: shares.length };
};
const judged = ({ hypotheses }: DiagnosisFigures) => hypotheses?.pack_bytes;
const shown = ({ pack_bytes }: DiagnosisFigures) => pack_bytes;
const { share: median_pack_share, packs } = middleOf(judged, 'raw_bytes');
const line = {
  wrong: sum(({ hypotheses }) => hypotheses?.wrong),
  eliminated: sum(({ hypotheses }) => hypotheses?.eliminated),
  baseline_eliminated: sum(({ hypotheses }) => hypotheses?.baseline_eliminated),
  right: sum(({ hypotheses }) => hypotheses?.right),
  right_eliminated: sum(({ hypotheses }) => hypotheses?.right_eliminated),
  median_pack_share,
};
const silent = measured.filter(({ result }) => (result.hypotheses?.wrong ?? 0) === 0).length;
const asked = WRONG * measured.length;
console.log(`${measured.length} faults, ${packs} of them with a pack`);
console.log(
  `${silent} of them gave no false hypothesis, since nothing with a second value was observed near the fault: counted as not struck out, ${line.eliminated} of ${asked}`,
);
console.log(
  `median share of the pack that judges, which shows the points in question, in the trace with all locals at each step ${median_pack_share}, in the events that H records ${middleOf(judged, 'event_bytes').share}`,
);
console.log(
  `of the pack that h diagnose wrote without hypotheses ${middleOf(shown, 'raw_bytes').share} and ${middleOf(shown, 'event_bytes').share}`,
);
console.log(
  `${line.right} right hypotheses come from a second observation of the failing test, which the judge does not see; of ${measured.length - line.right} faults there is none`,
);
const open = new Map<string, number>();
for (const { result } of measured)
  for (const [why, count] of Object.entries(result.hypotheses?.open ?? {})) open.set(why, (open.get(why) ?? 0) + count);
console.log(`wrong ones that stay open: ${[...open].map(([why, count]) => `${count} ${why}`).join(', ') || 'none'}`);
console.log(JSON.stringify(line));
const isMet =
  line.wrong > 0 &&
  line.right > 0 &&
  line.right_eliminated === 0 &&
  line.eliminated >= 0.85 * asked &&
  line.eliminated >= 2 * line.baseline_eliminated;
process.exitCode = isMet ? 0 : 1;
