import { node, python, sh } from '../escape/attack.ts';

export const SIGNALS = [
  python('ends a bystander', 'bystander', `os.kill(B['bystander'], signal.SIGTERM)`, { slice: true }),
  python('kills a bystander', 'bystander', `os.kill(B['bystander'], signal.SIGKILL)`),
  python('stops a bystander', 'bystander', `os.kill(B['bystander'], signal.SIGSTOP)`),
  python("kills a bystander's group", 'bystander', `os.killpg(B['bystander'], signal.SIGKILL)`),
  python('signals one thread of a bystander', 'bystander', `call('tgkill', B['bystander'], B['bystander'], 15)`),
  python(
    'queues a signal for a bystander',
    'bystander',
    `
info = ctypes.create_string_buffer(struct.pack('iiiii', 15, 0, -1, os.getpid(), os.getuid()), 128)
call('rt_sigqueueinfo', B['bystander'], 15, info)`,
  ),
  python(
    'queues a signal for one thread of a bystander',
    'bystander',
    `
info = ctypes.create_string_buffer(struct.pack('iiiii', 15, 0, -1, os.getpid(), os.getuid()), 128)
call('rt_tgsigqueueinfo', B['bystander'], B['bystander'], 15, info)`,
  ),
  python(
    'signals a bystander by descriptor',
    'bystander',
    `call('pidfd_send_signal', call('pidfd_open', B['bystander'], 0), 9, None, 0)`,
  ),
  python(
    'has a pipe signal a bystander',
    'bystander',
    `
import fcntl
r, w = os.pipe(); fcntl.fcntl(r, fcntl.F_SETOWN, B['bystander']); fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK); os.write(w, b'x')`,
  ),
  python(
    'has a lease signal a bystander',
    'bystander',
    `
import fcntl
open('x', 'w').close(); fd = os.open('x', os.O_RDONLY); fcntl.fcntl(fd, fcntl.F_SETOWN, B['bystander']); fcntl.fcntl(fd, fcntl.F_SETSIG, 9)
fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
try: os.open('x', os.O_WRONLY | os.O_NONBLOCK)
except BlockingIOError: pass`,
  ),
  python(
    'limits a bystander',
    'bystander',
    `import resource; resource.prlimit(B['bystander'], resource.RLIMIT_NOFILE, (5, 5))`,
  ),
  python('slows a bystander', 'bystander', `os.setpriority(os.PRIO_PROCESS, B['bystander'], 19)`),
  python('ties a bystander to one processor', 'bystander', `os.sched_setaffinity(B['bystander'], {0})`),
  python(
    'changes how a bystander is scheduled',
    'bystander',
    `os.sched_setscheduler(B['bystander'], os.SCHED_BATCH, os.sched_param(0))`,
  ),
  python('signals the caller', 'caller', `os.kill(B['caller'], signal.SIGUSR2)`, { alone: true, slice: true }),
  python('signals its parent', 'caller', `os.kill(os.getppid(), signal.SIGUSR2)`, { alone: true }),
  sh('ends a bystander by shell', 'bystander', 'kill -TERM "$BYSTANDER"'),
  node('ends a bystander by Node', 'bystander', `process.kill(B.bystander, 'SIGTERM')`),
];
