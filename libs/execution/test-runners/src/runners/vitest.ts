import type { Candidate } from '../detect-runners.ts';
import { folderOf, isInside, nameOf, type PlanOptions, type RunnerCommand } from '../detection.ts';
import type { Repository } from '../read-repository.ts';
import { limitsOf } from './jest.ts';

const CONFIG = /^vitest\.(?:config|workspace|projects)\.(?:[cm]?[jt]s|json)$/;
const VITE_CONFIG = /^vite\.config\.[cm]?[jt]s$/;
const TEST_FILE = /\.(?:test|spec)\.[cm]?[jt]sx?$/;

/** vitest where a folder has its configuration, a script that calls it, or depends on it and has test files. */
export async function detectVitest(repository: Repository): Promise<Candidate[]> {
  const tests = repository.paths.filter((path) => TEST_FILE.test(path));
  const folders = new Set(
    repository.paths
      .filter((path) => nameOf(path) === 'package.json' || CONFIG.test(nameOf(path)) || VITE_CONFIG.test(nameOf(path)))
      .map(folderOf),
  );
  const found: Candidate[] = [];
  for (const folder of [...folders].sort()) {
    const hasTests = tests.some((path) => isInside(path, folder));
    const candidate = await judgeFolder(repository, folder, hasTests);
    if (candidate !== undefined) found.push(candidate);
  }
  return found;
}

async function judgeFolder(repository: Repository, folder: string, hasTests: boolean): Promise<Candidate | undefined> {
  const own = repository.paths.filter((path) => folderOf(path) === folder);
  const config = own.filter((path) => CONFIG.test(nameOf(path)));
  for (const path of own)
    if (VITE_CONFIG.test(nameOf(path)) && /\btest\s*:/.test((await repository.text(path)) ?? '')) config.push(path);
  const manifest = own.find((path) => nameOf(path) === 'package.json');
  const { script, depends } = readManifest(manifest === undefined ? undefined : await repository.text(manifest));
  const grounds: [boolean, string, number][] = [
    [config.length > 0, `vitest is configured: ${config[0]}`, 100],
    [script !== undefined, `the script "${script}" calls vitest: ${manifest}`, 90],
    [depends && hasTests, `vitest is among the dependencies, and there are test files: ${manifest}`, 65],
  ];
  const ground = grounds.find(([holds]) => holds);
  if (ground === undefined) return undefined;
  const evidence = [
    ...config,
    ...(manifest !== undefined && (script !== undefined || depends) ? [manifest] : []),
  ].sort();
  return {
    detection: { runner: 'vitest', cwd: folder, reason: ground[1], evidence, source_roots: [], start_dirs: [] },
    score: hasTests ? ground[2] : ground[2] - 60,
  };
}

function readManifest(text: string | undefined): { script?: string; depends: boolean } {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text ?? '{}');
  } catch {
    return { depends: false };
  }
  const part = (name: string) => {
    const value = (manifest as Record<string, unknown> | null)?.[name];
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  };
  const script = Object.entries(part('scripts')).find(
    ([, line]) => typeof line === 'string' && /\bvitest\b/.test(line),
  );
  const depends = ['dependencies', 'devDependencies'].some((name) => 'vitest' in part(name));
  return { ...(script === undefined ? {} : { script: script[0] }), depends };
}

const vitestEntry = '.h-agent/vitest-entry.mjs';

/** vitest's own command line, found from the folder it starts in, with our reporter, which sets the runner. */
export function vitestCommand(options: PlanOptions, cwd: string): RunnerCommand {
  const argv = [options.node ?? 'node', vitestEntry, 'run', '--coverage.enabled=false'];
  if (options.testTimeoutMs !== undefined) argv.push(`--testTimeout=${options.testTimeoutMs}`);
  argv.push(...fileFilters(options.tests, cwd));
  return { argv, env: {}, entry: vitestEntry, notes: [], plan: limitsOf(options) };
}

/** Names of the files that hold the wanted tests; vitest takes them as parts of paths, so more may be loaded, never fewer. */
function fileFilters(tests: readonly string[] | undefined, cwd: string): string[] {
  const files = new Set((tests ?? []).map((test) => test.split(' > ', 1)[0] ?? test));
  const filters = [...files].map((file) => (cwd !== '' && isInside(file, cwd) ? file.slice(cwd.length + 1) : file));
  const length = filters.reduce((sum, filter) => sum + filter.length + 1, 0);
  return length > FILTER_UNITS || filters.some((filter) => filter.startsWith('-')) ? [] : filters.sort();
}

const FILTER_UNITS = 60_000;
