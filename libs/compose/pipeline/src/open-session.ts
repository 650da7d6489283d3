// Everything a command needs before its first stage: the repository as a tree, a runner, runtimes, and a sandbox to run them in.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import {
  type ArtifactStore,
  type Executor,
  hashRecord,
  type IsolationPolicy,
  type ProgressEvent,
  type Sha,
  sha256Hex,
} from '@h/contracts';
import {
  createSandbox,
  defaultPolicy,
  discoverNode,
  discoverPython,
  type PythonRuntime,
  type Sandbox,
} from '@h/sandbox';
import { createParser, type Parser } from '@h/syntax';
import {
  commandLanguage,
  type Detection,
  dependencyRoots,
  type RunnerName,
  type Suite,
  type TestHost,
} from '@h/test-runners';
import { chooseSuite } from './choose-suite.ts';
import { runtimeMissing } from './errors.ts';
import { checkDirectory, type Repository, readRepository } from './read-repository.ts';
import { type HomeDirectory, openHome } from './run-directory.ts';

export interface SessionOptions {
  readonly repo: string;
  /** Folder that holds `runs/` and `artifacts/`; `<repo>/.h` when absent. */
  readonly out?: string;
  /** Name of the test runner, where the detected one is not wanted. */
  readonly runner?: string;
  /** Commands whose exit code is one test each: `label=python repro.py`. */
  readonly commands?: readonly string[];
  /** JUnit XML that a command writes, `label=path`: its test cases are the tests then. */
  readonly junit?: readonly string[];
  /** The Python that runs the tests, a path or a name; a virtual environment of the repository, the active one or `python3` when absent. */
  readonly python?: string;
  /** Build step before each run of tests, in its private copy: `npm run build`. */
  readonly prepare?: string;
  /** Milliseconds after which one test run is ended; 300 000 when absent. */
  readonly runLimitMs?: number;
  /**
   * Where everything runs, such as a `createExecutor` of @h/sandbox; a sandbox on this host when absent. Closed with the session. Interpreters
   * are named as on this host: give `python` by a name that means the same there.
   */
  readonly openExecutor?: (needs: ExecutorNeeds) => Promise<OwnedExecutor>;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ProgressEvent) => void;
}

/** What an executor of the caller's is made with. */
export interface ExecutorNeeds {
  readonly artifacts: ArtifactStore;
  readonly policy: IsolationPolicy;
}

export type OwnedExecutor = Executor & { readonly name?: string; close?(): Promise<void> };

export interface Session {
  readonly repository: Repository;
  readonly home: HomeDirectory;
  /** The project's runner; a command where it has none. */
  readonly detection: Detection;
  /** The runner and the commands that the caller gave as tests. */
  readonly suite: Suite;
  readonly host: TestHost;
  /** What confines the runs, and what this host could not keep. */
  readonly isolation: { readonly backend: string; readonly downgrades: readonly string[] };
  readonly environment: Sha;
  /** "3.11" for a Python target; absent for a JavaScript one. */
  readonly pythonVersion?: `3.${number}`;
  readonly parser: Parser;
  readonly warnings: string[];
  close(): Promise<void>;
}

/** Opens a session; the caller closes it. Throws a `PipelineError` for a repository or host that cannot be used. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { repo, out, environment, signal, onEvent } = options;
  onEvent?.({ kind: 'stage', message: `reading ${repo}` });
  const dir = await checkDirectory(repo);
  const home = await openHome(dir, out, environment);
  const repository = await readRepository(dir, home.artifacts, signal);
  const { suite, others } = await chooseSuite(repository, options);
  const [detection] = suite;
  const runtimes = await discoverRuntimes(suite, repository.dir, environment, options.python);
  const policy = policyFor(suite, runtimes.readOnlyPaths, options.runLimitMs);
  const external = await options.openExecutor?.({ artifacts: home.artifacts, policy });
  const environmentSha = hashRecord({
    ...(external && { executor: external.name ?? 'external' }),
    os: platform(),
    arch: arch(),
    ...runtimes.identity,
    policy,
    ...(options.prepare === undefined ? {} : { prepare: options.prepare }),
  });
  if (external === undefined) onEvent?.({ kind: 'stage', message: 'probing what this host can isolate' });
  const executor =
    external ??
    (await createSandbox(policy, {
      artifacts: home.artifacts,
      readOnlyPaths: runtimes.readOnlyPaths,
      links: runtimes.links,
      concurrency: 2,
      environment: environmentSha,
      ...(signal && { signal }),
    }));
  const parser = await createParser();
  const warnings = [...(home.note === undefined ? [] : [home.note]), ...ignoredNote(repository), ...others];
  return {
    repository,
    home,
    detection,
    suite,
    isolation: isolationOf(executor),
    environment: environmentSha,
    parser,
    warnings,
    ...(runtimes.python === undefined ? {} : { pythonVersion: minorVersion(runtimes.python.version) }),
    host: {
      executor,
      tree: repository.tree,
      artifacts: home.artifacts,
      policy,
      environment: environmentSha,
      node: runtimes.node,
      ...(runtimes.python === undefined ? {} : { python: runtimes.python.executable }),
      ...(options.prepare === undefined ? {} : { prepare: options.prepare }),
    },
    async close() {
      parser.dispose();
      await executor.close?.();
    },
  };
}

function isolationOf(executor: Sandbox | OwnedExecutor): Session['isolation'] {
  if ('backend' in executor) return { backend: executor.backend, downgrades: executor.downgrades };
  return { backend: executor.name ?? 'external', downgrades: [] };
}

function ignoredNote({ ignored }: Repository): string[] {
  if (ignored.length === 0) return [];
  const first = ignored.slice(0, 3).join(', ');
  return [
    `files that git ignores are not part of the run (${ignored.length}, such as ${first}): a test that needs one fails here`,
  ];
}

/** `3.11` of `3.11.7`. */
function minorVersion(version: string): `3.${number}` {
  return `3.${Number(version.split('.')[1])}`;
}

