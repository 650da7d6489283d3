// What a run ended by, for every limit under every backend.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackendName } from '../src/index.ts';
import { leftovers, type Opened, openSandbox, type RunOptions, requireTools } from './open-sandbox.ts';

beforeAll(requireTools);

const MEBIBYTE = 2 ** 20;
type Case = [what: string, end: string, script: string, policy?: RunOptions['policy']];

const ENDS: Case[] = [
  ['a run within its limits', 'exit', 'head -c 1000000 /dev/zero | tail -c 1; echo x > file'],
  ['a run that fails', 'exit', 'exit 3'],
  ['a run that ends itself', 'signal', 'kill -TERM $$'],
  ['too long', 'wall_limit', 'sleep 60', { wall_ms: 300 }],
  ['too much processor time', 'cpu_limit', 'while :; do :; done', { cpu_ms: 200 }],
  ['a flood of output', 'output_limit', 'yes'],
];

/** Signals and codes of limits that were not reached. */
const PRETENDED: Case[] = [
  ['code 152 with no limit of time', 'no limit', 'exit 152'],
  ['code 153', 'no limit', 'exit 153'],
  ['a SIGXCPU of its own', 'no limit', 'kill -XCPU $$'],
  ['a SIGXCPU of its own, far from the limit', 'no limit', 'kill -XCPU $$', { cpu_ms: 60_000 }],
  ['a SIGXFSZ of its own', 'no limit', 'kill -XFSZ $$'],
  ['a file over a limit of its own', 'no limit', 'ulimit -f 1; exec head -c 100000 /dev/zero > f'],
];

const LIMITED: Case[] = [
  ['too much memory', 'memory_limit', 'head -c 400000000 /dev/zero | tail | wc -c', { memory_bytes: 64 * MEBIBYTE }],
  [
    'a child with too much memory',
    'memory_limit',
    '(head -c 400000000 /dev/zero | tail > /dev/null); exit 0',
    { memory_bytes: 64 * MEBIBYTE },
  ],
  ['a fork bomb', 'pids_limit', 'bomb() { bomb | bomb & }; bomb; sleep 20', { pids_max: 40 }],
];

const DISK: Case[] = [
  [
    'a full workspace',
    'disk_limit',
    'for i in 1 2 3 4; do head -c 1500000 /dev/zero > f$i || exit 1; done',
    { disk_bytes: 4 * MEBIBYTE },
  ],
  [
    'a full temporary folder',
    'disk_limit',
    'for i in 1 2 3 4; do head -c 1500000 /dev/zero > /tmp/f$i || exit 1; done',
    { disk_bytes: 4 * MEBIBYTE },
  ],
  [
    'too many files',
    'disk_limit',
    'i=0; while [ $i -lt 300 ]; do : > f$i || exit 1; i=$((i+1)); done',
    { inodes_max: 200 },
  ],
  [
    'a full disk that the run copes with',
    'exit',
    'head -c 9000000 /dev/zero > f 2>/dev/null; rm f; exit 0',
    { disk_bytes: 4 * MEBIBYTE },
  ],
  [
    'a failure beside an emptied disk',
    'exit',
    'head -c 900000 /dev/zero > f; rm f; exit 1',
    { disk_bytes: 4 * MEBIBYTE },
  ],
];

describe.each<BackendName>(['bubblewrap', 'util-linux', 'plain'])('%s', (backend) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openSandbox({ backend });
  });
  afterAll(async () => {
    await opened.sandbox.close();
    expect(leftovers()).toEqual([]);
  });
  const endOf = async ([, end, script, policy = {}]: Case) => {
    const { ended_by, stderr } = await opened.sh(script, { policy });
    expect([ended_by, ended_by === end ? '' : stderr.text.slice(-300)]).toEqual([end, '']);
  };

  it.each(ENDS)('says of %s: %s', async (...one) => endOf(one));
  it.each(PRETENDED)('says no limit of %s', async (_what, _end, script, policy = {}) => {
    const { ended_by, exit_code, signal } = await opened.sh(script, { policy });
    expect(['exit', 'signal']).toContain(ended_by);
    expect([ended_by, `${signal ?? exit_code}`]).toEqual([ended_by, expect.stringMatching(/^(SIGX(CPU|FSZ)|15[23])$/)]);
  });
  it.each(LIMITED)('says of %s: %s', async (...one) => {
    const { receipt } = await opened.sh('true');
    // Watched only, or not at all: what is seen in time depends on the host.
    if (receipt?.properties.memory_limit === 'enforced' || backend === 'plain') await endOf(one);
  });
  it.each(DISK)('says of %s: %s', async (...one) => {
    if (backend !== 'plain') return endOf(one);
    const { receipt } = await opened.sh('true');
    expect([receipt?.properties.disk_limit, receipt?.properties.inodes_limit]).toEqual(['unmet', 'unmet']);
  });
  it('says of one file that is too large: disk_limit', async () => {
    const result = await opened.run(['dd', 'if=/dev/zero', 'of=large', 'bs=1M', 'count=8'], {
      policy: { disk_bytes: 4 * MEBIBYTE },
    });
    expect(result.ended_by).toBe('disk_limit');
  });
});
