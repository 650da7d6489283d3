import type { Attack } from './attack.ts';
import type { Bait } from './lay-bait.ts';

/** System calls by number, x64 and arm64: few of them have a wrapper in Python. */
const CALLS: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioprio_set: [251, 30],
  kcmp: [312, 272],
  keyctl: [250, 219],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pidfd_open: [434, 434],
  pidfd_send_signal: [424, 424],
  pivot_root: [155, 41],
  process_madvise: [440, 440],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  renameat2: [316, 276],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  sched_setattr: [314, 274],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  shmat: [30, 196],
  syslog: [103, 116],
  tgkill: [234, 131],
  timer_create: [222, 107],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
};

export function callNumbers(architecture: string): Record<string, number> {
  const column = architecture === 'arm64' ? 1 : 0;
  return Object.fromEntries(Object.entries(CALLS).map(([name, numbers]) => [name, numbers[column]]));
}

/** `TRIED` shows that the attempt was made at all: an attack whose program cannot even start would look blocked. */
const PYTHON = String.raw`
import ctypes, json, os, signal, socket, struct, sys, time
B = json.loads(sys.argv[1]); T = B['token']
C = ctypes.CDLL(None, use_errno=True); C.syscall.restype = ctypes.c_long
C.mmap.restype = ctypes.c_void_p
def say(text): os.write(1, (text if isinstance(text, bytes) else str(text).encode()) + b'\n')
def did(): say('DID ' + T)
def call(name, *args):
    words = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    got = C.syscall(ctypes.c_long(B['calls'][name]), *words)
    if got == -1: raise OSError(ctypes.get_errno(), name + ': ' + os.strerror(ctypes.get_errno()))
    return got
def put(path, flags=os.O_WRONLY | os.O_CREAT): os.write(os.open(path, flags, 0o666), T.encode())
def tell(path, text): os.write(os.open(path, os.O_WRONLY), text.encode())
def show(path, most=4000): say(os.read(os.open(path, os.O_RDONLY), most))
def name(fd, path):
    if C.linkat(-100, b'/proc/self/fd/%d' % fd, -100, path.encode(), 0x400): raise OSError(ctypes.get_errno(), 'linkat')
def send(family, kind, address, text=None):
    s = socket.socket(family, kind); s.settimeout(1); s.connect(address); s.send((text or T).encode())
    try: say(s.recv(200))
    except OSError: pass
def daemon(body=None):
    if os.fork(): return
    os.setsid()
    if os.fork(): os._exit(0)
    (body or (lambda: time.sleep(20)))(); os._exit(0)
def mount(source, target, kind, flags=0, data=None):
    e = lambda t: t.encode() if t else None
    call('mount', e(source), e(target), e(kind), flags, e(data))
C.prctl(15, T.encode(), 0, 0, 0)
say('TRIED ' + T)
try: exec(compile(sys.argv[2], 'attack', 'exec'))
except BaseException as problem:
    if not isinstance(problem, SystemExit): say('NO ' + repr(problem))
`;

const NODE = String.raw`
const fs = require('node:fs'), net = require('node:net'), dns = require('node:dns'), os = require('node:os');
const { spawn, spawnSync } = require('node:child_process');
const B = JSON.parse(process.argv[1]), T = B.token;
const say = (text) => fs.writeSync(1, text + '\n');
const did = () => say('DID ' + T);
const put = (path) => fs.writeFileSync(path, T);
process.on('uncaughtException', (error) => { say('NO ' + error); process.exit(1); });
say('TRIED ' + T);
(async () => { await eval('(async () => {' + process.argv[2] + '})()'); })().catch((error) => { say('NO ' + error); process.exit(1); });
`;

/** Words of the bait are variables of the shell. */
const SHELL = 'T=$1; HIDDEN=$2; RO=$3; BYSTANDER=$4; CALLER=$5; TCP=$6; echo "TRIED $T"; did() { echo "DID $T"; }';

export interface Interpreters {
  readonly python: string;
  readonly node: string;
}

/** The same words inside and outside. */
export function commandLine({ language, code }: Attack, bait: Bait, { python, node }: Interpreters): string[] {
  if (language === 'python') return [python, '-I', '-S', '-c', PYTHON, JSON.stringify(bait), code];
  if (language === 'node') return [node, '-e', NODE, JSON.stringify(bait), code];
  const { token, hidden, ro, bystander, caller, tcp } = bait;
  return [
    '/bin/sh',
    '-c',
    `${SHELL}; ${code}`,
    'sh',
    token,
    hidden,
    ro,
    String(bystander),
    String(caller),
    String(tcp),
  ];
}
