import { node, python, sh } from '../escape/attack.ts';

const raw = (name: string, make: string) => python(name, 'said', `${make}; did()`);

export const SOCKETS = [
  python(
    'connects to a port of the host',
    'contacted',
    `send(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', B['tcp']))`,
    { slice: true },
  ),
  python(
    'connects to a port of the host by IPv6',
    'contacted',
    `send(socket.AF_INET6, socket.SOCK_STREAM, ('::1', B['tcp6']))`,
  ),
  python(
    'connects to the address of the host',
    'contacted',
    `send(socket.AF_INET, socket.SOCK_STREAM, (B['address'], B['outer']))`,
  ),
  python(
    'connects to no address, which is this host',
    'contacted',
    `send(socket.AF_INET, socket.SOCK_STREAM, ('0.0.0.0', B['tcp']))`,
  ),
  python(
    'sends a datagram to the host',
    'contacted',
    `send(socket.AF_INET, socket.SOCK_DGRAM, ('127.0.0.1', B['udp']))`,
  ),
  python(
    'sends a datagram to the host by IPv6',
    'contacted',
    `send(socket.AF_INET6, socket.SOCK_DGRAM, ('::1', B['udp6']))`,
  ),
  python(
    'sends while it connects',
    'contacted',
    `socket.socket().sendto(T.encode(), 0x20000000, ('127.0.0.1', B['tcp']))`,
  ),
  python(
    'takes the port of a listener of the host',
    'said',
    `
s = socket.socket(); s.connect(('127.0.0.1', B['tcp'])); s.getpeername() and did()`,
  ),
  python(
    'connects to a unix socket in a hidden folder',
    'contacted',
    `send(socket.AF_UNIX, socket.SOCK_STREAM, B['stream'])`,
    { slice: true },
  ),
  python(
    'sends a datagram to a unix socket in a hidden folder',
    'contacted',
    `send(socket.AF_UNIX, socket.SOCK_DGRAM, B['datagram'])`,
  ),
  python(
    'connects to a unix socket of packets in a hidden folder',
    'contacted',
    `send(socket.AF_UNIX, socket.SOCK_SEQPACKET, B['packet'])`,
  ),
  python(
    'connects to a unix socket in a folder it may read',
    'contacted',
    `send(socket.AF_UNIX, socket.SOCK_STREAM, B['ro_stream'])`,
    { slice: true },
  ),
  python(
    'sends a datagram to a unix socket in a folder it may read',
    'contacted',
    `send(socket.AF_UNIX, socket.SOCK_DGRAM, B['ro_datagram'])`,
  ),
  python(
    'connects to it through a link',
    'contacted',
    `os.symlink(B['ro_stream'], 's'); send(socket.AF_UNIX, socket.SOCK_STREAM, 's')`,
  ),
  python(
    'connects to it through a hard link',
    'contacted',
    `os.link(B['ro_stream'], 's'); send(socket.AF_UNIX, socket.SOCK_STREAM, 's')`,
  ),
  python(
    'connects to it through the root of its process entry',
    'contacted',
    `send(socket.AF_UNIX, socket.SOCK_STREAM, '/proc/self/root' + B['ro_stream'])`,
  ),
  python(
    'connects to a socket without a path',
    'contacted',
    String.raw`
name = next(line.split()[-1] for line in open('/proc/net/unix') if '@h-escape' in line and not line.rstrip().endswith('-d'))
send(socket.AF_UNIX, socket.SOCK_STREAM, '\0' + name[1:])`,
  ),
  python(
    'sends a datagram to a socket without a path',
    'contacted',
    `send(socket.AF_UNIX, socket.SOCK_DGRAM, '\\0' + B['abstract_datagram'])`,
  ),
  python('connects to the machine by vsock', 'contacted', `send(40, socket.SOCK_STREAM, (1, B['vsock']))`),
  raw('makes a vsock socket', 'socket.socket(40, socket.SOCK_STREAM)'),
  raw('makes a socket of the crypto interface', `socket.socket(38, socket.SOCK_SEQPACKET).bind(('hash', 'sha256'))`),
  raw('makes a socket of raw frames', 'socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x0300)'),
  raw('makes a socket of raw packets', 'socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'),
  raw('makes a socket of the audit', 'socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9).bind((0, 1))'),
  raw('makes a socket of key management', 'socket.socket(15, socket.SOCK_RAW, 2)'),
  python(
    "lists the host's interfaces by netlink",
    'said',
    String.raw`
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); s.settimeout(1)
s.send(struct.pack('IHHII', 32, 18, 0x301, 1, 0) + struct.pack('BxHiII', 0, 0, 0, 0, 0))
text = s.recv(65536) + s.recv(65536)
any(name.encode() + b'\0' in text for _, name in socket.if_nameindex() if name != 'lo') and did()`,
  ),
  python(
    "lists the host's ports by netlink",
    'said',
    String.raw`
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4); s.settimeout(1)
s.send(struct.pack('IHHII', 72, 20, 0x301, 1, 0) + struct.pack('BBBBI', 2, 6, 0, 0, 1 << 10) + b'\0' * 48)
struct.pack('>H', B['tcp']) in s.recv(65536) and did()`,
  ),
  python(
    'adds an address to the network by netlink',
    'said',
    `
try: call('unshare', 0x40000000)
except OSError: pass
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); s.settimeout(1)
body = struct.pack('BBBBI', 2, 32, 0, 0, 1) + struct.pack('HH', 8, 2) + socket.inet_aton('127.9.9.9')
s.send(struct.pack('IHHII', 16 + len(body), 20, 0x605, 1, 0) + body)
answer = struct.unpack('i', s.recv(65536)[16:20])[0]
if answer: raise OSError(-answer, 'netlink')
did()`,
    { mounts: true },
  ),
  python(
    "reads the host's shared memory segment",
    'leaked',
    `C.shmat.restype = ctypes.c_void_p; say(ctypes.string_at(C.shmat(B['segment'], None, 0o10000), 100) if os.path.exists('/proc/sysvipc/shm') and str(B['segment']) in open('/proc/sysvipc/shm').read().split() else 'not there')`,
  ),
  sh('connects by shell', 'contacted', 'bash -c "echo $T > /dev/tcp/127.0.0.1/$TCP"'),
  node('connects by Node', 'contacted', `net.connect(B.tcp, '127.0.0.1').on('connect', function () { this.end(T); })`),
  node(
    'connects to a unix socket by Node',
    'contacted',
    `net.connect(B.ro_stream).on('connect', function () { this.end(T); })`,
  ),
];
