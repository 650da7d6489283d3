import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { discoverNode, discoverPython } from '../../src/index.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'h-test-python-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function script(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

it('sees through a shim to the interpreter, and lists what is installed', async () => {
  const direct = await discoverPython(['python3']);
  if ('reason' in direct) throw new Error(`Python 3 is needed for this test: ${direct.reason}`);
  const shim = await discoverPython([script('python-shim', 'exec python3 "$@"')]);
  expect(shim).toEqual(direct);
  expect(direct.executable).not.toContain('shims');
  expect(direct.version).toMatch(/^3\.\d+\.\d+$/);
  expect(Object.keys(direct.packages)).toEqual(Object.keys(direct.packages).sort());
});

it('knows a virtual environment from its base', async () => {
  const base = await discoverPython(['python3']);
  if ('reason' in base) throw new Error(base.reason);
  await execa(base.executable, ['-m', 'venv', '--without-pip', join(root, 'venv')]);
  const found = await discoverPython([join(root, 'venv/bin/python')]);
  expect(found).toMatchObject({
    executable: join(root, 'venv/bin/python'),
    prefix: join(root, 'venv'),
    base_prefix: base.base_prefix,
    packages: {},
  });
});

it('takes the first that works and says why the others did not', async () => {
  const broken = script('broken', 'echo "no such luck" >&2; exit 3');
  const second = script(
    'second',
    `echo '{"executable":"/x","version":"2.7.18","major":2,"prefix":"/","base_prefix":"/","outside_paths":[],"packages":{}}'`,
  );
  const chatty = script('chatty', 'echo not json');
  const missing = await discoverPython(['no-such-python', join(root, 'absent'), broken, second, chatty]);
  expect(missing).toMatchObject({
    tried: [
      { reason: 'not in PATH' },
      {},
      { reason: 'no such luck' },
      { reason: 'is Python 2.7.18' },
      { candidate: chatty },
    ],
  });
  expect(await discoverPython([broken, 'python3'])).toHaveProperty('executable');
  expect(await discoverPython([])).toMatchObject({ reason: 'no Python 3 found (no candidates)' });
});

it('describes the Node that runs it', () => {
  expect(discoverNode()).toMatchObject({ executable: process.execPath, version: process.versions.node });
});
