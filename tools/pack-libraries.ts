// Packs every library as it is published: built files and declarations, README, licence, notices, a manifest without what only this
// workspace needs. `npm run pack` writes the tarballs to .h/packages; `npm publish <tarball>` publishes one.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Library, listLibraries, type Manifest } from './workspace.ts';

export interface PackedLibrary {
  readonly name: string;
  /** Absolute path. */
  readonly tarball: string;
  /** Domain folder: "base", "diagnosis" … */
  readonly domain: string;
  /** Libraries of ours that an install of this one brings, itself included, sorted. */
  readonly closure: readonly string[];
}

/** Packs every built library into `out`, an empty or absent folder. Throws where a library is not built or npm refuses it. */
export function packLibraries(root: string, out: string): PackedLibrary[] {
  const libraries = listLibraries(root);
  const staging = join(out, 'staging');
  rmSync(out, { recursive: true, force: true });
  for (const library of libraries) stage(root, library, join(staging, basename(library.path)));
  const folders = libraries.map(({ path }) => join(staging, basename(path)));
  const packed = npm(['pack', '--json', '--pack-destination', out, ...folders], root);
  const tarballs = new Map(packed.map(({ name, filename }) => [name, join(resolve(out), filename)]));
  rmSync(staging, { recursive: true });
  return libraries.map(({ name, path }) => ({
    name,
    tarball: tarballs.get(name) ?? '',
    domain: path.split('/')[1] ?? '',
    closure: closureOf(name, libraries),
  }));
}

const SHIPPED = ['README.md', 'CHANGELOG.md', 'LICENSE'];

function stage(root: string, { path, name, manifest }: Library, target: string): void {
  const from = join(root, path);
  if (!existsSync(join(from, 'dist', 'index.js'))) throw new Error(`${name} is not built: npm run build`);
  mkdirSync(target, { recursive: true });
  for (const folder of manifest.files ?? [])
    cpSync(join(from, folder), join(target, folder), { recursive: true, filter: isShipped });
  for (const file of SHIPPED) if (existsSync(join(from, file))) cpSync(join(from, file), join(target, file));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
}

/** Declaration maps lead to sources that are not shipped, and build state is nobody's business. */
function isShipped(path: string): boolean {
  return !path.endsWith('.map') && !path.endsWith('.tsbuildinfo');
}

/** The manifest without scripts, development dependencies and the door to the sources. */
export function publishedManifest({ scripts: _scripts, devDependencies: _dev, exports, ...rest }: Manifest): Manifest {
  const doors = Object.entries(exports ?? {}).map(([door, target]) => {
    if (typeof target === 'string') return [door, target];
    const { '@h/source': _source, ...shipped } = target;
    return [door, shipped];
  });
  return { ...rest, exports: Object.fromEntries(doors) };
}

function closureOf(name: string, libraries: readonly Library[]): string[] {
  const found = new Set<string>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const library = libraries.find((one) => one.name === next);
    if (library === undefined || found.has(next)) continue;
    found.add(next);
    open.push(...Object.keys({ ...library.manifest.dependencies, ...library.manifest.peerDependencies }));
  }
  return [...found].sort();
}

function npm(args: readonly string[], cwd: string): { name: string; filename: string }[] {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`npm ${args[0]} failed:\n${stderr}`);
  return JSON.parse(stdout);
}

if (process.argv[1] === import.meta.filename) {
  const out = join('.h', 'packages');
  for (const { tarball } of packLibraries('.', out)) console.log(tarball);
  console.log(`${readdirSync(out).length} packages`);
}
