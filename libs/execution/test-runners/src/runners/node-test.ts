import type { Candidate } from '../detect-runners.ts';
import { type Detection, folderOf, isInside, nameOf, type PlanOptions, type RunnerCommand } from '../detection.ts';
import { expandPattern } from '../expand-patterns.ts';
import type { Repository } from '../read-repository.ts';
import { scriptCommands, type Word } from '../read-scripts.ts';
import { limitsOf } from './jest.ts';

const SOURCE = /\.[cm]?[jt]s$/;
const DECLARATION = /\.d\.[cm]?ts$/;
/** What `node --test` runs when it is given no file: by name, or in a folder named `test`. */
const DEFAULT_NAME = /^(?:test|test-.+|.+[._-]test)\.[cm]?[jt]s$/;
const USES = /\b(?:from|import|require\s*\()\s*\(?\s*['"]node:test['"]/;
/** More test files than this tell nothing new. */
const TEST_FILES_READ = 200;

/** node:test where a script calls `node --test` (or a loader that does), or where test files import it. */
export async function detectNodeTest(repository: Repository): Promise<Candidate[]> {
  const manifests = repository.paths.filter((path) => nameOf(path) === 'package.json');
  const found: Candidate[] = [];
  const scripted = new Set<string>();
  for (const manifest of manifests) {
    const call = findCall(await repository.text(manifest));
    if (call === undefined) continue;
    scripted.add(folderOf(manifest));
    found.push(await judgeScript(repository, manifest, call));
  }
  return [...found, ...(await judgeImports(repository, manifests.map(folderOf), scripted))];
}

/** What a script tells of its call of node:test. */
interface Call {
  readonly script: string;
  readonly nodeArgs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files, folders and globs, relative to the folder of the manifest; none: Node's own choice. */
  readonly patterns: readonly Word[];
}

async function judgeScript(repository: Repository, manifest: string, call: Call): Promise<Candidate> {
  const folder = folderOf(manifest);
  const files = await testFiles(repository, folder, call.patterns);
  const notes = files.length > 0 ? missingLoader(files, call.nodeArgs) : [noFiles(call)];
  return {
    detection: {
      ...plainDetection(folder, `the script "${call.script}" runs node --test: ${manifest}`, [manifest]),
      test_files: files,
      ...(call.nodeArgs.length === 0 ? {} : { node_args: call.nodeArgs }),
      ...(Object.keys(call.env).length === 0 ? {} : { env: call.env }),
      ...(notes.length === 0 ? {} : { notes }),
    },
    score: files.length > 0 ? 90 : 30,
  };
}

function noFiles({ patterns }: Call): string {
  const named = patterns.map(({ text }) => text).join(' ');
  return `The script's test files are not in the repository (${named === '' ? 'no file has a name that node --test takes' : named}): they may have to be built first.`;
}

/** One detection per package whose test files import node:test though no script runs them. */
async function judgeImports(
  repository: Repository,
  packages: readonly string[],
  scripted: ReadonlySet<string>,
): Promise<Candidate[]> {
  const perFolder = new Map<string, string[]>();
  let read = 0;
  for (const path of repository.paths) {
    if (!isTestPath(path)) continue;
    const folder = nearest(packages, path);
    if (scripted.has(folder) || read >= TEST_FILES_READ) continue;
    read += 1;
    if (USES.test((await repository.text(path)) ?? '')) perFolder.set(folder, [...(perFolder.get(folder) ?? []), path]);
  }
  return [...perFolder].map(([folder, files]) => {
    const notes = missingLoader(files, []);
    return {
      detection: {
        ...plainDetection(folder, `test files import node:test: ${files[0]}`, files.slice(0, 8)),
        test_files: files,
        ...(notes.length === 0 ? {} : { notes }),
      },
      score: 70,
    };
  });
}

function plainDetection(cwd: string, reason: string, evidence: readonly string[]): Detection {
  return { runner: 'node:test', cwd, reason, evidence, source_roots: [], start_dirs: [] };
}

function isTestPath(path: string): boolean {
  if (!SOURCE.test(path) || DECLARATION.test(path)) return false;
  return DEFAULT_NAME.test(nameOf(path)) || /\.spec\.[cm]?[jt]s$/.test(path) || /(?:^|\/)tests?\//.test(path);
}

function nearest(folders: readonly string[], path: string): string {
  const around = folders.filter((folder) => isInside(path, folder));
  return around.reduce((best, folder) => (folder.length > best.length ? folder : best), '');
}

function missingLoader(files: readonly string[], nodeArgs: readonly string[]): string[] {
  const typescript = files.find((file) => /\.[cm]?ts$/.test(file));
  if (typescript === undefined || nodeArgs.length > 0) return [];
  return [
    `${typescript} is TypeScript and the test script names no loader (such as tsx): Node 22.18 or later loads it by itself, older ones do not.`,
  ];
}

/** The files of a folder that a call runs, as the shell and Node would find them. */
async function testFiles(repository: Repository, folder: string, patterns: readonly Word[]): Promise<string[]> {
  const inside = repository.paths.filter((path) => isInside(path, folder));
  const isDefault = (path: string) =>
    SOURCE.test(path) &&
    !DECLARATION.test(path) &&
    (DEFAULT_NAME.test(nameOf(path)) || /(?:^|\/)test\//.test(path.slice(folder.length)));
  if (patterns.length === 0) return prefersJavaScript(inside.filter(isDefault));
  const found = new Set<string>();
  for (const { text, quoted } of patterns)
    for (const path of expandPattern(inside, folder, text, quoted, isTestPath)) found.add(path);
  return [...found].sort();
}

/** Without a pattern, TypeScript counts where the project has no JavaScript tests: Node takes it only where it strips types. */
function prefersJavaScript(paths: readonly string[]): string[] {
  const javascript = paths.filter((path) => /\.[cm]?js$/.test(path));
  return javascript.length > 0 ? javascript : [...paths];
}

/** The script that calls node:test: `test` before others, in the order of the manifest. */
function findCall(text: string | undefined): Call | undefined {
  for (const { script, words } of scriptCommands(text)) {
    const call = readCall(words);
    if (call !== undefined) return { script, ...call };
  }
  return undefined;
}

/** Options of Node that a test process needs too, with a value of their own. */
const CARRIED = new Set([
  '--import',
  '--require',
  '-r',
  '--loader',
  '--experimental-loader',
  '--conditions',
  '-C',
  '--env-file',
]);
const CARRIED_FLAGS =
  /^--(?:experimental-|no-experimental-|enable-source-maps|expose-gc|no-warnings|disable-warning|stack-trace-limit|max-old-space-size)/;
/** Options of the test runner whose value is a word of its own. */
const VALUED =
  /^--test-(?:reporter|reporter-destination|name-pattern|skip-pattern|concurrency|timeout|shard|isolation|global-setup|coverage-\w+)$/;

function readCall(words: readonly Word[]): Omit<Call, 'script'> | undefined {
  const at = words.findIndex(({ text }) => /^(?:node|tsx)$/.test(nameOf(text)));
  const program = words[at];
  const rest = words.slice(at + 1);
  if (program === undefined || !rest.some(({ text }) => text === '--test')) return undefined;
  const nodeArgs = nameOf(program.text) === 'tsx' ? ['--import', 'tsx'] : [];
  const env: Record<string, string> = {};
  for (const { text } of words.slice(0, at)) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/.exec(text) ?? [];
    if (name !== undefined) env[name] = value ?? '';
  }
  const patterns: Word[] = [];
  for (let index = 0; index < rest.length; index += 1) {
    const word = rest[index] ?? { text: '', quoted: false };
    const value = rest[index + 1]?.text;
    if (CARRIED.has(word.text) && value !== undefined) {
      nodeArgs.push(word.text, value);
      index += 1;
    } else if (VALUED.test(word.text)) index += 1;
    else if (
      CARRIED.has(word.text.split('=', 1)[0] ?? '') ||
      (CARRIED_FLAGS.test(word.text) && isProcessOption(word.text))
    )
      nodeArgs.push(word.text);
    else if (!word.text.startsWith('-') && !/[<>$]/.test(word.text)) patterns.push(word);
  }
  return { nodeArgs, env, patterns };
}

/** Of the test runner's own options none is carried. */
function isProcessOption(option: string): boolean {
  return !option.startsWith('--experimental-test');
}

const nodeTestEntry = '.h-agent/node-test-entry.mjs';

/** Our entry, which starts one process per test file, with the project's own loader options. */
export function nodeTestCommand(options: PlanOptions, detection: Detection): RunnerCommand {
  return {
    argv: [options.node ?? 'node', nodeTestEntry],
    env: { ...detection.env },
    entry: nodeTestEntry,
    notes: [...(detection.notes ?? [])],
    plan: {
      files: detection.test_files ?? [],
      ...(detection.node_args === undefined ? {} : { node_args: detection.node_args }),
      ...limitsOf(options),
    },
  };
}
