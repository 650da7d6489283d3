import { python } from '../escape/attack.ts';

/** One ring, one request at a time: `ask(operation, …)` gives what the kernel answered. */
const RING = `
import mmap
p = ctypes.create_string_buffer(120)
def ring(flags=0):
    global R, sq, cq, sqe, off, entries
    struct.pack_into('I', p, 8, flags)
    R = call('io_uring_setup', 8, p); off = struct.unpack_from('30I', p, 0); entries = off[0]
    sq = mmap.mmap(R, off[10 + 6] + entries * 4, offset=0); cq = mmap.mmap(R, off[20 + 5] + off[1] * 16, offset=0x8000000)
    sqe = mmap.mmap(R, entries * 64, offset=0x10000000)
def ask(op, fd=-1, at=0, address=0, length=0, flags=0, extra=0):
    tail = struct.unpack_from('I', sq, off[11])[0]; slot = tail & struct.unpack_from('I', sq, off[12])[0]
    struct.pack_into('BBHiQQIIQQQQ', sqe, slot * 64, op, 0, 0, fd, at, address, length, flags, 1, 0, extra, 0)
    struct.pack_into('I', sq, off[16] + slot * 4, slot); struct.pack_into('I', sq, off[11], tail + 1)
    call('io_uring_enter', R, 1, 1, 1, None, 0)
    head = struct.unpack_from('I', cq, off[20])[0]; mask = struct.unpack_from('I', cq, off[22])[0]
    got = struct.unpack_from('i', cq, off[25] + (head & mask) * 16 + 8)[0]
    struct.pack_into('I', cq, off[20], head + 1)
    if got < 0: raise OSError(-got, os.strerror(-got))
    return got
def at(text): return ctypes.addressof(keep(text))
kept = []
def keep(text):
    kept.append(ctypes.create_string_buffer(text if isinstance(text, bytes) else text.encode())); return kept[-1]
OPENAT, READ, WRITE, CONNECT, SEND, RENAMEAT, UNLINKAT, MKDIRAT, SYMLINKAT, LINKAT, SOCKET = 18, 22, 23, 16, 26, 35, 36, 37, 38, 39, 45
`;
const uring = (name: string, effect: Parameters<typeof python>[1], code: string, more = {}) =>
  python(name, effect, `${RING}ring()\n${code}`, more);

export const IO_URING = [
  uring('makes a ring', 'said', 'did()', { slice: true }),
  python('makes a ring with a thread of the kernel', 'said', `${RING}ring(2); did()`),
  uring(
    'reads a hidden file by a ring',
    'leaked',
    String.raw`
fd = ask(OPENAT, -100, 0, at(B['hidden'] + '/secret'), 0, os.O_RDONLY); buffer = keep(b'\0' * 100)
ask(READ, fd, 0, ctypes.addressof(buffer), 100); say(buffer.value)`,
  ),
  uring(
    'writes a hidden file by a ring',
    'written',
    `
fd = ask(OPENAT, -100, 0, at(B['hidden'] + '/' + T), 0o666, os.O_WRONLY | os.O_CREAT); ask(WRITE, fd, 0, at(T), len(T))`,
  ),
  uring(
    'writes a file it may read by a ring',
    'damaged',
    `
fd = ask(OPENAT, -100, 0, at(B['ro'] + '/keep'), 0, os.O_WRONLY | os.O_TRUNC); ask(WRITE, fd, 0, at(T), len(T))`,
  ),
  uring(
    'connects to the host by a ring',
    'contacted',
    String.raw`
s = socket.socket(); address = keep(struct.pack('<H', 2) + struct.pack('>H', B['tcp']) + socket.inet_aton('127.0.0.1') + b'\0' * 8)
ask(CONNECT, s.fileno(), 16, ctypes.addressof(address)); ask(SEND, s.fileno(), 0, at(T), len(T))`,
  ),
  uring(
    'makes a socket by a ring, past a filter of calls',
    'contacted',
    String.raw`
fd = ask(SOCKET, 2, 1, 0, 0); address = keep(struct.pack('<H', 2) + struct.pack('>H', B['tcp']) + socket.inet_aton('127.0.0.1') + b'\0' * 8)
ask(CONNECT, fd, 16, ctypes.addressof(address)); ask(SEND, fd, 0, at(T), len(T))`,
  ),
  uring(
    'connects to a unix socket by a ring',
    'contacted',
    String.raw`
s = socket.socket(socket.AF_UNIX); address = struct.pack('<H', 1) + B['ro_stream'].encode() + b'\0'
ask(CONNECT, s.fileno(), len(address), at(address)); ask(SEND, s.fileno(), 0, at(T), len(T))`,
  ),
  uring('removes a hidden file by a ring', 'damaged', `ask(UNLINKAT, -100, 0, at(B['hidden'] + '/keep'))`),
  uring(
    'renames a hidden file by a ring',
    'damaged',
    `ask(RENAMEAT, -100, at(B['hidden'] + '/' + T), at(B['hidden'] + '/keep'), -100 & 0xffffffff)`,
  ),
  uring('makes a folder by a ring', 'written', `ask(MKDIRAT, -100, 0, at(B['hidden'] + '/' + T), 0o777)`),
  uring('makes a link by a ring', 'written', `ask(SYMLINKAT, -100, at(B['hidden'] + '/' + T), at('x'))`),
];
