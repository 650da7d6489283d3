import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSystemCallFilter } from '../../src/backends/system-call-filter.ts';
import { discoverPython } from '../../src/index.ts';
import { NAMESPACES, type Opened, openSandbox, requireTools } from '../open-sandbox.ts';

// Each also runs outside, as root perhaps: so none may change anything there.
const ATTEMPTS: Record<string, string> = {
  'the session keyring of the host': 'assert syscall(250, 11, -3, buffer(200), 200) >= 0',
  'a socket to the machine’s host': 'socket.socket(40, socket.SOCK_STREAM)',
  'an io_uring': 'assert syscall(425, 4, buffer(120)) >= 0 or errno() != 38',
  'a user fault descriptor': 'assert syscall(323, 1) >= 0',
  'the beginnings of a mount': 'assert syscall(430, b"tmpfs", 0) >= 0',
  'a namespace': 'assert syscall(272, 0x400) >= 0',
};
// What must go on working.
const ALLOWED: Record<string, string> = {
  'unix, inet, inet6 and netlink sockets': 'for family in (1, 2, 10, 16): socket.socket(family, socket.SOCK_DGRAM)',
  'socket pairs': 'socket.socketpair()',
  'threads and child processes':
    'import threading, subprocess; t = threading.Thread(target=print); t.start(); t.join(); assert subprocess.call(["true"]) == 0',
  'locks shared by processes':
    'import multiprocessing; multiprocessing.Lock(); multiprocessing.Pool(2).map(abs, [1, -1])',
  'tracing its own children':
    'import os; pid = os.fork() or os._exit(0); os.waitpid(pid, 0); assert syscall(101, 16, pid, 0, 0) == -1 and errno() == 3',
};
const PRELUDE = `
import ctypes, socket
libc = ctypes.CDLL(None, use_errno=True)
syscall, buffer, errno = libc.syscall, ctypes.create_string_buffer, ctypes.get_errno
`;

describe.runIf(process.arch === 'x64').each(NAMESPACES)('the filter under %s', (backend) => {
  let confined: Opened;
  let python: string;
  beforeAll(async () => {
    requireTools();
    const found = await discoverPython(['python3']);
    if ('reason' in found) throw new Error(`Python 3 is needed for these attempts: ${found.reason}`);
    python = found.executable;
    confined = await openSandbox({ backend, readOnlyPaths: [found.prefix, found.base_prefix] });
  });
  afterAll(async () => {
    await confined?.sandbox.close();
  });

  it.for(Object.entries(ATTEMPTS))('refuses %s', async ([, attempt], { skip }) => {
    const argv = [python, '-c', PRELUDE + attempt];
    const outside = spawnSync(python, argv.slice(1), { stdio: 'ignore' });
    const inside = await confined.run(argv);
    skip(outside.status !== 0, 'untested: does not work outside either, on this host or for this user');
    expect(inside.exit_code).toBe(1);
  });

  it.each(Object.entries(ALLOWED))('lets be: %s', async (_name, attempt) => {
    const result = await confined.run([python, '-c', PRELUDE + attempt]);
    expect(result.stderr.text).toBe('');
    expect(result.exit_code).toBe(0);
  });

  it('is installed', async () => {
    expect((await confined.sh('grep ^Seccomp: /proc/self/status')).stdout.text).toBe('Seccomp:\t2\n');
  });
});

it('is the same program each time, whole instructions, jumps in range', () => {
  for (const architecture of ['x64', 'arm64']) {
    const program = buildSystemCallFilter(architecture);
    expect(program).toEqual(buildSystemCallFilter(architecture));
    expect((program?.length ?? 1) % 8).toBe(0);
    expect(
      Buffer.from(program ?? [])
        .subarray(-8)
        .readUInt16LE(0),
    ).toBe(0x06);
  }
  expect(buildSystemCallFilter('s390x')).toBeUndefined();
});
