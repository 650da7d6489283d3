// One JSON line a row. Runs alternate, so that the load of the machine weighs on both alike.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionRequest, editTree, memoryArtifacts, putTree, type Sha } from '@h/contracts';
import { createSandboxUnder } from '../src/create-sandbox.ts';
import { createSandbox, defaultPolicy, type Sandbox } from '../src/index.ts';
import { ownScratch } from '../src/workspace/own-scratch.ts';
import { createMaterialiser } from '../src/workspace/prepare-workspace.ts';

const ROUNDS = 16;
const SETTLE_MS = 40;
const BURST = 10;
const CANDIDATES = 30;
const BATCH = 10;
const BWRAP =
  '--unshare-all --die-with-parent --new-session --clearenv --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --proc /proc --dev /dev --tmpfs /tmp true';

// What a run under the util-linux backend has around it, without mounts of its own.
const UNSHARE =
  '--user --map-root-user --mount --pid --fork --kill-child --ipc --uts --net --mount-proc -- setpriv --no-new-privs --bounding-set=-all --inh-caps=-all -- true';

/** Files on a disk would measure the disk, and who else uses it. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const artifacts = memoryArtifacts();
const encoder = new TextEncoder();
const policy = defaultPolicy({ wall_ms: 10_000 });

function quantile(times: number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

async function alternate(
  rounds: number,
  works: Record<string, () => Promise<unknown>>,
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(works)) {
      // The preparation of the next run is not to fall into a peer's time.
      await sleep(SETTLE_MS);
      const begin = performance.now();
      await work();
      times[name]?.push(performance.now() - begin);
    }
  }
  return times;
}

function report(work: string, ours: number[], peer: string, theirs: number[]): void {
  const round = (value: number) => Math.round(value * 100) / 100;
  const row = {
    work,
    unit: 'ms',
    ours: { min: round(quantile(ours, 0)), p50: round(quantile(ours, 0.5)), p95: round(quantile(ours, 0.95)) },
    peer,
    theirs: { min: round(quantile(theirs, 0)), p50: round(quantile(theirs, 0.5)), p95: round(quantile(theirs, 0.95)) },
    ratio: round(quantile(ours, 0.5) / quantile(theirs, 0.5)),
  };
  console.log(JSON.stringify(row));
}

function plainSpawn(file: string, args: string[] = []): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.once('close', () => resolve());
  });
}

function requestOf(tree: Sha): ExecutionRequest {
  return {
    mode: 'verdict',
    argv: ['/bin/true'],
    cwd: '',
    policy,
    tree,
    artifact_version: tree,
    ordinal: 0,
    collect: [],
  };
}

/** A promise of the design, and whether this run of the bench keeps it. */
function judge(claim: string, ours: number, most: number): void {
  const round = (value: number) => Math.round(value * 100) / 100;
  console.log(JSON.stringify({ claim, unit: 'ms', ours: round(ours), most: round(most), held: ours <= most }));
}

async function benchOverhead(): Promise<void> {
  const tree = await putTree([], artifacts);
  const boxes: Record<string, Sandbox> = {
    confined: await createSandbox(policy, { artifacts, backend: 'bubblewrap' }),
    free: await createSandboxUnder(undefined, policy, { artifacts, backend: 'bubblewrap' }),
    spaces: await createSandbox(policy, { artifacts, backend: 'util-linux' }),
    plain: await createSandbox(policy, { artifacts, backend: 'plain' }),
  };
  const run = (name: string) => () => boxes[name]?.run(requestOf(tree)) ?? Promise.resolve();
  const peers = {
    spawn: () => plainSpawn('/bin/true'),
    bwrap: () => plainSpawn('bwrap', BWRAP.split(' ')),
    unshare: () => plainSpawn('unshare', UNSHARE.split(' ')),
  };
  for (const name of Object.keys(boxes)) await run(name)();
  const times = await alternate(ROUNDS, {
    ...peers,
    ...Object.fromEntries(Object.keys(boxes).map((name) => [name, run(name)])),
  });
  const of = (name: string) => times[name] ?? [];
  const rows = [
    ['bubblewrap, control groups', 'confined', ['spawn', 'bwrap']],
    ['bubblewrap, no control groups', 'free', ['bwrap']],
    ['util-linux, control groups', 'spaces', ['bwrap', 'unshare']],
    ['plain process, control groups', 'plain', ['spawn']],
  ] as const;
  for (const [work, name, against] of rows)
    for (const peer of against) report(`whole run() of true: ${work}`, of(name), `${peer} alone`, of(peer));
  // Of differences within a round: load that comes and goes weighs on both.
  const over = (name: string) =>
    quantile(
      of(name).map((time, round) => time - (of('bwrap')[round] ?? 0)),
      0.5,
    );
  judge('p50 of run() over bwrap alone, without control groups', over('free'), 2);
  judge('p50 of run() over bwrap alone, with control groups', over('confined'), 5);

  const burst = (work: () => Promise<unknown>) => async () => {
    for (let turn = 0; turn < BURST; turn += 1) await work();
  };
  const bursts = await alternate(2, {
    bwrap: burst(peers.bwrap),
    unshare: burst(peers.unshare),
    confined: burst(run('confined')),
    spaces: burst(run('spaces')),
  });
  const each = (name: string) => (bursts[name] ?? []).map((time) => time / BURST);
  report(`one of ${BURST} runs without a pause: bubblewrap`, each('confined'), 'bwrap alone', each('bwrap'));
  report(`one of ${BURST} runs without a pause: util-linux`, each('spaces'), 'unshare alone', each('unshare'));
  await Promise.all(Object.values(boxes).map((box) => box.close()));
}

