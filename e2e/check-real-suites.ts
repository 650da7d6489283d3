// `npm run check:real-suites [-- names…]`: published packages with their own tests, run by their own runner and by H, plainly and with coverage.
// The outcome of every test must be the same three times. Without names all of them; `--ci` takes those that CI runs. The last line is JSON:
// {packages, tests, mismatches}; exit code 1 for a mismatch, 2 where the registries cannot be reached and nothing was tested.
import type { TestOutcome, TestRunReport } from '@h/contracts';
import { runTests } from '@h/test-runners';
import { javascriptPackages } from './real-packages/javascript.ts';
import { obtainPackage, RegistryUnreachable } from './real-packages/obtain-package.ts';
import { openPackage } from './real-packages/open-package.ts';
import { pythonPackages } from './real-packages/python.ts';
import type { ObtainedPackage, RealPackage } from './real-packages/real-package.ts';
import { runOwnRunner } from './real-packages/run-own-runner.ts';

const asked = process.argv.slice(2);
const names = asked.filter((word) => !word.startsWith('--'));
const chosen = [...pythonPackages, ...javascriptPackages].filter(
  (pin) => (names.length === 0 || names.includes(pin.name)) && (!asked.includes('--ci') || pin.inCi === true),
);
/** Mismatches listed per package. */
const SHOWN = 20;
const total = { packages: 0, tests: 0, mismatches: 0 };
const untested: string[] = [];

for (const pin of chosen) {
  try {
    await check(await obtainPackage(pin));
    total.packages += 1;
  } catch (error) {
    if (!(error instanceof RegistryUnreachable)) throw error;
    untested.push(pin.name);
    console.error(`${pin.name} is untested, the registry cannot be reached: ${error.message}`);
  }
}
if (untested.length > 0) console.log(`untested without a network: ${untested.join(', ')}`);
console.log(JSON.stringify(total));
process.exitCode = total.mismatches > 0 ? 1 : total.packages === 0 ? 2 : 0;

async function check(obtained: ObtainedPackage): Promise<void> {
  const { pin } = obtained;
  const own = await runOwnRunner(obtained);
  const open = await openPackage(obtained);
  try {
    const plain = await runTests(open.detection, open.host);
    const covered = await runTests(open.detection, open.host, { coverage: true });
    const problems = [
      ...compare(pin, own.outcomes, plain, 'plain'),
      ...compare(pin, own.outcomes, covered, 'with coverage'),
    ];
    const kinds = [...new Set(own.outcomes.values())];
    const said = kinds
      .map((kind) => `${[...own.outcomes.values()].filter((one) => one === kind).length} ${kind}`)
      .join(', ');
    const lines = covered.tests.filter(({ coverage }) => coverage !== undefined && coverage.length > 0).length;
    console.log(
      `${pin.name} ${pin.version} (${own.runner}): ${own.outcomes.size} tests: ${said}; ${lines} with statements; ${problems.length} mismatches`,
    );
    for (const problem of problems.slice(0, SHOWN)) console.log(`  ${problem}`);
    total.tests += own.outcomes.size;
    total.mismatches += problems.length;
  } finally {
    await open.close();
  }
}

/** Where the report differs from what the runner itself said, test for test. */
function compare(
  { unstable = {} }: RealPackage,
  own: ReadonlyMap<string, TestOutcome>,
  report: TestRunReport,
  how: string,
): string[] {
  const ours = new Map(report.tests.map(({ test, outcome }) => [test, outcome]));
  const problems: string[] = [];
  for (const test of new Set([...own.keys(), ...ours.keys()])) {
    const [theirs, mine] = [own.get(test) ?? 'missing', ours.get(test) ?? 'missing'];
    if (theirs === mine || Object.keys(unstable).some((end) => test.endsWith(end))) continue;
    const why = report.tests.find((result) => result.test === test)?.failure?.message.split('\n', 1)[0] ?? '';
    problems.push(`${how}: ${test}: ${theirs}, ours ${mine} ${why}`);
  }
  if (own.size === 0) problems.push(`${how}: the runner itself reported no test`);
  if (ours.size === 0) problems.push(`${how}: ${JSON.stringify(report.collection_errors)} ${report.notes?.join('; ')}`);
  return problems;
}
