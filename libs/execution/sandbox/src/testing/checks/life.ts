import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConformanceTrial, Trial } from '../trial.ts';

const SETTLE_MS = 100;
/** How long after a result a place may take to be ended. */
const DROP_MS = 2000;
/** A child in the background whose arguments hold the mark; it ends by itself at last. */
const LEAVE =
  '/bin/sh -c \'i=0; while [ $i -lt 20 ]; do sleep 1; i=$((i+1)); done\' "$(cat mark)" & readlink /proc/self/ns/pid; wait';
/** Processes with the mark of a file in their arguments, `grep` having none. */
const LOOK = 'readlink /proc/self/ns/pid; command -v grep >/dev/null && grep -l -F -f mark /proc/[0-9]*/cmdline; :';

/** When a run settles, and what is possible afterwards. */
export const LIFE_TRIALS: readonly ConformanceTrial[] = [
  {
    name: 'deadline',
    promise: 'A run ends at its wall limit and settles within 100 ms of it, also where the command ignores signals.',
    async run(trial) {
      const rest = await trial.restMs();
      const begin = performance.now();
      const { ended_by } = await trial.sh('trap "" TERM INT HUP; while :; do sleep 60; done', {
        policy: { wall_ms: 1000 },
      });
      trial.same('the end', ended_by, 'wall_limit');
      within(trial, 'the run settled', performance.now() - begin, 1000 + rest + SETTLE_MS);
    },
  },
  {
    name: 'held_output',
    promise: 'A child in the background that holds the output does not hold up the result.',
    async run(trial) {
      const rest = await trial.restMs();
      const begin = performance.now();
      const { ended_by, exit_code, stdout } = await trial.sh('sleep 15 & echo done; exit 0');
      trial.same('the end', [ended_by, exit_code, stdout.text], ['exit', 0, 'done\n']);
      within(trial, 'the run settled', performance.now() - begin, rest + 2000);
    },
  },
  {
    name: 'nothing_survives',
    promise: 'Of a run that was cut at its wall limit no process goes on: the next run sees none.',
    async run(trial) {
      const files = { mark: `h-conformance-${randomUUID()}` };
      const cut = await trial.sh(LEAVE, { files, policy: { wall_ms: 1000 } });
      trial.same('the end', cut.ended_by, 'wall_limit');
      const space = cut.stdout.text.trim();
      if (space === '') trial.skip('there is no /proc over there, or output of a run that is cut is lost');
      const begin = performance.now();
      for (;;) {
        const [seen = '', ...alive] = (await trial.sh(LOOK, { files })).stdout.text.trim().split('\n');
        if (seen !== space) trial.skip('a run cannot see the processes of another, so none that goes on either');
        if (alive.length === 0) return;
        if (performance.now() - begin > DROP_MS + trial.slackMs) trial.fail(`${alive.length} of its processes go on`);
        await sleep(SETTLE_MS);
      }
    },
  },
  {
    name: 'cancelled_before',
    promise: 'A run that is cancelled before it begins starts nothing.',
    async run({ sh, same }) {
      const result = await sh('echo ran > ran', {
        observe: { signal: AbortSignal.abort() },
        request: { collect: ['ran'] },
      });
      same('the end', [result.ended_by, result.files, result.stdout.observed_bytes], ['cancelled', [], 0]);
    },
  },
  {
    name: 'cancelled_during',
    promise: 'A run settles within 100 ms of its cancellation, and the executor goes on to work.',
    async run(trial) {
      const rest = await trial.restMs();
      for (const afterMs of [0, rest / 2, rest + 500]) {
        const controller = new AbortController();
        const running = trial.sh('trap "" TERM; sleep 30; sleep 30', { observe: { signal: controller.signal } });
        running.catch(() => undefined);
        await sleep(afterMs);
        const begin = performance.now();
        controller.abort();
        const { ended_by, files } = await running;
        within(trial, 'a cancelled run settled', performance.now() - begin, SETTLE_MS);
        trial.same('the end', [ended_by, files], ['cancelled', []]);
      }
      const { ended_by, stdout } = await trial.sh('echo still here');
      trial.same('a run afterwards', [ended_by, stdout.text], ['exit', 'still here\n']);
    },
  },
  {
    name: 'concurrency',
    promise:
      'As many runs go on at once as the executor says; more are served all the same, none mixed up with another.',
    async run(trial) {
      const { concurrency } = trial.executor.capabilities;
      if (!Number.isInteger(concurrency) || concurrency < 1) trial.fail(`it says ${concurrency}`);
      const some = Math.min(concurrency, 4);
      let most = 0;
      // A machine that is busy may begin them one by one; an executor that has them wait always does.
      for (let turn = 0; turn < 3 && most < some; turn += 1)
        most = Math.max(most, mostAtOnce(await runMany(trial, some)));
      if (most < some) trial.fail(`${most} of ${some} runs went on at once`);
      await runMany(trial, concurrency + 2);
    },
  },
];

type Span = readonly [begin: number, end: number];

/** When each of the runs began and ended by its own clock, in nanoseconds. */
async function runMany(trial: Trial, count: number): Promise<Span[]> {
  const script = 'cat a.txt; date +%s%N; sleep 1; date +%s%N; cat a.txt';
  const runs = Array.from({ length: count }, (_, index) =>
    trial.sh(script, { files: { 'a.txt': `${index}\n` }, request: { ordinal: index } }),
  );
  return (await Promise.all(runs)).map(({ stdout }, index) => {
    const [first, begin = '', end = '', last] = stdout.text.split('\n');
    trial.same(`the output of run ${index}`, [first, last], [String(index), String(index)]);
    if (!/^\d{12,}$/.test(begin)) trial.skip('`date` tells no parts of seconds over there');
    return [Number(begin), Number(end)] as const;
  });
}

function mostAtOnce(spans: readonly Span[]): number {
  return Math.max(...spans.map(([at]) => spans.filter(([begin, end]) => begin <= at && at < end).length));
}

function within({ fail, slackMs }: Trial, what: string, tookMs: number, mostMs: number): void {
  if (tookMs > mostMs + slackMs) fail(`${what} after ${Math.round(tookMs)} ms, ${Math.round(mostMs)} allowed`);
}
