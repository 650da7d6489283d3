import { parseLoc, type SpectrumReport, type TestId, type TestResult, type TestRunReport } from '@h/contracts';
import { parseLines } from '@h/contracts/line-sets';

/**
 * Which of several failing tests to observe: one that executes a statement of the highest score, of these the one that executes fewest statements, then
 * the order of the report. The shortest way to a failure leaves the least to explain (delta debugging's advice, without making new tests), and a
 * test whose work is done by another process executes next to nothing here. Undefined: none ends by itself.
 */
export function chooseFailing(
  report: TestRunReport,
  failing: readonly TestId[],
  { statements }: Pick<SpectrumReport, 'statements'>,
): TestResult | undefined {
  const [first] = statements;
  const top = statements.filter(({ score, tier }) => score === first?.score && tier === first.tier);
  const wanted = new Set(failing);
  const rated = report.tests
    .filter(({ test, outcome }) => wanted.has(test) && outcome !== 'timeout')
    .map((test) => ({ test, ...rate(test, top) }));
  return rated.sort((a, b) => Number(b.reaches) - Number(a.reaches) || a.executed - b.executed)[0]?.test;
}

function rate({ coverage = [] }: TestResult, top: SpectrumReport['statements']) {
  const lines = new Map(coverage.map(({ file, lines: text }) => [file, new Set(parseLines(text))]));
  const reaches = top.some(({ location }) => {
    const { file, line } = parseLoc(location);
    return lines.get(file)?.has(line) === true;
  });
  const executed = [...lines.values()].reduce((sum, { size }) => sum + size, 0);
  return { reaches, executed: executed === 0 ? Number.POSITIVE_INFINITY : executed };
}
