import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Python {
  readonly version: string;
  readonly executable: string;
}

/** Every CPython 3.8 to 3.13 that pyenv has here, and the one on the path: the tests need one and use what is present. */
export function presentPythons(): Python[] {
  const versions = join(homedir(), '.pyenv/versions');
  const candidates = existsSync(versions)
    ? readdirSync(versions).map((name) => join(versions, name, 'bin/python'))
    : [];
  const found = new Map<string, string>();
  for (const executable of ['python3', ...candidates]) {
    const { stdout } = spawnSync(executable, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], {
      encoding: 'utf8',
    });
    const version = stdout?.trim() ?? '';
    if (/^3\.(?:[89]|1[0-3])$/.test(version) && !found.has(version)) found.set(version, executable);
  }
  return [...found].map(([version, executable]) => ({ version, executable }));
}

export function hasPytest({ executable }: Python): boolean {
  return spawnSync(executable, ['-c', 'import pytest']).status === 0;
}

/** The oldest and the newest of them, and the first that specialises its bytecode: where starting each would take minutes. */
export function samplePythons(): Python[] {
  const pythons = presentPythons().sort((one, two) => minorOf(one) - minorOf(two));
  return pythons.filter((python, index) => index === 0 || index === pythons.length - 1 || minorOf(python) === 11);
}

function minorOf({ version }: Python): number {
  return Number(version.split('.')[1]);
}
