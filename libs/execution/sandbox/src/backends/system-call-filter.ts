/** Numbers on x64 and arm64; undefined where the architecture has no such call. Namespaces do not cover what these reach. */
const DENIED: readonly (readonly [name: string, x64: number | undefined, arm64: number | undefined])[] = [
  ['acct', 163, 89],
  ['add_key', 248, 217],
  ['bpf', 321, 280],
  ['delete_module', 176, 106],
  ['fanotify_init', 300, 262],
  ['finit_module', 313, 273],
  ['fsconfig', 431, 431],
  ['fsmount', 432, 432],
  ['fsopen', 430, 430],
  ['fspick', 433, 433],
  ['init_module', 175, 105],
  ['ioperm', 173, undefined],
  ['iopl', 172, undefined],
  ['kexec_file_load', 320, 294],
  ['kexec_load', 246, 104],
  ['keyctl', 250, 219],
  ['mount', 165, 40],
  ['mount_setattr', 442, 442],
  ['move_mount', 429, 429],
  ['open_by_handle_at', 304, 265],
  ['open_tree', 428, 428],
  ['perf_event_open', 298, 241],
  ['pivot_root', 155, 41],
  ['quotactl', 179, 60],
  ['reboot', 169, 142],
  ['request_key', 249, 218],
  ['setns', 308, 268],
  ['swapoff', 168, 225],
  ['swapon', 167, 224],
  ['syslog', 103, 116],
  ['umount2', 166, 39],
  ['unshare', 272, 97],
  ['userfaultfd', 323, 282],
];

/** As if the kernel did not have them: programs then take another way. */
const ABSENT: typeof DENIED = [
  ['io_uring_enter', 426, 426],
  ['io_uring_register', 427, 427],
  ['io_uring_setup', 425, 425],
];

/** unix, inet, inet6, netlink. The rest is not all bound to a network namespace: vsock reaches the machine's host. */
const ALLOWED_FAMILIES = [1, 2, 10, 16];

const ARCHITECTURES = {
  x64: { column: 1, audit: 0xc000_003e, socket: 41 },
  arm64: { column: 2, audit: 0xc000_00b7, socket: 198 },
} as const;

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const ALLOW = 0x7fff_0000;
const refuse = (errno: number) => 0x0005_0000 | errno;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_ABOVE = 0x35;
const RETURN = 0x06;
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
// x32 calls have this bit; they would pass a filter of plain numbers.
const X32 = 0x4000_0000;

type Step = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number];

/** Classic BPF program for seccomp, little-endian, as `bwrap --seccomp` reads it; undefined for an architecture whose numbers are not known. */
export function buildSystemCallFilter(architecture: string): Uint8Array | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  const { column, audit, socket } = ARCHITECTURES[architecture];
  const numbers = (calls: typeof DENIED) => calls.map((call) => call[column]).filter((number) => number !== undefined);
  const each = (values: readonly number[], verdict: number): Step[] =>
    values.flatMap((value): Step[] => [
      [JUMP_EQUAL, 0, 1, value],
      [RETURN, 0, 0, verdict],
    ]);
  const program: Step[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, refuse(ENOSYS)],
    [LOAD, 0, 0, NUMBER],
    [JUMP_ABOVE, 0, 1, X32],
    [RETURN, 0, 0, refuse(ENOSYS)],
    ...each(numbers(DENIED), refuse(EPERM)),
    ...each(numbers(ABSENT), refuse(ENOSYS)),
    [JUMP_EQUAL, 1, 0, socket],
    [RETURN, 0, 0, ALLOW],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    ...each(ALLOWED_FAMILIES, ALLOW),
    [RETURN, 0, 0, refuse(EAFNOSUPPORT)],
  ];
  return encode(program);
}

function encode(program: readonly Step[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
