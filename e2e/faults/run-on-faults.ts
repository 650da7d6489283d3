// Draws the faults of a check, gives each to `measure` in a copy of its package, and keeps what came out, so that a check that was ended goes on where it was.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sha256Hex } from '@h/contracts';
import { obtainPackage } from '../real-packages/obtain-package.ts';
import type { RealPackage } from '../real-packages/real-package.ts';
import { drawFaults, type Fault } from './draw-faults.ts';
import { faultPackages } from './fault-packages.ts';

export interface FaultCheck<T> {
  /** Names the folder of results. */
  readonly name: string;
  /** Faults wanted of each package. */
  readonly perPackage: number;
  /** Faults measured where `--sample` says nothing; all when absent. */
  readonly faults?: number;
  /** Whose faults; those that checks judge by when absent. */
  readonly packages?: readonly RealPackage[];
  /** What there is to know of one fault, as JSON. `repo` holds it already; `out` is for run directories and is deleted afterwards. */
  readonly measure: (fault: Fault, repo: string, out: string) => Promise<T>;
}

export interface Measured<T> {
  readonly fault: Fault;
  readonly result: T;
}

const USAGE = `Usage: npm run check:<name> -- [--sample N] [--package NAME] [--seed N] [--results DIR] [--fresh]
  --sample N      the first N faults, taken in turn from the packages
  --package NAME  faults of this package only
  --results DIR   where results are kept; a later call goes on there (default ~/.cache/h/checks)
  --fresh         forget earlier results of this check`;

/** Measures every fault that was not measured before, in an order that alternates between packages; says on stderr how far it is. */
export async function runOnFaults<T>(check: FaultCheck<T>): Promise<Measured<T>[]> {
  const { values } = parseArgs({
    options: {
      sample: { type: 'string' },
      package: { type: 'string' },
      seed: { type: 'string', default: '20261130' },
      results: { type: 'string', default: process.env.H_CHECKS ?? join(homedir(), '.cache/h/checks') },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.error(USAGE);
    process.exit(0);
  }
  const results = join(values.results, check.name);
  if (values.fresh) rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  // A check that was ended in the middle leaves its fault in the copy.
  rmSync(join(results, 'work'), { recursive: true, force: true });
  const { packages = faultPackages } = check;
  const pins = packages.filter(({ name }) => values.package === undefined || name === values.package);
  const drawn: Fault[][] = [];
  for (const pin of pins) drawn.push(await faultsOf(pin, values.results, Number(values.seed), check.perPackage));
  const faults = alternate(drawn).slice(0, values.sample === undefined ? check.faults : Number(values.sample));
  const measured: Measured<T>[] = [];
  const failed = new Map<string, T>();
  for (const [index, fault] of faults.entries()) {
    const kept = join(results, `${fault.id.replace(/\W+/g, '-')}-${sha256Hex(fault.faulty).slice(0, 8)}.json`);
    if (!existsSync(kept)) {
      const started = Date.now();
      const result = await measureIn(check, fault, results);
      // An error is met again next time: what it came from may be mended by then.
      if ((result as { error?: string }).error === undefined) writeFileSync(kept, JSON.stringify(result));
      else failed.set(kept, result);
      const seconds = Math.round((Date.now() - started) / 1000);
      console.error(
        `${index + 1}/${faults.length} ${fault.id} ${fault.kind} ${fault.file}:${fault.line} ${seconds} s ${JSON.stringify(result).slice(0, 200)}`,
      );
    }
    measured.push({ fault, result: failed.get(kept) ?? (JSON.parse(readFileSync(kept, 'utf8')) as T) });
  }
  return measured;
}

async function faultsOf(pin: RealPackage, folder: string, seed: number, count: number): Promise<Fault[]> {
  const kept = join(folder, `faults-${pin.name.replace(/\W+/g, '-')}-${pin.version}-${seed}-${count}.json`);
  if (!existsSync(kept)) {
    const obtained = await obtainPackage(pin);
    const faults = await drawFaults(obtained, { seed, count, onProgress: (text) => console.error(text) });
    writeFileSync(kept, JSON.stringify(faults));
  }
  return JSON.parse(readFileSync(kept, 'utf8')) as Fault[];
}

/** First of each, then second of each … */
function alternate<T>(lists: readonly T[][]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}

async function measureIn<T>(check: FaultCheck<T>, fault: Fault, folder: string): Promise<T> {
  const pin = (check.packages ?? faultPackages).find(({ name }) => name === fault.package);
  if (pin === undefined) throw new Error(`no package ${fault.package}`);
  const obtained = await obtainPackage(pin);
  const repo = join(folder, 'work', pin.name.replace(/\W+/g, '-'));
  if (!existsSync(repo)) cpSync(obtained.folder, repo, { recursive: true, verbatimSymlinks: true });
  const out = join(folder, 'work', 'out');
  rmSync(out, { recursive: true, force: true });
  writeFileSync(join(repo, fault.file), fault.faulty);
  try {
    return await check.measure(fault, repo, out);
  } finally {
    writeFileSync(join(repo, fault.file), fault.original);
    rmSync(out, { recursive: true, force: true });
  }
}
