import { python, sh } from '../escape/attack.ts';

/** The stack of a process holds its first environment. */
const STACK = String.raw`
lines = open('/proc/%d/maps' % B['bystander']).read().split('\n')
low, high = [int(x, 16) for x in next(line for line in lines if '[stack]' in line).split()[0].split('-')]
`;
const VECTORS = `
class Piece(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]
size = high - low; buffer = ctypes.create_string_buffer(size)
ours, theirs = Piece(ctypes.addressof(buffer), size), Piece(low, size)
`;
const SHOW = `say(buffer.raw[buffer.raw.find(b'SECRET='):][:60])`;

export const TRACING = [
  python(
    'attaches to a bystander and ends it',
    'bystander',
    `call('ptrace', 16, B['bystander'], 0, 0); os.waitpid(B['bystander'], 0x40000000); call('ptrace', 7, B['bystander'], 0, 9)`,
    { slice: true },
  ),
  python(
    'seizes a bystander and kills it',
    'bystander',
    `call('ptrace', 0x4206, B['bystander'], 0, 0x100000); time.sleep(0.05)`,
  ),
  python(
    'reads the memory of a bystander by file',
    'leaked',
    `${STACK}
fd = os.open('/proc/%d/mem' % B['bystander'], os.O_RDONLY); text = os.pread(fd, high - low, low); say(text[text.find(b'SECRET='):][:60])`,
  ),
  python(
    'writes the memory of a bystander by file',
    'bystander',
    `${STACK}
fd = os.open('/proc/%d/mem' % B['bystander'], os.O_RDWR); text = os.pread(fd, high - low, low); os.pwrite(fd, b'CHANGE', low + text.find(b'SECRET='))`,
  ),
  python(
    'reads the memory of a bystander by a call',
    'leaked',
    `${STACK}${VECTORS}
call('process_vm_readv', B['bystander'], ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0); ${SHOW}`,
  ),
  python(
    'writes the memory of a bystander by a call',
    'bystander',
    `${STACK}${VECTORS}
call('process_vm_readv', B['bystander'], ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)
at = buffer.raw.find(b'SECRET='); buffer[at:at + 6] = b'CHANGE'
call('process_vm_writev', B['bystander'], ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0)`,
  ),
  python(
    "takes a bystander's descriptor",
    'leaked',
    `fd = call('pidfd_getfd', call('pidfd_open', B['bystander'], 0), 0, 0); say(os.pread(fd, 100, 0))`,
  ),
  python(
    "takes the caller's descriptor",
    'leaked',
    `fd = call('pidfd_getfd', call('pidfd_open', B['caller'], 0), 100, 0); say(os.pread(fd, 100, 0))`,
  ),
  python(
    'compares the memory of two bystanders',
    'said',
    `call('kcmp', B['bystander'], B['caller'], 1, 0, 0) >= 0 and did()`,
  ),
  python(
    'advises the kernel on the memory of a bystander',
    'said',
    `${STACK}${VECTORS}
call('process_madvise', call('pidfd_open', B['bystander'], 0), ctypes.byref(theirs), 1, 20, 0); did()`,
  ),
  python(
    'counts events of a bystander',
    'said',
    `
attributes = ctypes.create_string_buffer(struct.pack('IIQ', 1, 128, 1), 128); call('perf_event_open', attributes, B['bystander'], -1, -1, 0); did()`,
  ),
  python(
    'counts events of a processor',
    'said',
    `
attributes = ctypes.create_string_buffer(struct.pack('IIQ', 1, 128, 0), 128); call('perf_event_open', attributes, -1, 0, -1, 0); did()`,
  ),
  python(
    'loads a program into the kernel',
    'said',
    `
code = ctypes.create_string_buffer(struct.pack('BBhiBBhi', 0xb7, 0, 0, 0, 0x95, 0, 0, 0), 16); license = ctypes.create_string_buffer(b'GPL')
attributes = ctypes.create_string_buffer(struct.pack('IIQQIIQII', 1, 2, ctypes.addressof(code), ctypes.addressof(license), 0, 0, 0, 0, 0), 128)
call('bpf', 5, attributes, 128); did()`,
  ),
  python(
    'makes a table in the kernel',
    'said',
    `attributes = ctypes.create_string_buffer(struct.pack('IIII', 1, 4, 4, 8), 128); call('bpf', 0, attributes, 128); did()`,
  ),
  python('handles faults of the kernel', 'said', `call('userfaultfd', 0); did()`),
  python(
    "watches the host's files",
    'said',
    `
fd = call('fanotify_init', 0, 0); call('fanotify_mark', fd, 0x11, 8, -100, b'/tmp'); did()`,
  ),
  sh('attaches to a bystander by strace', 'said', 'timeout 1 strace -o trace -p "$BYSTANDER"; test -s trace && did'),
];
