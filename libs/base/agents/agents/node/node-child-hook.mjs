// Loaded first in a process of Node that the target started: tells, as it ends, what it executed and read.
import { renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.env.H_AGENT_PLAN !== undefined) await start();

async function start() {
  const { createWriter, readPlan, relativePath } = await import('./node-events.mjs');
  const plan = readPlan({ take: true });
  if (plan.node_options === undefined) delete process.env.NODE_OPTIONS;
  else process.env.NODE_OPTIONS = plan.node_options;
  if (plan.left === undefined) return;
  const { startCoverage } = await import('./node-coverage.mjs');
  const { startObserver, takeForeign, takeReads, mergeReads, nativeCode, unseen } = await import('./node-observe.mjs');
  const { requiredFiles } = await import('./node-dependencies.mjs');
  const { followSources } = await import('./node-sources.mjs');
  const { packageSigns, readSigns } = await import('./node-signs.mjs');
  const relative = relativePath(plan);
  const coverage = startCoverage(plan.map_path);
  const isWatched = startObserver(relative, plan);
  const write = { writeFileSync, renameSync };
  process.on('exit', () => {
    const reads = takeReads();
    const numbers = new Set([...coverage.stamped(), ...takeForeign()]);
    const told = unseen(() => loaded());
    const left = { hits: [...numbers], reads: mergeReads(reads, told) };
    unseen(() => {
      write.writeFileSync(`${plan.left}.part`, JSON.stringify(left));
      write.renameSync(`${plan.left}.part`, plan.left);
    });
  });

  /** The sources of the repository that it led to, and what they and their packages say they read. */
  function loaded() {
    const [packages, unsure] = [new Set(), new Set()];
    const script = relative(String(process.argv[1] ?? ''));
    const start = coverage.lines(coverage.stamped()).map(({ file }) => file);
    const required = requiredFiles(plan, relative, packages, unsure);
    const led = followSources(plan, relative, [...(script === undefined ? [] : [script]), ...start, ...required]);
    const signs = [...packages, ...led.packages].map((folder) => packageSigns(plan, folder, isWatched));
    const installed = signs.flatMap((sign) => sign.packages);
    if (installed.length > 0) createWriter(plan)('packages', { packages: installed });
    return mergeReads(
      { loaded: [...led.files], unsure: [...unsure, ...led.unsure, ...nativeCode()] },
      { packages: installed.map(({ name, version }) => `${name}@${version}`) },
      ...[...led.files].map((file) => {
        const { unsure: why = [], env = [], absent = [] } = readSigns(plan, file, isWatched);
        return { unsure: why, env, absent };
      }),
      ...signs.map((sign) => ({ unsure: sign.unsure, env: sign.env })),
    );
  }
}
