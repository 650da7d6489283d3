// `npm test`: one vitest run over every project. The last line is `N passed, N failed`, with a file that could not be
// loaded and an error outside any test each counted as one failure. A run without a single test fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTests } from './count-tests.ts';

const folder = mkdtempSync(join(tmpdir(), 'h-tests-'));
try {
  const report = join(folder, 'report.json');
  const { status } = spawnSync(
    'node_modules/.bin/vitest',
    // vitest leaves one processor free; most of these tests wait for processes
    [
      'run',
      '--maxWorkers=100%',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...process.argv.slice(2),
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const { passed, failed, skipped, broken } = countTests(readReport(report), status);
  for (const problem of broken) console.log(`not run: ${problem}`);
  if (skipped > 0) console.log(`${skipped} skipped`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function readReport(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // vitest ended before it wrote one; countTests counts that as a failure
  }
}
