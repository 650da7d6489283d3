import type { Candidate } from '../detect-runners.ts';
import {
  type Detection,
  folderOf,
  inFolder,
  isInside,
  nameOf,
  type PlanOptions,
  type RunnerCommand,
} from '../detection.ts';
import { expandPattern } from '../expand-patterns.ts';
import type { Repository } from '../read-repository.ts';
import { dependsOn, findScriptCall, keepArguments, manifestPart, type ScriptCall, type Word } from '../read-scripts.ts';
import { supervisedPlan } from './jest.ts';

const CONFIG = /^\.mocharc\.(?:[cm]?js|ya?ml|jsonc?)$/;
const SOURCE = /(?<!\.d)\.[cm]?[jt]sx?$/;

/** mocha where a folder has its configuration, a script that calls it, or depends on it and has tests. */
export async function detectMocha(repository: Repository): Promise<Candidate[]> {
  const isMark = (path: string) => nameOf(path) === 'package.json' || CONFIG.test(nameOf(path));
  const folders = new Set(repository.paths.filter(isMark).map(folderOf));
  const found: Candidate[] = [];
  for (const folder of [...folders].sort()) {
    const candidate = await judgeFolder(repository, folder);
    if (candidate !== undefined) found.push(candidate);
  }
  return found;
}

async function judgeFolder(repository: Repository, folder: string): Promise<Candidate | undefined> {
  const own = repository.paths.filter((path) => folderOf(path) === folder);
  const config = own.find((path) => CONFIG.test(nameOf(path)));
  const manifest = own.find((path) => nameOf(path) === 'package.json');
  const text = manifest === undefined ? undefined : await repository.text(manifest);
  const call = findScriptCall(text, 'mocha');
  const key = manifestPart(text, 'mocha');
  const hasKey = Object.keys(key).length > 0;
  const configured = config === undefined ? undefined : await repository.text(config);
  const specs = [...specsOf(call), ...specsIn(configured), ...listOf(key.spec)];
  const files = testFiles(repository.paths, folder, specs, hasRecursion(call, configured, key));
  const grounds: [boolean, string, number][] = [
    [config !== undefined, `mocha is configured: ${config}`, 100],
    [hasKey, `mocha is configured: the key "mocha" of ${manifest}`, 100],
    [call !== undefined, `the script "${call?.script}" calls mocha: ${manifest}`, 90],
    [
      dependsOn(text, 'mocha') && files.length > 0,
      `mocha is among the dependencies, and there are test files: ${manifest}`,
      65,
    ],
  ];
  const ground = grounds.find(([holds]) => holds);
  if (ground === undefined) return undefined;
  const usesManifest = manifest !== undefined && (hasKey || call !== undefined || config === undefined);
  const evidence = [...(config === undefined ? [] : [config]), ...(usesManifest ? [manifest] : [])].sort();
  const detection: Detection = {
    runner: 'mocha',
    cwd: folder,
    reason: ground[1],
    evidence,
    source_roots: [],
    start_dirs: [],
    test_files: files,
    ...callParts(call),
  };
  return { detection, score: files.length > 0 ? ground[2] : ground[2] - 60 };
}

function callParts(call: ScriptCall | undefined): Partial<Detection> {
  if (call === undefined) return {};
  const args = keepArguments(call.args, (name) => (DROPPED_WITH_VALUES.test(name) ? 'with value' : DROPPED.test(name)));
  return {
    ...(args.length === 0 ? {} : { runner_args: args }),
    ...(call.nodeArgs.length === 0 ? {} : { node_args: call.nodeArgs }),
    ...(Object.keys(call.env).length === 0 ? {} : { env: call.env }),
  };
}

/** Options that only say how, or how much of, a run is shown or repeated. */
const DROPPED = /^(?:--(?:no-)?(?:watch|parallel|bail|colors?|dry-run|inspect(?:-brk)?)|-[wpbc])$/;
const DROPPED_WITH_VALUES = /^(?:--(?:reporter(?:-options?)?|jobs|watch-files|watch-ignore)|-[ROj])$/;
/** Options whose value may be a word of its own; other words are files. */
const VALUED =
  /^(?:--(?:require|ui|timeout|slow|config|package|grep|fgrep|file|ignore|extension|retries|import|loader|experimental-loader|node-option|spec|global|sort)|-[rutsgfn])$/;

/** The words of a call that name files. */
function specsOf(call: ScriptCall | undefined): Word[] {
  const args = call?.args ?? [];
  const found: Word[] = [];
  for (const [index, word] of args.entries()) {
    const before = args[index - 1]?.text ?? '';
    const isValue = VALUED.test(before) || DROPPED_WITH_VALUES.test(before);
    if (!word.text.startsWith('-') && (!isValue || before === '--spec') && !/[<>$]/.test(word.text)) found.push(word);
    if (word.text.startsWith('--spec=')) found.push({ ...word, text: word.text.slice(7) });
  }
  return found;
}

/** What a configuration of any form names as `spec`, as far as its text shows. */
function specsIn(text: string | undefined): Word[] {
  const part = /["']?\bspec["']?[ \t]*:[ \t]*(\[[^\]]*\]|(?:\s*\n\s*-[^\n]*)+|[^\n,}]+)/.exec(text ?? '')?.[1] ?? '';
  const isYaml = /^\s*\n/.test(part);
  const quoted = isYaml ? [] : [...part.matchAll(/["'`]([^"'`\n]+)["'`]/g)].map(([, spec]) => spec ?? '');
  const plain = part.startsWith('[') ? part.slice(1, -1).split(',') : part.split('\n');
  const bare = plain.map((line) => line.replace(/^\s*-\s*|\s+#.*$/g, '').trim());
  const words = quoted.length > 0 ? quoted : bare.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
  return listOf(words.filter((word) => word !== ''));
}

function listOf(spec: unknown): Word[] {
  return [spec ?? []].flat().flatMap((text) => (typeof text === 'string' ? [{ text, quoted: true }] : []));
}

function hasRecursion(call: ScriptCall | undefined, text: string | undefined, key: Record<string, unknown>): boolean {
  const inScript = call?.args.some(({ text: word }) => word === '--recursive') === true;
  return inScript || key.recursive === true || /\brecursive["']?\s*:\s*true/.test(text ?? '');
}

/** The files of a folder that mocha runs: what is named, else those of `test`. */
function testFiles(paths: readonly string[], folder: string, specs: readonly Word[], deep: boolean): string[] {
  const inside = paths.filter((path) => isInside(path, folder) && SOURCE.test(path));
  const named = specs.length > 0 ? specs : [{ text: 'test', quoted: true }];
  const found = new Set<string>();
  for (const { text, quoted } of named) {
    const at = inFolder(folder, text.replace(/^\.\//, '').replace(/\/+$/, ''));
    const isTest = (path: string) => deep || folderOf(path) === at;
    for (const path of expandPattern(inside, folder, text, quoted, isTest)) found.add(path);
  }
  return [...found].sort();
}

const mochaEntry = '.h-agent/mocha-entry.mjs';

/** Our entry, which starts mocha's own command line, found from the folder it starts in. */
export function mochaCommand(options: PlanOptions, detection: Detection): RunnerCommand {
  return {
    argv: [options.node ?? 'node', mochaEntry],
    env: {},
    entry: mochaEntry,
    notes: [...(detection.notes ?? [])],
    plan: { ...supervisedPlan(options, detection), files: detection.test_files ?? [] },
  };
}
