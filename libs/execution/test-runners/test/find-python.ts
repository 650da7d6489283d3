import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Python {
  readonly version: string;
  readonly executable: string;
  /** Version of pytest, when that interpreter has it. */
  readonly pytest?: string;
}

const PROBE = 'import sys\nprint("%d.%d" % sys.version_info[:2])\nimport pytest\nprint(pytest.__version__)';

/** The interpreters from 3.8 to 3.13 that are here: the one on the path, and pyenv's. */
export function findPythons(): Python[] {
  const versions = join(homedir(), '.pyenv/versions');
  const present = existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, 'bin/python')) : [];
  const found = new Map<string, Python>();
  const named = process.env.H_TEST_PYTHON; // another interpreter, to check versions of pytest by hand
  for (const executable of named === undefined ? ['/usr/bin/python3', ...present] : [named]) {
    const { stdout } = spawnSync(executable, ['-c', PROBE], { encoding: 'utf8' });
    const [version = '', pytest] = (stdout ?? '').trim().split('\n');
    if (!/^3\.(?:[89]|1[0-3])$/.test(version)) continue;
    const python = { version, executable, ...(pytest === undefined ? {} : { pytest }) };
    if (found.get(version)?.pytest === undefined) found.set(version, python);
  }
  return [...found.values()];
}
