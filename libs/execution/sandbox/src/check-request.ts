import { posix } from 'node:path';
import {
  type EndedBy,
  type ExecutionRequest,
  type ExecutionResult,
  hashRecord,
  type Receipt,
  type Sha,
} from '@h/contracts';
import { badRequest } from './errors.ts';
import { LEAST_BYTES, readArgumentLimits } from './host/argument-limits.ts';
import { EMPTY_STREAM } from './processes/capture-stream.ts';

/** What every result of a run says, whatever became of it. */
export interface RunIdentity {
  readonly execution_id: Sha;
  readonly artifact_version: Sha;
  readonly receipt: Receipt;
}

/** What the kernel cannot pass on, and what would read as another argument on its way. */
export function checkEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(environment)) {
    if (/^[^=\0]+$/.test(name) && !value.includes('\0')) continue;
    throw badRequest(
      `the variable ${JSON.stringify(name)} cannot be set`,
      'names hold neither "=" nor NUL and are not empty; values hold no NUL',
    );
  }
}

/** What the programs before the payload add to its own words. */
const MARGIN_BYTES = 16_384;
const POINTER_BYTES = 8;

/** Refuses a command line that the kernel of this host would not take: it would read as the program's own exit 126. */
export function checkSize(argv: readonly string[], environment: Readonly<Record<string, string>>): void {
  const words = [
    ...argv.map((text, index) => ({ name: `argument ${index}`, bytes: Buffer.byteLength(text) })),
    ...Object.entries(environment).map(([name, value]) => ({
      name: `the variable ${JSON.stringify(name)}`,
      bytes: Buffer.byteLength(`${name}=${value}`),
    })),
  ];
  const sum = words.reduce((total, { bytes }) => total + bytes + 1 + POINTER_BYTES, MARGIN_BYTES);
  if (sum <= LEAST_BYTES) return;
  const { word, total } = readArgumentLimits();
  const large = words.find(({ bytes }) => bytes >= word);
  if (large !== undefined)
    throw badRequest(`${large.name} has ${large.bytes} bytes`, `a word has at most ${word - 1}: ${INSTEAD}`);
  if (sum > total)
    throw badRequest(
      `arguments and variables take ${sum - MARGIN_BYTES} bytes together`,
      `this host takes ${total - MARGIN_BYTES}: ${INSTEAD}`,
    );
}

const INSTEAD = 'pass the rest as stdin or as a file of the tree';

/** The working folder, normalized. */
export function checkRequest(request: ExecutionRequest): string {
  const cwd = posix.normalize(request.cwd === '' ? '.' : request.cwd).replace(/\/$/, '');
  if (cwd.includes('\0') || cwd.startsWith('/') || cwd === '..' || cwd.startsWith('../'))
    throw badRequest(`cwd "${request.cwd}" is outside the tree`, 'give cwd relative to the root of the tree');
  if ((request.argv[0] ?? '') === '') throw badRequest('argv is empty', 'name the program as argv[0]');
  if (request.argv.some((argument) => argument.includes('\0')))
    throw badRequest('an argument holds a NUL byte', 'pass such data as stdin or as a file of the tree');
  checkCollect(request.collect);
  return cwd === '.' ? '' : cwd;
}

const LONGEST_GLOB = 65_536;

/** Refuses what the matcher would only refuse after the run, whose result would be lost. */
function checkCollect(globs: unknown): void {
  const isGlob = (glob: unknown) => typeof glob === 'string' && glob !== '' && glob.length <= LONGEST_GLOB;
  if (Array.isArray(globs) && globs.every(isGlob)) return;
  throw badRequest('collect holds what is no glob', 'give a list of globs relative to the tree, such as "out/**"');
}

/** Names one run: what is run, where, and which time. */
export function executionId(environment: Sha, request: ExecutionRequest): Sha {
  return hashRecord({ artifact_version: request.artifact_version, environment, ordinal: request.ordinal, request });
}

/** The result of a run of which nothing was started. */
export function withoutRun(identity: RunIdentity, endedBy: EndedBy): ExecutionResult {
  return { ...identity, ended_by: endedBy, stdout: EMPTY_STREAM, stderr: EMPTY_STREAM, files: [] };
}
