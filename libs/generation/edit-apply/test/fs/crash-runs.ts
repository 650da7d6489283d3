// A file system that fails or dies at a given call, packages to write through it, and what must hold afterwards.
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { applyToFolder, type FileSystemPort, nodeFileSystem, recover } from '../../src/fs.ts';
import type { EditPackage } from '../../src/index.ts';
import { randomSource } from '../random-edits.ts';

/** How a call goes wrong: the process dies before or after it, or it fails once, before or after its effect, or from then on always. */
export const FAULTS = [
  'dies before',
  'dies after',
  'dies midway',
  'fails before',
  'fails after',
  'fails for good',
] as const;
export type Fault = (typeof FAULTS)[number];

class Died extends Error {}

/** Counts calls; call number `at` goes wrong as `fault` says. */
export function faultyFileSystem(at: number, fault: Fault): FileSystemPort & { readonly calls: () => number } {
  let calls = 0;
  let dead = false;
  const broken = () => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  const wrap =
    <Args extends unknown[], T>(name: keyof FileSystemPort, call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (dead) throw new Died();
      const now = calls++;
      if (now !== at) {
        if (fault === 'fails for good' && now > at) throw broken();
        return call(...args);
      }
      if (fault === 'fails before' || fault === 'fails for good') throw broken();
      if (fault === 'dies midway' && (name === 'create' || name === 'overwrite')) {
        const [path, bytes] = args as unknown as [string, Uint8Array];
        writeFileSync(path, bytes.subarray(0, bytes.length >> 1));
      } else if (fault === 'dies after' || fault === 'fails after') await call(...args);
      if (fault === 'fails after') throw broken();
      dead = true;
      throw new Died();
    };
  const port = Object.fromEntries(
    Object.entries(nodeFileSystem).map(([name, call]) => [
      name,
      wrap(name as keyof FileSystemPort, call as () => Promise<unknown>),
    ]),
  ) as unknown as FileSystemPort;
  return { ...port, calls: () => calls };
}

export interface CrashCase {
  readonly files: Readonly<Record<string, string>>;
  readonly edit: EditPackage;
  /** Files that have a second name outside the package. */
  readonly linked: readonly string[];
}

/** A package of `count` files: edits, creations, deletions and moves, some in folders that are not there. */
export function randomCase(seed: number, count: number): CrashCase {
  const { below, pick, next } = randomSource(seed);
  const files: Record<string, string> = { 'kept.txt': 'kept\n' };
  const linked: string[] = [];
  const entries = Array.from({ length: count }, (_, i): EditPackage['files'][number] => {
    const path = `${pick(['', 'd/', 'd/e/'])}f${i}.txt`;
    const text = `line ${i}\n`.repeat(1 + below(40));
    const op = pick(['edit', 'edit', 'create', 'delete', 'move'] as const);
    if (op === 'create') return { path: `${pick(['', 'new/', 'new/deep/'])}c${i}.txt`, op, content: text };
    files[path] = `${text}end ${i}\n`;
    if (op === 'edit' && next() < 0.3) linked.push(path);
    if (op === 'delete') return { path, op };
    const blocks = [{ search: `end ${i}`, replace: `END\n${text}` }];
    return op === 'edit' ? { path, op, blocks } : { path, op, to: `${pick(['', 'moved/'])}m${i}.txt`, blocks };
  });
  return { files, edit: { files: entries }, linked };
}

export function makeFolder(parent: string, { files, linked }: CrashCase): string {
  const root = mkdtempSync(join(parent, 'r-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), 0o640);
  }
  for (const [i, path] of linked.entries()) linkSync(join(root, path), join(root, `second-${i}.txt`));
  return root;
}

/** Every file with its mode and text, and every folder. */
export function picture(root: string): string {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  return paths
    .map((path) => {
      const state = lstatSync(join(root, path));
      return state.isDirectory()
        ? `${path}/`
        : `${path} ${(state.mode & 0o777).toString(8)} ${readFileSync(join(root, path), 'utf8')}`;
    })
    .join('\n');
}

/** Lines that one picture has and the other has not. */
function different(one: string, other: string): string {
  const [a, b] = [one, other].map((text) => new Set(text.split('\n')));
  const only = (x: Set<string> | undefined, y: Set<string> | undefined) =>
    [...(x ?? [])].filter((line) => !y?.has(line));
  return [...only(a, b).map((line) => `now ${line}`), ...only(b, a).map((line) => `was ${line}`)]
    .slice(0, 8)
    .join('\n');
}

export interface CrashOutcome {
  readonly state: 'old' | 'new';
  readonly calls: number;
}

/** Writes a package with one fault, recovers, and throws when the folder is neither wholly old nor wholly new, or not what was said. */
export async function crashRun(parent: string, one: CrashCase, at: number, fault: Fault): Promise<CrashOutcome> {
  const root = makeFolder(parent, one);
  const old = picture(root);
  const fileSystem = faultyFileSystem(at, fault);
  const said = await applyToFolder(root, one.edit, { fileSystem }).then(
    (result) => result.status,
    (error: unknown) => (error instanceof Died ? 'died' : ((error as { code?: string }).code ?? String(error))),
  );
  const now = picture(root);
  if (said === 'write_failed' && now.replace(/^\.h\/(?:edit-apply\/)?\n/gm, '') !== old)
    throw new Error(`nothing was to be written: ${fault} at ${at}\n${different(now, old)}`);
  const { state, conflicts } = await recover(root);
  const after = picture(root);
  const again = await recover(root);
  if (conflicts.length > 0 || again.state !== 'clean')
    throw new Error(`${fault} at ${at}: ${JSON.stringify({ conflicts, again })}`);
  const isOld = after === old;
  if (isOld && said === 'applied') throw new Error(`${fault} at ${at}: said to be applied, and is old`);
  if (!isOld && after !== (await pictureAfter(parent, one)))
    throw new Error(`${fault} at ${at}: neither old nor new\n${different(after, old)}`);
  if (state === (isOld ? 'new' : 'old')) throw new Error(`${fault} at ${at}: recovery says ${state}`);
  if (isOld) {
    const result = await applyToFolder(root, one.edit);
    if (result.status !== 'applied') throw new Error(`${fault} at ${at}: cannot be applied afterwards`);
  }
  rmSync(root, { recursive: true });
  return { state: isOld ? 'old' : 'new', calls: fileSystem.calls() };
}

const pictures = new Map<CrashCase, string>();
async function pictureAfter(parent: string, one: CrashCase): Promise<string> {
  const known = pictures.get(one);
  if (known !== undefined) return known;
  const root = makeFolder(parent, one);
  await applyToFolder(root, one.edit);
  for (const path of one.linked)
    if (statSync(join(root, path)).nlink !== 2) throw new Error(`${path} lost its second name`);
  const after = picture(root);
  pictures.set(one, after);
  rmSync(root, { recursive: true });
  return after;
}

/** How many calls writing the package takes. */
export async function callsOf(parent: string, one: CrashCase): Promise<number> {
  const root = makeFolder(parent, one);
  const fileSystem = faultyFileSystem(Number.POSITIVE_INFINITY, 'dies before');
  const result = await applyToFolder(root, one.edit, { fileSystem });
  if (result.status !== 'applied') throw new Error(JSON.stringify(result));
  rmSync(root, { recursive: true });
  return fileSystem.calls();
}
