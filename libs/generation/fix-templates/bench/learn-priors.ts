// Learns the priors of all kinds of changes from injected faults and writes src/prior-table.ts. `npm run learn`: four minutes.
// `npm run learn -- kinds` prints every kind of fault, too, `-- ranks` the rank rule beside others; `-- dry` writes no table; `-- kept` takes the proposals of the last time.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createParser } from '@h/syntax';
import { EARLIER_PRIORS } from './earlier-priors.ts';
import { learnPriors, rankAllFaults, reportKinds, reportOrder, reportRanks } from './prior-study.ts';
import { type KeptFaults, keepFaults, type RankedFault, restoreFaults } from './rank-faults.ts';
import { readOwnPrograms, readPackageFiles } from './read-programs.ts';

const PER_KIND_OF_OWN = 2;
const PER_KIND_OF_PACKAGES = 1;

const print = (row: Record<string, unknown>) => console.log(JSON.stringify(row));
const kept = new URL('../../../../.h/fix-templates/faults.json', import.meta.url);
const isGiven = (word: string) => process.argv.includes(word);

async function proposeForFaults(): Promise<RankedFault[]> {
  const parser = await createParser();
  const { programs, missing } = readPackageFiles();
  const packages = new Set(programs.map(({ group }) => group)).size;
  print({ work: 'programs', own: readOwnPrograms().length, package_files: programs.length, packages, missing });
  const ranked = [
    ...rankAllFaults(readOwnPrograms(), parser, PER_KIND_OF_OWN),
    ...rankAllFaults(programs, parser, PER_KIND_OF_PACKAGES),
  ];
  parser.dispose();
  mkdirSync(new URL('.', kept), { recursive: true });
  writeFileSync(kept, JSON.stringify(keepFaults(ranked)));
  return ranked;
}

const faults =
  isGiven('kept') && existsSync(kept)
    ? restoreFaults(JSON.parse(readFileSync(kept, 'utf8')) as KeptFaults)
    : await proposeForFaults();
const WIDTH = 120;

/** One entry a template, its variants on as few lines as hold them. */
function tableOf(sorted: readonly (readonly [kind: string, prior: number])[]): string {
  const templates = new Map<string, string[]>();
  for (const [kind, prior] of sorted) {
    // Variants are named after operators, too: `to//`.
    const at = kind.indexOf('/');
    const template = kind.slice(0, at);
    templates.set(template, [...(templates.get(template) ?? []), `'${kind.slice(at + 1)}': ${prior},`]);
  }
  return [...templates]
    .map(([template, entries]) => {
      const lines = ['   '];
      for (const entry of entries) {
        const line = `${lines.at(-1)} ${entry}`;
        if (line.length <= WIDTH) lines[lines.length - 1] = line;
        else lines.push(`    ${entry}`);
      }
      return `  '${template}': {\n${lines.join('\n')}\n  },`;
    })
    .join('\n');
}

const priors = learnPriors(faults);
const rows = [...priors].sort(([left], [right]) => (left < right ? -1 : 1));
const text = `// Written by \`npm run learn -w @h/fix-templates\` (bench/learn-priors.ts): do not edit. By template and variant.
// biome-ignore format: a table
export const PRIOR_TABLE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
${tableOf(rows)}
};
`;
if (!isGiven('dry')) writeFileSync(new URL('../src/prior-table.ts', import.meta.url), text);
print({ work: 'kinds with a prior', kinds: rows.length, faults: faults.length });
for (const row of reportOrder(faults, EARLIER_PRIORS)) print(row);
if (isGiven('ranks')) for (const row of reportRanks(faults)) print(row);
if (isGiven('kinds')) for (const row of reportKinds(faults)) print(row);
