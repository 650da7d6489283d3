// Real packages, brought by the registries' own clients at the time of a check, verified, unpacked, and given an environment of their own.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import type { ObtainedPackage, RealPackage } from './real-package.ts';

const PATIENCE_MS = 300_000;
const TRIES = 3;

/** The registry does not answer: a check that has no network is untested, which is neither passed nor failed. */
export class RegistryUnreachable extends Error {
  override readonly name = 'RegistryUnreachable';
}

/** Folder that keeps archives and environments from one check to the next: `$H_REAL_PACKAGES`, else `~/.cache/h/real-packages`. */
export function packageCache(): string {
  return process.env.H_REAL_PACKAGES ?? join(homedir(), '.cache/h/real-packages');
}

/**
 * The package's project with an environment to run its tests in; what an earlier call made is used again. Throws
 * `RegistryUnreachable` where the registry cannot be reached, and an error that names both digests where the archive is another one.
 */
export async function obtainPackage(pin: RealPackage): Promise<ObtainedPackage> {
  const key = createHash('sha256').update(JSON.stringify(pin)).digest('hex').slice(0, 12);
  const home = join(packageCache(), `${pin.name.replace(/\W+/g, '-')}-${pin.version}-${key}`);
  const folder = join(home, 'project');
  if (!existsSync(join(home, 'ready'))) {
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    const archive = await bringArchive(pin);
    await unpack(archive, folder);
    for (const path of pin.without ?? []) rmSync(join(folder, path), { recursive: true });
    await (pin.source === 'sdist' ? makeVenv(pin, folder) : installModules(pin, folder));
    writeFileSync(join(home, 'ready'), '');
  }
  return { pin, folder, ...(pin.source === 'sdist' ? { python: join(folder, '.venv/bin/python') } : {}) };
}

async function bringArchive(pin: RealPackage): Promise<string> {
  const archives = join(packageCache(), 'archives');
  mkdirSync(archives, { recursive: true });
  const kept = join(archives, pin.sha256);
  if (existsSync(kept)) return kept;
  const arrival = mkdtempSync(join(archives, 'arriving-'));
  try {
    if (pin.source === 'sdist')
      await fetching('python3', [...PIP, 'download', '--no-deps', '--no-binary=:all:', '-d', arrival, exact(pin)]);
    else
      await fetching('npm', [
        'pack',
        '--loglevel=error',
        '--ignore-scripts',
        '--pack-destination',
        arrival,
        exact(pin),
      ]);
    const [name = ''] = readdirSync(arrival);
    const digest = createHash('sha256')
      .update(readFileSync(join(arrival, name)))
      .digest('hex');
    if (digest !== pin.sha256)
      throw new Error(`${basename(name)} has the digest ${digest}; ${exact(pin)} is pinned at ${pin.sha256}`);
    renameSync(join(arrival, name), kept);
    return kept;
  } finally {
    rmSync(arrival, { recursive: true, force: true });
  }
}

function exact({ name, version, source }: RealPackage): string {
  return source === 'sdist' ? `${name}==${version}` : `${name}@${version}`;
}

const PIP = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];

/** What the clients say of a registry that they cannot reach; pip, at the end, only that it has no versions of anything. */
const AWAY =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|NewConnectionError|name resolution|timed out|from versions: none/i;

/** A registry's client, again where it failed: networks are slow at times. */
async function fetching(program: string, args: readonly string[], cwd?: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const options = {
      reject: false,
      timeout: PATIENCE_MS,
      stdin: 'ignore',
      ...(cwd === undefined ? {} : { cwd }),
    } as const;
    const { exitCode, stderr } = await execa(program, args, options);
    if (exitCode === 0) return;
    const said = String(stderr).trim().split('\n').slice(-6).join('\n');
    const isAway = AWAY.test(String(stderr));
    if (attempt < TRIES) continue;
    if (isAway) throw new RegistryUnreachable(`${program} ${args.join(' ')}: ${said}`);
    throw new Error(`${program} ${args.join(' ')} ended with ${exitCode}: ${said}`);
  }
}

/** Archives of both registries hold one folder. */
async function unpack(archive: string, folder: string): Promise<void> {
  mkdirSync(folder);
  await execa('tar', ['-xzf', archive, '-C', folder, '--strip-components=1', '--no-same-owner']);
}

/** A virtual environment inside the project, where every tool looks for one. Its own sources are on the path as an editable install puts them. */
async function makeVenv(pin: RealPackage, folder: string): Promise<void> {
  const venv = join(folder, '.venv');
  await execa('python3', ['-m', 'venv', '--without-pip', venv]);
  await fetching('python3', ['-m', 'pip', '--quiet', '--python', join(venv, 'bin/python'), 'install', ...pin.install]);
  const [version = ''] = readdirSync(join(venv, 'lib')).filter((name) => name.startsWith('python3'));
  const packages = join(venv, 'lib', version, 'site-packages');
  writeFileSync(join(packages, '_h_editable.pth'), `${join(folder, pin.sources ?? '.')}\n`);
}

/** `node_modules` inside the project, holding what the pin names and nothing that its own manifest asks for besides. */
async function installModules(pin: RealPackage, folder: string): Promise<void> {
  const aside = mkdtempSync(join(folder, '..', 'modules-'));
  writeFileSync(join(aside, 'package.json'), JSON.stringify({ name: 'modules', private: true }));
  const flags = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--prefer-offline',
    '--loglevel=error',
  ];
  if (pin.install.length > 0) await fetching('npm', ['install', ...flags, ...pin.install], aside);
  mkdirSync(join(aside, 'node_modules'), { recursive: true });
  if (existsSync(join(folder, 'node_modules')) && statSync(join(folder, 'node_modules')).isDirectory())
    rmSync(join(folder, 'node_modules'), { recursive: true });
  renameSync(join(aside, 'node_modules'), join(folder, 'node_modules'));
  rmSync(aside, { recursive: true, force: true });
}
