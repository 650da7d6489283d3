import type { Candidate } from '../detect-runners.ts';
import { type Detection, folderOf, isInside, nameOf, type PlanOptions, type RunnerCommand } from '../detection.ts';
import type { Repository } from '../read-repository.ts';
import { dependsOn, findScriptCall, keepArguments, manifestPart, type Word } from '../read-scripts.ts';

const CONFIG = /^jest\.config\.(?:[cm]?[jt]s|json)$/;
const TEST_FILE = /\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)__tests__\/.*\.[cm]?[jt]sx?$/;

/** jest where a folder has its configuration, a script that calls it, or depends on it and has test files. */
export async function detectJest(repository: Repository): Promise<Candidate[]> {
  const tests = repository.paths.filter((path) => TEST_FILE.test(path));
  const isMark = (path: string) => nameOf(path) === 'package.json' || CONFIG.test(nameOf(path));
  const folders = new Set(repository.paths.filter(isMark).map(folderOf));
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
  const config = own.find((path) => CONFIG.test(nameOf(path)));
  const manifest = own.find((path) => nameOf(path) === 'package.json');
  const text = manifest === undefined ? undefined : await repository.text(manifest);
  const call = findScriptCall(text, 'jest');
  const hasKey = Object.keys(manifestPart(text, 'jest')).length > 0;
  const grounds: [boolean, string, number][] = [
    [config !== undefined, `jest is configured: ${config}`, 100],
    [hasKey, `jest is configured: the key "jest" of ${manifest}`, 100],
    [call !== undefined, `the script "${call?.script}" calls jest: ${manifest}`, 90],
    [dependsOn(text, 'jest') && hasTests, `jest is among the dependencies, and there are test files: ${manifest}`, 65],
  ];
  const ground = grounds.find(([holds]) => holds);
  if (ground === undefined) return undefined;
  const usesManifest = manifest !== undefined && (hasKey || call !== undefined || config === undefined);
  const evidence = [...(config === undefined ? [] : [config]), ...(usesManifest ? [manifest] : [])].sort();
  const args = keptArguments(call?.args ?? []);
  const detection: Detection = {
    runner: 'jest',
    cwd: folder,
    reason: ground[1],
    evidence,
    source_roots: [],
    start_dirs: [],
    ...(args.length === 0 ? {} : { runner_args: args }),
    ...(call === undefined || call.nodeArgs.length === 0 ? {} : { node_args: call.nodeArgs }),
    ...(call === undefined || Object.keys(call.env).length === 0 ? {} : { env: call.env }),
  };
  return { detection, score: hasTests ? ground[2] : ground[2] - 60 };
}

/** Options that only say how, or how much of, a run is shown, repeated or measured. */
const DROPPED =
  /^(?:--(?:no-)?(?:watch|watchAll|watchman|coverage|collectCoverage|bail|notify|verbose|silent|colors?|runInBand|detectOpenHandles|onlyChanged|onlyFailures|lastCommit|json|logHeapUsage|listTests|passWithNoTests|cache)|-[bio])$/;
/** Of these the values go too. */
const DROPPED_WITH_VALUES =
  /^(?:-w|--(?:changedSince|outputFile|maxWorkers|shard|testSequencer|cacheDirectory|reporters|coverageReporters|coverageDirectory|collectCoverageFrom|coverageProvider|coverageThreshold))$/;

function keptArguments(words: readonly Word[]): string[] {
  return keepArguments(words, (name) => (DROPPED_WITH_VALUES.test(name) ? 'with value' : DROPPED.test(name)));
}

const jestEntry = '.h-agent/jest-entry.mjs';

/** Our entry, which starts jest's own command line, found from the folder it starts in. */
export function jestCommand(options: PlanOptions, detection: Detection): RunnerCommand {
  return {
    argv: [options.node ?? 'node', jestEntry],
    env: {},
    entry: jestEntry,
    notes: [...(detection.notes ?? [])],
    plan: supervisedPlan(options, detection),
  };
}

/** What the agent that watches a runner's process is told. */
export function supervisedPlan(options: PlanOptions, { node_args, runner_args, env }: Detection) {
  return {
    ...(node_args === undefined ? {} : { node_args }),
    ...(runner_args === undefined ? {} : { runner_args }),
    ...(env === undefined ? {} : { env }),
    ...limitsOf(options),
  };
}

export function limitsOf({ testTimeoutMs, hangMs }: PlanOptions) {
  return {
    ...(testTimeoutMs === undefined ? {} : { test_timeout_ms: testTimeoutMs }),
    ...(hangMs === undefined ? {} : { hang_ms: hangMs }),
  };
}
