import { existsSync, realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { checkRecord, IsolationPolicy } from '@h/contracts';
import type { SandboxOptions } from './create-sandbox.ts';
import { badRequest, scratchUnusable } from './errors.ts';
import { BACKENDS } from './try-backends.ts';

const OPENING = 'sandbox cannot be opened';
const KNOWN_OPTIONS: Readonly<Record<keyof SandboxOptions, true>> = {
  artifacts: true,
  readOnlyPaths: true,
  links: true,
  backend: true,
  concurrency: true,
  scratchRoot: true,
  environment: true,
  signal: true,
};
/** Where runs have something of their own. */
const OWN_PLACES = ['/', '/h', '/proc', '/dev', '/dev/shm'];
/** Below this no program starts, or no limit of this size can be kept. */
const LEAST = { memory_bytes: 1024 * 1024, pids_max: 1, inodes_max: 32 } as const;

/** Refuses what is no `IsolationPolicy`, or asks for what cannot be had; `of` says what for. */
export function checkPolicy(policy: unknown, of: string = OPENING): void {
  try {
    checkRecord(IsolationPolicy, policy);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw badRequest(`policy: ${message}`, 'begin with defaultPolicy() and name the fields that differ', of, cause);
  }
  const given = policy as IsolationPolicy;
  for (const [name, least] of Object.entries(LEAST) as [keyof typeof LEAST, number][])
    if (given[name] < least)
      throw badRequest(
        `policy.${name} is ${given[name]}`,
        `nothing can run with so little: give ${least} at least`,
        of,
      );
  checkReadable(given.filesystem.extra_ro, 'policy.filesystem.extra_ro', of);
}

/** Refuses options that would otherwise be passed over, or fail with the first run. */
export function checkOptions(options: unknown): asserts options is SandboxOptions {
  if (typeof options !== 'object' || options === null) throw unusable('options', options, 'give { artifacts }');
  const given = options as Partial<Record<keyof SandboxOptions, unknown>>;
  for (const name of Object.keys(given))
    if (!Object.hasOwn(KNOWN_OPTIONS, name))
      throw unusable('an unknown option', name, `options are ${Object.keys(KNOWN_OPTIONS).join(', ')}`);
  const { artifacts, backend = 'auto', concurrency = 2, readOnlyPaths = [], links = [], scratchRoot } = given;
  if (typeof (artifacts as { get?: unknown } | undefined)?.get !== 'function')
    throw unusable('artifacts', artifacts, 'give an ArtifactStore, such as memoryArtifacts() of @h/contracts');
  const backends = ['auto', ...BACKENDS];
  if (!backends.includes(backend as string)) throw unusable('backend', backend, `name one of: ${backends.join(', ')}`);
  if (!Number.isSafeInteger(concurrency) || (concurrency as number) < 1)
    throw unusable('concurrency', concurrency, 'give a whole number from 1');
  if (!Array.isArray(links)) throw unusable('links', links, 'give a list of { at, target }');
  checkReadable(readOnlyPaths, 'readOnlyPaths', OPENING);
  if (scratchRoot !== undefined) checkScratchRoot(scratchRoot);
}

function checkScratchRoot(path: unknown): void {
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw unusable('scratchRoot', path, 'give the absolute path of a folder');
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw scratchUnusable(path, new Error(`${path} is not a folder`));
}

function checkReadable(paths: unknown, name: string, of: string): void {
  if (!Array.isArray(paths)) throw unusable(name, paths, 'give a list of absolute paths', of);
  for (const path of paths as unknown[]) {
    if (typeof path !== 'string' || !path.startsWith('/') || path.includes('\0'))
      throw unusable(name, path, 'give absolute paths of this host', of);
    const place = posix.normalize(path).replace(/(?<=.)\/$/, '');
    if (isOwnPlace(place) || isOwnPlace(behindLinks(place)))
      throw unusable(name, path, 'runs have their own /, /h, /proc and /dev: name the folders that are needed', of);
  }
}

/** Folders of memory in `/dev/shm` are as good as others: private copies may lie there, and so may interpreters. */
function isOwnPlace(place: string): boolean {
  if (OWN_PLACES.includes(place)) return true;
  return ['/h/', '/proc/', '/dev/'].some((own) => place.startsWith(own)) && !place.startsWith('/dev/shm/');
}

/** What a path leads to; itself where that cannot be told. */
function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function unusable(name: string, value: unknown, hint: string, of: string = OPENING) {
  const shown =
    typeof value === 'object' && value !== null ? 'something else' : (JSON.stringify(value) ?? String(value));
  return badRequest(`${name} is ${shown}`, hint, of);
}

/** One sentence where folders that runs were to read do not exist. */
export function describeMissing(paths: readonly string[]): string[] {
  const missing = [...new Set(paths)].filter((path) => !existsSync(path)).sort();
  if (missing.length === 0) return [];
  return [`runs see nothing at ${missing.join(', ')}, which this host does not have. Remedy: name folders that exist`];
}
