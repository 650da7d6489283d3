// Runs that must end and the death of the supervisor: is anything left?
//   npm run check:survivors -- [--deadlines 1000] [--kills 200] [--backend auto] [--at-once 4] [--shape NAME]
// Last line: {"deadline_runs":…,"deadline_survivors":…,"kill_runs":…,"kill_survivors":…}. Ends with 1 where something is left.
import { parseArgs } from 'node:util';
import type { BackendName } from '../src/index.ts';
import { runDeadlines } from './survivors/run-deadlines.ts';
import { runKills } from './survivors/run-kills.ts';

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'auto' },
    deadlines: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '200' },
    shape: { type: 'string' },
    'at-once': { type: 'string', default: '4' },
  },
});
const atOnce = Number(values['at-once']);
const backend = values.backend as BackendName | 'auto';

const only = values.shape === undefined ? {} : { only: values.shape };

const deadlines = await runDeadlines({ backend, runs: Number(values.deadlines), atOnce, ...only });
console.log(`deadline runs on ${deadlines.backend}: ${describe(deadlines.byShape)}`);
const tell = ({ p50, p99, max }: typeof deadlines.settled) => `p50 ${p50}, p99 ${p99}, max ${max}`;
console.error(
  `ms past the wall limit: processes ended ${tell(deadlines.ended)}; promise settled, start-up counted in, ${tell(deadlines.settled)}`,
);
const kills = await runKills({
  backend,
  runs: Number(values.kills),
  atOnce: Math.max(1, Math.floor(atOnce / 2)),
  ...only,
});
console.log(
  `kill runs: ${describe(kills.byShape)}; last process gone after, ms: p50 ${kills.gone.p50}, max ${kills.gone.max}`,
);
for (const each of [...deadlines.left, ...kills.left]) console.log(`left: ${each}`);
const summary = {
  deadline_runs: deadlines.runs,
  deadline_survivors: deadlines.survivors,
  kill_runs: kills.runs,
  kill_survivors: kills.survivors,
};
console.log(JSON.stringify(summary));
const whole = summary.deadline_runs === Number(values.deadlines) && summary.kill_runs === Number(values.kills);
process.exitCode = whole && summary.deadline_survivors === 0 && summary.kill_survivors === 0 ? 0 : 1;

function describe(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
