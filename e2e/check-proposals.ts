// `npm run check:proposals`: where in budget order the original text of a fault stands among what is proposed, and beside it what a part of the order
// alone would give. Diagnoses are kept, and nothing is executed after them: the quick way to see what a change of templates or of their order does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createParser } from '@h/syntax';
import { describeOrderings, orderingFigures, shareOf } from './faults/describe-orderings.ts';
import { faultPackages, learningPackages } from './faults/fault-packages.ts';
import { keepDiagnosis, type Placed, placeOriginal } from './faults/measure-proposals.ts';
import { runOnFaults } from './faults/run-on-faults.ts';
import { obtainPackage } from './real-packages/obtain-package.ts';

/** Packages that no check judges by, to work on templates with. */
const isLearning = process.argv.includes('--learning');
if (isLearning) process.argv.splice(process.argv.indexOf('--learning'), 1);
const packages = isLearning ? learningPackages : faultPackages;
const measured = await runOnFaults({ name: 'proposals', perPackage: 10, packages, measure: keepDiagnosis });
const parser = await createParser();
const placed: { language: string; at: Placed }[] = [];
for (const { fault, result } of measured) {
  const pin = packages.find(({ name }) => name === fault.package);
  if (pin === undefined || result.targets === undefined) continue;
  const { folder } = await obtainPackage(pin);
  const at = placeOriginal(fault, result, parser, (path) => readFileSync(join(folder, path), 'utf8'));
  placed.push({ language: fault.language === 'python' ? 'Python' : 'JavaScript and TypeScript', at });
  const position = at.positions?.['both and failure'];
  console.error(
    `${fault.id} ${fault.kind} ${fault.file}:${fault.line}: statement ${at.target ?? 'not ranked'}, ${at.template ?? 'original not proposed'} ${position ?? ''}`,
  );
}
parser.dispose();
for (const language of ['Python', 'JavaScript and TypeScript', 'all']) {
  const rows = placed.filter((one) => language === 'all' || one.language === language).map(({ at }) => at);
  const proposed = shareOf(rows.filter(({ positions }) => positions !== undefined).length, rows.length);
  console.log(`${language}: ${rows.length} faults, original proposed ${proposed}`);
  console.log(describeOrderings(rows));
}
const all = placed.map(({ at }) => at);
const proposed = shareOf(all.filter(({ positions }) => positions !== undefined).length, all.length);
const byOrdering = orderingFigures(all).map(([ordering, one]) => [ordering.replaceAll(' ', '_'), one] as const);
console.log(JSON.stringify({ faults: all.length, proposed, ...Object.fromEntries(byOrdering) }));
