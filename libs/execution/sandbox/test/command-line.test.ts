import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArgumentLimits } from '../src/host/argument-limits.ts';
import type { BackendName } from '../src/index.ts';
import { type Opened, openSandbox, requireTools } from './open-sandbox.ts';

describe.each<BackendName>(['bubblewrap', 'util-linux', 'plain'])('under %s', (backend) => {
  let opened: Opened;
  beforeAll(async () => {
    requireTools();
    opened = await openSandbox({ backend });
  });
  afterAll(() => opened?.sandbox.close());

  it('variables of any name arrive, and no others', async () => {
    const env_set = {
      PATH: '/usr/bin:/bin',
      'A-B': 'v',
      'x.y': '1',
      '-S': 'a b',
      '--help': '2',
      '1a': '3',
      'sp ace': 'new\nline',
      é: "it's",
      N: '1',
      IFS: 'x',
      OPTIND: '7',
      PPID: '8',
      LD_X: '9',
      PWD: '/elsewhere',
    };
    const result = await opened.run(['/usr/bin/env', '-0'], { policy: { env_set } });
    const seen = Object.fromEntries(result.stdout.text.split('\0').map((line) => line.split(/=(.*)/s).slice(0, 2)));
    expect(seen).toMatchObject(env_set);
    const more = Object.keys(seen).filter((name) => name !== '' && !Object.hasOwn(env_set, name));
    const own = ['HOME', 'LANG', 'LC_ALL', 'PYTHONHASHSEED', 'TMPDIR', 'TZ'];
    expect(more.sort()).toEqual(backend === 'plain' ? [...own.slice(0, 1), 'H_SANDBOX_RUN', ...own.slice(1)] : own);
  });

  it('a program whose path holds "=" is run itself, by path or by name, and nothing else is', async () => {
    const program = { text: '#!/bin/sh\necho "ran $*"; env | grep -c "^p="\n', mode: 0o100755 };
    const files = { 'p=1': program, 'o=1/p=2': program };
    const ran = { ended_by: 'exit', exit_code: 1, stdout: { text: 'ran echo wrong\n0\n' } };
    expect(await opened.run(['./p=1', 'echo', 'wrong'], { files })).toMatchObject(ran);
    expect(await opened.run(['o=1/p=2', 'echo', 'wrong'], { files })).toMatchObject(ran);
    const policy = { env_set: { PATH: './o=1:/usr/bin:/bin', 'x.y': '1' } };
    expect(await opened.run(['p=2', 'echo', 'wrong'], { files, policy })).toMatchObject(ran);
    const missing = await opened.run(['p=3', 'echo', 'wrong'], { files, policy });
    expect(missing).toMatchObject({ ended_by: 'exit', exit_code: 127, stdout: { text: '' } });
  });

  it('words as long as the kernel takes are passed on, longer ones refused', async () => {
    const { word, total } = readArgumentLimits();
    const long = 'é'.repeat(Math.floor((word - 1) / 2));
    const longest = long + 'a'.repeat(word - 1 - 2 * long.length);
    const shown = await opened.run(['/bin/sh', '-c', 'printf %s "$1" | wc -c', 'sh', longest]);
    expect(shown.stdout.text.trim()).toBe(String(word - 1));
    const env_set = { PATH: '/usr/bin:/bin', X: 'a'.repeat(word - 3) };
    expect((await opened.sh('printf %s "$X" | wc -c', { policy: { env_set } })).stdout.text.trim()).toBe(`${word - 3}`);
    const refused = (message: RegExp) => ({ code: 'bad_request', message: expect.stringMatching(message) });
    await expect(opened.run(['true', `${longest}a`])).rejects.toMatchObject(refused(/argument 1 has/));
    const more = { policy: { env_set: { ...env_set, X: `${env_set.X}a` } } };
    await expect(opened.run(['true'], more)).rejects.toMatchObject(refused(/the variable "X" has/));

    const half = 'a'.repeat(word / 2);
    const fitting = Array.from({ length: Math.floor((total - 40_000) / (half.length + 9)) }, () => half);
    expect((await opened.run(['true', ...fitting])).exit_code).toBe(0);
    await expect(opened.run(['true', ...fitting, half])).rejects.toMatchObject(refused(/together/));
  });
});
