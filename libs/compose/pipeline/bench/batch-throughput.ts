// Candidates per second through the sandbox, in a batch and one run each: real fixtures, candidates from templates. One JSON line per fixture.
// `npm run bench -- validate` prints it; it stands here because only this library knows the stages it takes.
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Executor, editTree } from '@h/contracts';
import { createSuiteRunner } from '@h/test-runners';
import { diagnoseFailure } from '../src/diagnose-failure.ts';
import { openSession } from '../src/open-session.ts';
import { proposeCandidates } from '../src/propose-candidates.ts';

const root = join(import.meta.dirname, '../../../..');
const CANDIDATES = 40;
const ALONE = 8;

for (const name of ['meter-billing-py', 'room-booking-py', 'http-cache-js', 'bank-import-ts']) await measure(name);

async function measure(name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'h-batch-'));
  const repo = join(folder, 'repo');
  cpSync(join(root, 'fixtures', name, 'repo'), repo, { recursive: true });
  if (name === 'bank-import-ts') symlinkSync(join(root, 'node_modules'), join(repo, 'node_modules'));
  const session = await openSession({ repo, out: join(folder, 'out'), environment: process.env });
  try {
    const outcome = await diagnoseFailure(session, {});
    if (outcome.status === 'nothing_failing') throw new Error(`nothing fails in ${name}`);
    const { baseline, failing } = outcome.diagnosis;
    const { candidates } = await proposeCandidates(session, outcome.diagnosis, { limit: CANDIDATES });
    const work = { ms: 0 };
    const host = { ...session.host, executor: metered(session.host.executor, work) };
    const suite = createSuiteRunner(session.suite, host, { baseline });
    const command = suite.plan(failing);
    const changes = candidates.map((one) => one.changes);
    const batch = await timed(work, () => suite.runBatch(command, host.tree, changes));
    if (batch.result.reports.includes(undefined)) throw new Error(`not all of ${name} ran: ${batch.result.notes}`);
    const alone = await timed(work, async () => {
      for (const one of changes.slice(0, ALONE))
        await suite.runTests(command, await editTree(host.tree, one, host.artifacts));
    });
    const [ours, peer] = [batch.ms / changes.length, alone.ms / ALONE];
    const row = {
      work: `failing tests of a candidate, ${session.detection.runner}, batch of ${changes.length}: ${name}`,
    };
    const cpu = { ours_cpu_ms: round(batch.cpu / changes.length), peer_cpu_ms: round(alone.cpu / ALONE) };
    const rates = { ours_per_second: round(1000 / ours), peer_per_second: round(1000 / peer) };
    console.log(
      JSON.stringify({
        ...{ ...row, ours_ms: round(ours), peer: 'a run of its own', peer_ms: round(peer), ratio: round(ours / peer) },
        ...{ ...rates, ...cpu },
      }),
    );
  } finally {
    await session.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds up what runs take of the processor, where the sandbox can say it. */
function metered(executor: Executor, work: { ms: number }): Executor {
  return {
    capabilities: executor.capabilities,
    async run(request, options) {
      const result = await executor.run(request, options);
      work.ms += result.cpu_ms ?? 0;
      return result;
    },
  };
}

async function timed<T>(
  work: { ms: number },
  action: () => Promise<T>,
): Promise<{ result: T; ms: number; cpu: number }> {
  const [before, start] = [work.ms, performance.now()];
  const result = await action();
  return { result, ms: performance.now() - start, cpu: work.ms - before };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
