import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { filterWords } from '../../src/backends/apply-filter.ts';
import { findTools } from '../../src/host/find-tools.ts';

const tools = findTools(process.env.PATH ?? '');

it.runIf(process.arch === 'x64' || process.arch === 'arm64')('puts a command under the filter, as it is', async () => {
  const words = await filterWords(tools);
  const argv = [
    '--no-new-privs',
    '--',
    ...words,
    '/bin/sh',
    '-c',
    'echo "$1"; grep ^Seccomp: /proc/self/status',
    'sh',
    "it's",
  ];
  const shown = spawnSync(tools.setpriv ?? '', argv, { encoding: 'utf8' });
  expect([shown.stdout, shown.stderr]).toEqual(["it's\nSeccomp:\t2\n", '']);
});

it('is nothing where it cannot be had', async () => {
  expect(await filterWords({ ...tools, perl: '/bin/false' })).toEqual([]);
  expect(await filterWords({ ...(tools.setpriv !== undefined && { setpriv: tools.setpriv }) })).toEqual([]);
  expect(await filterWords(tools, 's390x')).toEqual([]);
});
