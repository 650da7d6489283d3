import { node, python, sh } from '../escape/attack.ts';

export const DESCRIPTORS = [
  python('reads a file that the caller has open', 'leaked', `say(os.pread(100, 100, 0))`, { slice: true }),
  python('opens that file anew, and changes it', 'damaged', `put('/proc/self/fd/100', os.O_WRONLY | os.O_APPEND)`, {
    alone: true,
  }),
  python(
    'opens below a folder that the caller has open',
    'leaked',
    `say(os.read(os.open('secret', os.O_RDONLY, dir_fd=101), 100))`,
  ),
  python('changes into a folder that the caller has open', 'leaked', `os.fchdir(101); show('secret')`),
  python(
    'makes a file below a folder that the caller has open',
    'written',
    `
name = os.path.basename(B['hidden']) + '/' + T
os.write(os.open(name, os.O_WRONLY | os.O_CREAT, 0o666, dir_fd=101), T.encode())`,
  ),
  python('appends to a file that the caller writes', 'written', `os.write(102, T.encode())`),
  python("reads from a pipe of the caller's", 'leaked', `say(os.read(103, 24))`),
  python("writes to a socket of the caller's", 'contacted', `os.write(104, T.encode())`),
  python(
    'is given a file by the other end of that socket',
    'leaked',
    `
s = socket.socket(fileno=os.dup(104)); s.settimeout(1); s.send(b'give ' + T.encode()); fds = socket.recv_fds(s, 100, 1)[1]
say(os.pread(fds[0], 100, 0))`,
    { alone: true },
  ),
  python("writes to a connection of the caller's", 'contacted', `os.write(105, T.encode())`),
  python("reads memory of the caller's by descriptor", 'leaked', `say(os.pread(106, 100, 0))`),
  python("writes to a pipe of the caller's", 'contacted', `os.write(107, T.encode())`),
  python(
    'opens from the root that the caller has open',
    'leaked',
    `say(os.read(os.open(B['hidden'][1:] + '/secret', os.O_RDONLY, dir_fd=108), 100))`,
  ),
  python(
    'tries every descriptor there may be',
    'leaked',
    `
for fd in range(3, 1100):
    try: say(os.pread(fd, 100, 0))
    except OSError: pass`,
  ),
  python(
    'tries every descriptor by path',
    'leaked',
    `
for fd in os.listdir('/proc/self/fd'):
    if int(fd) < 3: continue
    try: say(os.read(os.open('/proc/self/fd/' + fd, os.O_RDONLY | os.O_NONBLOCK), 100))
    except OSError: pass`,
    { slice: true },
  ),
  python('passes one on to a program', 'leaked', `os.execv('/bin/bash', ['bash', '-c', 'cat <&100'])`),
  sh('reads one by shell', 'leaked', 'cat /proc/self/fd/100'),
  node(
    'reads one by Node',
    'leaked',
    `const all = Buffer.alloc(100); fs.readSync(100, all, 0, 100, 0); say(String(all))`,
  ),
];
