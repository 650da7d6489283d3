// `npm run check:fixtures`: `h run` from the packed libraries on every fixture and every decoy. The last line is JSON:
// {fixtures, diagnosed, repaired, wrong}. Diagnosed: the fault is among the five highest ranks at worst, or its statement is in the gated
// pack. Repaired: a delivered patch passes the hidden tests. Wrong: a decoy that is not DIVERGENT, or a patch that fails the hidden
// tests and is called better than UNPROVEN.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunSummary, readEnvelope } from '@h/contracts';
import { execa } from 'execa';
import { packLibraries } from '../tools/pack-libraries.ts';
import { judgePatches, packageOf, worstRank } from './judge-fixture.ts';
import { type Fixture, loadFixtures } from './load-fixtures.ts';
import { withCopy } from './run-fixture.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'h-check-'));
const score = { fixtures: 0, diagnosed: 0, repaired: 0, wrong: 0 };

try {
  const h = await installH();
  for (const fixture of loadFixtures()) await checkFixture(h, fixture);
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(JSON.stringify(score));
process.exitCode = score.diagnosed === score.fixtures && score.wrong === 0 ? 0 : 1;

/** Path of the `h` command, installed from tarballs into an empty project. */
async function installH(): Promise<string> {
  const packed = packLibraries(root, join(work, 'tarballs'));
  const project = join(work, 'project');
  mkdirSync(project);
  const dependencies = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true, dependencies }));
  await execa('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: project });
  return join(project, 'node_modules/.bin/h');
}

async function checkFixture(h: string, fixture: Fixture): Promise<void> {
  const started = Date.now();
  const { summary, dir } = await runH(h, fixture, []);
  const { right, wrong } = await judgePatches(fixture, summary, dir);
  const rank = worstRank(dir, fixture);
  const inPack = isInPack(dir, fixture);
  const overrated = summary.patches.filter(
    ({ file, regression_status }) => wrong.includes(file) && regression_status === 'PROTECTED',
  );
  const missed: string[] = [];
  for (const decoy of fixture.decoys) {
    const file = join(work, 'decoy.json');
    writeFileSync(file, JSON.stringify(packageOf(decoy)));
    const judged = await runH(h, fixture, ['--candidates', file, '--no-observe']);
    if (judged.summary.patches.some(({ regression_status }) => regression_status !== 'DIVERGENT'))
      missed.push(decoy.name);
  }
  score.fixtures += 1;
  score.diagnosed += rank <= 5 || inPack ? 1 : 0;
  score.repaired += right.length > 0 ? 1 : 0;
  score.wrong += overrated.length + missed.length;
  const place =
    right[0] === undefined
      ? ''
      : ` (${summary.patches.findIndex(({ file }) => file === right[0]) + 1} of ${summary.patches.length})`;
  const found = [
    `fault at worst rank ${rank}`,
    inPack ? 'in the pack' : 'not in the pack',
    summary.observation?.first_divergence?.location ?? summary.observation?.reason ?? 'not observed',
    right.length > 0 ? `repaired${place}` : fixture.repairable ? 'NOT repaired' : 'no patch claimed as right',
    `${wrong.length} other patches`,
    `${fixture.decoys.length - missed.length} of ${fixture.decoys.length} decoys DIVERGENT`,
  ];
  console.log(`${fixture.name.padEnd(20)} ${found.join(', ')} (${Math.round((Date.now() - started) / 1000)} s)`);
}

function isInPack(dir: string, { fault }: Fixture): boolean {
  try {
    const pack = readEnvelope('EvidencePack', readFileSync(join(dir, 'evidence-pack.json'), 'utf8'));
    return pack.evidence_pack.some(({ location }) => location === `${fault.file}:${fault.line}`);
  } catch {
    return false; // the run says so: it has no pack
  }
}

async function runH(
  h: string,
  fixture: Fixture,
  args: readonly string[],
): Promise<{ summary: RunSummary; dir: string }> {
  return withCopy(fixture, async (repo) => {
    const out = join(work, fixture.name);
    const result = await execa(h, ['run', '--repo', repo, '--out', out, '--json', '--quiet', ...args], {
      reject: false,
    });
    if (result.stdout === '')
      throw new Error(`h run on ${fixture.name} ended with ${result.exitCode}:\n${result.stderr}`);
    const { data, dir } = JSON.parse(result.stdout) as { data: RunSummary; dir: string };
    return { summary: data, dir };
  });
}
