import { node, python, sh } from '../escape/attack.ts';

const MIB = 2 ** 20;
const memory = { policy: { memory_bytes: 64 * MIB }, property: 'memory_limit', alone: true } as const;
const disk = {
  policy: { disk_bytes: 8 * MIB, memory_bytes: 512 * MIB },
  property: 'disk_limit',
  alone: true,
} as const;
const inodes = {
  policy: { inodes_max: 300, memory_bytes: 512 * MIB },
  property: 'inodes_limit',
  alone: true,
} as const;
const output = { policy: { stream_bytes: 65_536 }, property: 'stream_cap' } as const;
const time = { policy: { cpu_ms: 400 }, property: 'cpu_time_limit', alone: true } as const;
const HOME = `os.path.expanduser('~')`;
const flood = (fd: number, piece: string) => `for _ in range(300): os.write(${fd}, ${piece})`;

/** 160 MiB, at 64 allowed. */
const WRITTEN_MEMORY = '\nfor _ in range(160): os.write(fd, os.urandom(1 << 20))\ndid()';
/** 48 MiB at 8 allowed, on the disk when all of it is written. */
const fill = (place: string) => `
place = ${place}; made = []
try:
    for number in range(12):
        made.append(os.path.join(place, T + str(number)))
        with open(made[-1], 'wb') as out:
            for _ in range(4): out.write(os.urandom(1 << 20))
    did()
finally:
    for path in made: os.path.exists(path) and os.unlink(path)`;
const litter = (place: string, make: string) => `
place = ${place}; made = []
try:
    for number in range(600):
        path = os.path.join(place, T + str(number)); made.append(path); ${make}
    did()
finally:
    for path in made:
        try: os.rmdir(path) if os.path.isdir(path) else os.unlink(path)
        except OSError: pass`;