interface Runtimes {
  readonly node: string;
  readonly python?: PythonRuntime;
  readonly readOnlyPaths: string[];
  readonly links: { at: string; target: string }[];
  /** What the environment hash covers. */
  readonly identity: Record<string, unknown>;
}

async function discoverRuntimes(
  members: readonly Detection[],
  dir: string,
  environment: NodeJS.ProcessEnv,
  chosen: string | undefined,
): Promise<Runtimes> {
  const node = discoverNode();
  const languages = new Set(members.map(languageOfMember));
  const python = languages.has('python')
    ? await findPython(dir, members[0]?.cwd ?? '', environment, chosen)
    : undefined;
  if (python !== undefined && members.some(({ runner }) => runner === 'pytest') && python.packages.pytest === undefined)
    throw runtimeMissing(
      `This project's tests need pytest, and ${python.executable} has none.`,
      `Install it: ${python.executable} -m pip install pytest`,
    );
  const links = languages.has('javascript') ? linksOf(members, dir) : [];
  const ofPython =
    python === undefined ? [] : [python.prefix, python.base_prefix, ...outsideOf(dir, python.outside_paths)];
  const ofNode = languages.has('javascript') ? [node.prefix, ...links.map(({ target }) => target)] : [];
  return {
    node: node.executable,
    ...(python === undefined ? {} : { python }),
    readOnlyPaths: [...new Set([...ofPython, ...ofNode])].sort(),
    links,
    identity: {
      ...(python === undefined ? {} : { python: python.version, packages: python.packages }),
      ...(languages.has('javascript')
        ? { node: node.version, modules: links.map(({ at, target }) => ({ at, installed: installedPackages(target) })) }
        : {}),
    },
  };
}

/** The runtime that a member needs; a command of neither language is given what the system folders hold. */
function languageOfMember({ runner, command }: Detection): 'python' | 'javascript' | undefined {
  if (runner === 'command') return commandLanguage(command?.argv ?? []);
  return runner === 'pytest' || runner === 'unittest' ? 'python' : 'javascript';
}

/** Runners that are packages themselves. */
const NEEDS_PACKAGES = new Set<RunnerName>(['vitest', 'jest', 'mocha']);

function linksOf(members: readonly Detection[], dir: string): { at: string; target: string }[] {
  const links = members
    .filter((one) => languageOfMember(one) === 'javascript')
    .flatMap(({ cwd }) => dependencyRoots(dir, cwd, existsSync));
  const needy = members.find(({ runner }) => NEEDS_PACKAGES.has(runner));
  if (links.length === 0 && needy !== undefined)
    throw runtimeMissing(
      `${join(dir, needy.cwd)} has no node_modules.`,
      `Install its packages first: npm ci --prefix ${join(dir, needy.cwd)}`,
    );
  return [...new Map(links.map((link) => [link.at, link])).values()];
}

/** What a package manager wrote about what it installed, by its hash. */
const INSTALL_RECORDS = ['.package-lock.json', '.modules.yaml', '.yarn-state.yml'];

function installedPackages(folder: string): Sha | 'unknown' {
  const record = INSTALL_RECORDS.map((name) => join(folder, name)).find((path) => existsSync(path));
  return record === undefined ? 'unknown' : sha256Hex(readFileSync(record));
}

/** An editable install points into the repository: its files must come from the copy, never from the host. */
function outsideOf(dir: string, paths: readonly string[]): string[] {
  const repository = `${realpathSync(dir)}/`;
  return paths.filter((path) => !`${realpathSync(path)}/`.startsWith(repository));
}

async function findPython(
  dir: string,
  cwd: string,
  environment: NodeJS.ProcessEnv,
  chosen: string | undefined,
): Promise<PythonRuntime> {
  const venvs = [join(dir, cwd, '.venv'), join(dir, cwd, 'venv'), join(dir, '.venv'), join(dir, 'venv')];
  const active = environment.VIRTUAL_ENV;
  const candidates = [...venvs.map((venv) => join(venv, 'bin', 'python')).filter((path) => existsSync(path))];
  if (active !== undefined) candidates.push(join(active, 'bin', 'python'));
  candidates.push('python3', 'python');
  const found = await discoverPython(chosen === undefined ? candidates : [chosen]);
  if ('reason' in found) {
    throw runtimeMissing(
      `No usable Python: ${found.reason}.`,
      chosen === undefined
        ? 'Install Python 3.8 or newer, or activate a virtual environment.'
        : 'Give --python the path of a Python 3.8 or newer, or leave it out.',
    );
  }
  return found;
}

const GIBIBYTE = 1024 ** 3;

/** Contract defaults: 512 MiB for Python runs, 2 GiB for JavaScript runners. */
function policyFor(
  members: readonly Detection[],
  readOnlyPaths: readonly string[],
  wallMs: number | undefined,
): IsolationPolicy {
  const base = defaultPolicy(wallMs === undefined ? {} : { wall_ms: wallMs });
  const filesystem = { ...base.filesystem, extra_ro: [...readOnlyPaths] };
  const needsMore = members.some((one) => languageOfMember(one) === 'javascript');
  return needsMore ? { ...base, filesystem, memory_bytes: 2 * GIBIBYTE } : { ...base, filesystem };
}
