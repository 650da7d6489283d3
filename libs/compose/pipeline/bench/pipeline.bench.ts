// What diagnosis costs above running the tests twice: both on the same project, interleaved, in one process.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runPipeline } from '../src/index.ts';

const ROUNDS = 7;
const fixture = fileURLToPath(new URL('../../../../fixtures/meter-billing-py/repo', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'h-bench-'));
const repo = join(scratch, 'repo');
cpSync(fixture, repo, { recursive: true });

async function milliseconds(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The bare runner; its failing tests make it exit with 1. */
function unittest(): void {
  try {
    execFileSync('python3', ['-m', 'unittest', 'discover', '-s', '.', '-t', '.'], { cwd: repo, stdio: 'ignore' });
  } catch {}
}

function unittestTwice(): void {
  unittest();
  unittest();
}

const diagnose = () => runPipeline({ command: 'diagnose', repo, out: join(scratch, 'out'), environment: process.env });
const ours: number[] = [];
const twice: number[] = [];
await diagnose();
for (let round = 0; round < ROUNDS; round += 1) {
  ours.push(await milliseconds(diagnose));
  twice.push(await milliseconds(unittestTwice));
}
rmSync(scratch, { recursive: true, force: true });

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const [h, bare] = [median(ours), median(twice)];
console.log(
  JSON.stringify({
    work: `diagnose meter-billing-py (35 tests, isolated, with coverage, ranked, recorded), median of ${ROUNDS}`,
    ours_ms: Math.round(h),
    peer: 'python3 -m unittest, twice, not isolated',
    peer_ms: Math.round(bare),
    ratio: Number((h / bare).toFixed(2)),
  }),
);