export const EXHAUSTION = [
  python('takes more memory in steps', 'said', `held = [bytearray(os.urandom(1 << 20)) for _ in range(160)]; did()`, {
    ...memory,
    slice: true,
  }),
  python('takes more memory at once', 'said', `held = bytearray(os.urandom(1 << 20)) * 160; did()`, memory),
  python(
    'takes more memory in many children',
    'said',
    `
import threading
ready = os.pipe()
for _ in range(10):
    if os.fork() == 0:
        held = bytearray(os.urandom(1 << 20)) * 16; os.write(ready[1], b'x'); time.sleep(2); os._exit(0)
os.close(ready[1]); got = b''
while len(got) < 10:
    more = os.read(ready[0], 10)
    if not more: raise OSError('some are gone')
    got += more
did()`,
    memory,
  ),
  python(
    'takes more memory by shared pages',
    'said',
    `import mmap; m = mmap.mmap(-1, 160 << 20); [m.write(os.urandom(1 << 20)) for _ in range(160)]; did()`,
    memory,
  ),
  python('takes more memory by a file without a place', 'said', `fd = os.memfd_create('x'); ${WRITTEN_MEMORY}`, memory),
  python(
    'takes more memory by a file in shared memory',
    'said',
    `fd = os.open('/dev/shm/' + T, os.O_CREAT | os.O_WRONLY); ${WRITTEN_MEMORY}`,
    memory,
  ),
  python(
    'takes more memory by segments',
    'said',
    `
C.shmat.restype = ctypes.c_void_p
for _ in range(10):
    one = C.shmget(0, 16 << 20, 0o1600)
    if one < 0: raise OSError('no segment')
    at = C.shmat(one, None, 0); C.shmctl(one, 0, None); ctypes.memset(at, 1, 16 << 20)
did()`,
    memory,
  ),
  node(
    'takes more memory by Node',
    'said',
    `const held = []; for (let i = 0; i < 160; i++) held.push(Buffer.alloc(1 << 20, i + 1)); did()`,
    memory,
  ),
  python('writes more than may be kept', { over: 'retained', limit: 65_536 }, flood(1, `b'x' * 1023 + b'\\n'`), {
    ...output,
    slice: true,
  }),
  python(
    'writes more errors than may be kept',
    { over: 'retained', limit: 65_536 },
    flood(2, `b'x' * 1023 + b'\\n'`),
    output,
  ),
  python('writes more without an end of line', { over: 'retained', limit: 65_536 }, flood(1, `b'x' * 1024`), output),
  python('writes more of what is no text', { over: 'retained', limit: 65_536 }, flood(1, `b'\\xff' * 1024`), output),
  python(
    'writes more from many children',
    { over: 'retained', limit: 65_536 },
    `
for _ in range(8):
    if os.fork() == 0:
        ${flood(1, `b'y' * 1024`)}
        os._exit(0)
for _ in range(8): os.wait()`,
    output,
  ),
  sh('writes more by shell', { over: 'retained', limit: 65_536 }, 'head -c 400000 /dev/zero | tr "\\0" x', output),
  python('fills the workspace', 'said', fill(`'.'`), disk),
  python('fills its home', 'said', fill(HOME), disk),
  python('fills the temporary folder', 'said', fill(`'/tmp'`), disk),
  python('fills shared memory', 'said', fill(`'/dev/shm'`), disk),
  python(
    'fills the workspace by one file',
    'said',
    `
fd = os.open('x', os.O_CREAT | os.O_WRONLY)
for _ in range(48): os.write(fd, os.urandom(1 << 20))
did()`,
    disk,
  ),
  python(
    'fills the workspace by a file without a name',
    'said',
    `
held = []
for _ in range(12):
    fd = os.open('.', os.O_TMPFILE | os.O_WRONLY); held.append(fd)
    for _ in range(4): os.write(fd, os.urandom(1 << 20))
did()`,
    disk,
  ),
  python(
    'fills the workspace by reserving',
    'said',
    `[os.posix_fallocate(os.open('x%d' % i, os.O_CREAT | os.O_WRONLY), 0, 4 << 20) for i in range(12)]; did()`,
    disk,
  ),
  python(
    'fills workspace, home and temporary folder together',
    'said',
    `
made = [os.path.join(place, T + str(i)) for place in ('.', ${HOME}, '/tmp', '/dev/shm') for i in range(2)]
try:
    for path in made:
        with open(path, 'wb') as out:
            for _ in range(2): out.write(os.urandom(1 << 20))
    did()
finally:
    for path in made: os.path.exists(path) and os.unlink(path)`,
    disk,
  ),
  python('makes more files than it may', 'said', litter(`'.'`, `open(path, 'w').close()`), inodes),
  python('makes more folders than it may', 'said', litter(`'.'`, 'os.mkdir(path)'), inodes),
  python('makes more links than it may', 'said', litter(`'.'`, `os.symlink('x', path)`), inodes),
  python('makes more files in its home than it may', 'said', litter(HOME, `open(path, 'w').close()`), inodes),
  python(
    'makes more files in the temporary folder than it may',
    'said',
    litter(`'/tmp'`, `open(path, 'w').close()`),
    inodes,
  ),
  python(
    'makes more files in shared memory than it may',
    'said',
    litter(`'/dev/shm'`, `open(path, 'w').close()`),
    inodes,
  ),
  python(
    'burns more processor time than it may',
    { over: 'cpu_ms', limit: 800 },
    `
end = time.time() + 5
while time.process_time() < 1 and time.time() < end: pass
say('CPU %d' % (time.process_time() * 1000))`,
    time,
  ),
  python(
    'burns more processor time in children, each a little',
    { over: 'cpu_ms', limit: 800 },
    `
end = time.time() + 5
while sum(os.times()[:4]) < 1 and time.time() < end:
    if os.fork() == 0:
        while time.process_time() < 0.2: pass
        os._exit(0)
    os.wait()
say('CPU %d' % (sum(os.times()[:4]) * 1000))`,
    time,
  ),
  python(
    'uses more of the processors than it may',
    { over: 'cpu_ms', limit: 400 },
    `
for _ in range(2):
    if os.fork() == 0:
        end = time.time() + 2
        while time.time() < end: pass
        os._exit(0)
for _ in range(2): os.wait()
say('CPU %d' % (sum(os.times()[:4]) * 1000))`,
    { policy: { cpu_cores: 0.1 }, property: 'cpu_cores_limit', alone: true },
  ),
];
