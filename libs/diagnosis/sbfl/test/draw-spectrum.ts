import { formatLines, type Spectrum, type SpectrumStatement, type TestOutcome } from '@h/contracts';

const outcomes: Readonly<Record<string, TestOutcome>> = {
  F: 'failed',
  E: 'error',
  T: 'timeout',
  P: 'passed',
  S: 'skipped',
  N: 'not_run',
  x: 'xfailed',
  X: 'xpassed',
};
const kinds: Readonly<Record<string, SpectrumStatement['kind']>> = { import: 'import', def: 'definition' };

/**
 * A spectrum as a drawing: the first line names outcomes, one column a test (`F1 P1 …`); each further line a statement `file:line`, a mark
 * per test that executed it, and `import` or `def` where it is one.
 */
export function drawSpectrum(drawing: string): Spectrum {
  const [head = '', ...rows] = drawing
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const ids = head.split(/\s+/);
  const cells = rows.map((row) => row.split(/\s+/));
  const statements = cells.map(([location = '', ...marks]): SpectrumStatement => {
    const line = Number(location.split(':')[1]);
    return {
      file: location.split(':')[0] ?? '',
      first: line,
      last: line,
      kind: kinds[marks[ids.length] ?? ''] ?? 'statement',
    };
  });
  return {
    tests: ids.map((id) => ({ id, outcome: outcomes[id[0] ?? ''] ?? 'passed' })),
    statements,
    hits: ids.map((_, test) => formatLines(cells.flatMap((row, index) => (row[test + 1] === 'x' ? [index] : [])))),
  };
}
