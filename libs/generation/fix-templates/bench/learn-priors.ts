// Learns the priors of all kinds of changes from injected faults and writes src/prior-table.ts. `npm run learn`.
import { writeFileSync } from 'node:fs';
import { createParser } from '@h/syntax';
import { learnPriors, rankAllFaults, reportOrder } from './prior-study.ts';

const PER_KIND = 6;

const parser = await createParser();
const faults = rankAllFaults(parser, PER_KIND);
const priors = learnPriors(faults);
const rows = [...priors].sort(([left], [right]) => (left < right ? -1 : 1));
const lines = rows.map(([kind, prior]) => `  '${kind}': ${prior},`);
const text = `// Written by \`npm run learn -w @h/fix-templates\` (bench/learn-priors.ts): do not edit.
export const PRIOR_TABLE: Readonly<Record<string, number>> = {
${lines.join('\n')}
};
`;
writeFileSync(new URL('../src/prior-table.ts', import.meta.url), text);
console.log(JSON.stringify({ work: 'kinds with a prior', kinds: rows.length }));
for (const row of reportOrder(faults)) console.log(JSON.stringify(row));
parser.dispose();
