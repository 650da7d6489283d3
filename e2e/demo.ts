// `npm run demo`: the real `h run` on two fixtures, and what came out of it against what is known about their faults.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RunSummary } from '@h/contracts';
import { execa } from 'execa';
import { type Fixture, loadFixtures } from './load-fixtures.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = fileURLToPath(new URL('../.h/demo', import.meta.url));

/** Runs `h` from source, as `npx h` would run the built one. */
function h(...args: string[]) {
  const cli = fileURLToPath(new URL('../libs/compose/pipeline/src/cli.ts', import.meta.url));
  return execa(process.execPath, ['--conditions=@h/source', '--import', 'tsx', cli, ...args], {
    cwd: root,
    reject: false,
    stderr: 'inherit',
  });
}

async function show(fixture: Fixture): Promise<boolean> {
  const dir = `${out}/${fixture.name}`;
  console.log(`\n── ${fixture.name} (${fixture.language}, ${fixture.runner}) ──\n${fixture.story}\n`);
  console.log(`$ h run --repo fixtures/${fixture.name}/repo --out .h/demo/${fixture.name} --json`);
  const { exitCode, stdout } = await h('run', '--repo', fixture.repo, '--out', dir, '--json');
  if (exitCode !== 0) {
    console.log(`exit code ${exitCode}\n${stdout}`);
    return false;
  }
  const answer = JSON.parse(stdout) as { data: RunSummary; dir: string };
  print(fixture, answer.data, answer.dir.replace(root, ''));
  return true;
}

function print(fixture: Fixture, summary: RunSummary, dir: string): void {
  const { tests, localization, candidates, observation, patches, isolation } = summary;
  const fault = `${fixture.fault.file}:${fixture.fault.line}`;
  const place = localization?.top.find(({ location }) => location === fault);
  const best = patches[0];
  const rows = [
    ['isolation', [isolation.backend, ...isolation.downgrades].join('; ')],
    ['tests', `${tests.total}: ${tests.passed} passed, ${tests.failing.length} failing`],
    [
      'faulty statement',
      `${fault}, rank ${place?.rank ?? 'beyond 50'}, ${place?.tie_size ?? '?'} tied with it, of ${localization?.statements ?? 0}`,
    ],
    ['first divergence', divergence(summary)],
    [
      'evidence pack',
      observation === undefined
        ? 'none'
        : `${observation.pack_observations} observations, ${observation.pack_bytes} bytes, of ${observation.raw_events} raw events, ${observation.raw_bytes} bytes`,
    ],
    [
      'candidates',
      `${candidates?.proposed} proposed, ${candidates?.parsing} parsing, ${candidates?.distinct} distinct, ${candidates?.plausible} plausible (${candidates?.executions} test runs)`,
    ],
    [
      'ledger',
      best === undefined
        ? 'none'
        : `${best.regression_status}: ${best.obligations} obligations, ${best.untested_obligations} untested, ${best.unexpected_differences} unexpected differences`,
    ],
    ['patch', best === undefined ? 'none' : `${dir}/${best.file}`],
    ['report', `${dir}/summary.md`],
  ];
  for (const [name, value] of rows) console.log(`${String(name).padEnd(17)} ${value}`);
}

function divergence({ observation }: RunSummary): string {
  const first = observation?.first_divergence;
  if (first === undefined) return `none (${observation?.reason ?? 'not observed'})`;
  return `${first.location} \`${first.text}\`\n${' '.repeat(18)}passing: ${shorten(first.passing)}\n${' '.repeat(18)}failing: ${shorten(first.failing)}`;
}

function shorten(value: string): string {
  return value.length <= 120 ? value : `${value.slice(0, 120)}…`;
}

rmSync(out, { recursive: true, force: true });
/** One unittest and one TypeScript project. */
const chosen = ['meter-billing-py', 'bank-import-ts'].flatMap((name) =>
  loadFixtures().filter((one) => one.name === name),
);
let allRight = true;
for (const fixture of chosen) allRight = (await show(fixture)) && allRight;
process.exitCode = allRight ? 0 : 1;