const SIZES = [200, 1000, 3000, 8000, 20_000];

function makeFiles(): { path: string; text: string }[] {
  return Array.from({ length: 500 }, (_, index) => ({
    path: `src/p${index % 25}/q${index % 5}/file_${index}.py`,
    text: `# ${index}\n${'x = 1\n'.repeat((SIZES[index % SIZES.length] ?? 0) / 6)}`,
  }));
}

async function storeFiles(files: readonly { path: string; text: string }[]): Promise<Sha> {
  const entries = files.map(async ({ path, text }) => ({
    path,
    mode: 0o100644,
    sha: await artifacts.put(encoder.encode(text)),
  }));
  return putTree(await Promise.all(entries), artifacts);
}

/** Trees that differ from one another in one file, as candidates of a repair do: what the files they share cost a run. */
async function benchCandidates(): Promise<void> {
  const files = makeFiles();
  const base = await storeFiles(files);
  const empty = await putTree([], artifacts);
  const source = mkdtempSync(join(MEMORY, 'h-bench-'));
  writeFiles(source, files);
  const candidates: Sha[] = [];
  for (let index = 0; index < CANDIDATES; index += 1) {
    const bytes = encoder.encode(`# candidate ${index}\n`);
    const path = `src/p${index % 25}/q${index % 5}/file_${index}.py`;
    candidates.push(await editTree(base, [{ path, bytes }], artifacts));
  }
  for (const concurrency of [1, 2]) {
    // Each with processes made ready for trees of its own kind.
    const [full, bare] = [
      await createSandbox(policy, { artifacts, concurrency }),
      await createSandbox(policy, { artifacts, concurrency }),
    ];
    const left = [...candidates];
    const all = (sandbox: Sandbox, trees: readonly Sha[]) =>
      Promise.all(trees.map((tree) => sandbox.run(requestOf(tree))));
    let serial = 0;
    const copies = () => plainSpawn('cp', ['-r', source, `${source}-${serial++}`]);
    await Promise.all([all(full, [base, base]), all(bare, [empty, empty])]);
    const times = await alternate(CANDIDATES / BATCH, {
      candidates: () => all(full, left.splice(0, BATCH)),
      empty: () =>
        all(
          bare,
          Array.from({ length: BATCH }, () => empty),
        ),
      ...(concurrency === 1 && { copies }),
    });
    const each = (name: string) => (times[name] ?? []).map((time) => time / BATCH);
    const work = `one of ${CANDIDATES} candidates of a 500-file tree, ${concurrency} at once`;
    report(work, each('candidates'), 'an empty tree', each('empty'));
    if (concurrency === 1) report(work, each('candidates'), 'cp -r of the tree alone, in memory', times.copies ?? []);
    for (let index = 0; index < serial; index += 1) rmSync(`${source}-${index}`, { recursive: true });
    await Promise.all([full.close(), bare.close()]);
  }
  rmSync(source, { recursive: true });
}

function writeFiles(folder: string, files: readonly { path: string; text: string }[]): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** What a host without disks pays for each run. */
async function benchMaterialise(root: string): Promise<void> {
  const files = makeFiles();
  const tree = await storeFiles(files);
  const source = join(root, 'source');
  writeFiles(source, files);
  const scratch = await ownScratch([root]);
  const materialiser = createMaterialiser(artifacts);
  let serial = 0;
  const materialise = (owner: { uid: number; gid: number } | undefined) => () =>
    materialiser.materialise(tree, scratch.open().workspace, { owner, links: [] });
  await materialise(undefined)();
  const owner = process.getuid?.() === 0 ? { uid: 64_000, gid: 64_000 } : undefined;
  const times = await alternate(4, {
    ours: materialise(undefined),
    owned: materialise(owner),
    copy: () => plainSpawn('cp', ['-r', source, join(root, `copy-${serial++}`)]),
  });
  report('whole copy of 500 files (3.2 MB) in memory, contents known', times.ours ?? [], 'cp -r', times.copy ?? []);
  report(`the same, given to the payload's user`, times.owned ?? [], 'cp -r', times.copy ?? []);
  await scratch.close();
}

await benchOverhead();
await benchCandidates();
const root = mkdtempSync(join(MEMORY, 'h-bench-'));
await benchMaterialise(root);
rmSync(root, { recursive: true, force: true });
