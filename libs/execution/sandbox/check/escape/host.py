"""What the attacks are aimed at: listeners, a terminal, secrets and open descriptors around the caller of the sandbox.

host.py SHARED USER COMMAND...: starts COMMAND as the caller (as user id USER, or - for this one's) on a terminal of its own, with secrets
in its environment, arguments, home, working folder, key ring and descriptors. What reaches a listener or the terminal is appended to
SHARED/contacts and SHARED/typed. Ends with the status of COMMAND.
"""
import ctypes, fcntl, json, os, selectors, socket, sys, tempfile, termios

shared, user, command = sys.argv[1], sys.argv[2], sys.argv[3:]
canary = open(shared + '/canary').read()
libc = ctypes.CDLL(None, use_errno=True)
contacts = open(shared + '/contacts', 'ab', buffering=0)
typed = open(shared + '/typed', 'ab', buffering=0)
watched = selectors.DefaultSelector()
bait = {'host': os.getpid(), 'hostname': socket.gethostname()}


def attempt(name, make):
    try:
        bait[name] = make()
    except OSError:
        bait[name] = None


def hear(name, sock):
    """Logs what it is sent, answers with the canary, and with a descriptor where it is asked for one."""
    try:
        data = sock.recv(8192)
        if not data:
            raise OSError('closed')
        contacts.write(data + b'\n')
        if data.startswith(b'give'):
            socket.send_fds(sock, [b'here'], [os.open(shared + '/hidden/secret', os.O_RDONLY)])
        elif sock.type == socket.SOCK_STREAM:
            sock.send(canary.encode())
    except OSError:
        watched.unregister(sock)
        sock.close()


def listen(name, family, kind, address):
    sock = socket.socket(family, kind)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(address)
    if kind == socket.SOCK_DGRAM:
        watched.register(sock, selectors.EVENT_READ, lambda: hear(name, sock))
    else:
        sock.listen(64)
        def accept():
            one = sock.accept()[0]
            watched.register(one, selectors.EVENT_READ, lambda: hear(name, one))
        watched.register(sock, selectors.EVENT_READ, accept)
    if isinstance(address, str) and address.startswith('/'):
        os.chmod(address, 0o777)
    got = sock.getsockname()
    return got[1] if family in (socket.AF_INET, socket.AF_INET6) else address


def own_address():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(('203.0.113.1', 9))
        return probe.getsockname()[0]


stream, datagram, packet = socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET
name = os.path.basename(shared)
attempt('tcp', lambda: listen('tcp', socket.AF_INET, stream, ('127.0.0.1', 0)))
attempt('tcp6', lambda: listen('tcp6', socket.AF_INET6, stream, ('::1', 0)))
attempt('udp', lambda: listen('udp', socket.AF_INET, datagram, ('127.0.0.1', 0)))
attempt('udp6', lambda: listen('udp6', socket.AF_INET6, datagram, ('::1', 0)))
attempt('address', own_address)
if bait['address']:
    attempt('outer', lambda: listen('outer', socket.AF_INET, stream, (bait['address'], 0)))
attempt('stream', lambda: listen('stream', socket.AF_UNIX, stream, shared + '/sockets/stream'))
attempt('datagram', lambda: listen('datagram', socket.AF_UNIX, datagram, shared + '/sockets/datagram'))
attempt('packet', lambda: listen('packet', socket.AF_UNIX, packet, shared + '/sockets/packet'))
attempt('ro_stream', lambda: listen('ro_stream', socket.AF_UNIX, stream, shared + '/ro/stream'))
attempt('ro_datagram', lambda: listen('ro_datagram', socket.AF_UNIX, datagram, shared + '/ro/datagram'))
attempt('abstract', lambda: listen('abstract', socket.AF_UNIX, stream, '\0' + name + '-' + canary) and name + '-' + canary)
attempt('abstract_datagram', lambda: listen('abstract', socket.AF_UNIX, datagram, '\0' + name + '-d') and name + '-d')
attempt('dns', lambda: listen('dns', socket.AF_INET, datagram, ('127.0.0.77', 53)) and '127.0.0.77')
attempt('dns_tcp', lambda: listen('dns', socket.AF_INET, stream, ('127.0.0.77', 53)) and '127.0.0.77')
attempt('vsock', lambda: listen('vsock', 40, stream, (0xFFFFFFFF, 0x48455343)) and 0x48455343)


def shared_memory():
    """A segment of System V with the canary in it, removed when the last process lets it go."""
    segment = libc.shmget(0, 4096, 0o1666)
    libc.shmat.restype = ctypes.c_void_p
    place = libc.shmat(segment, None, 0)
    ctypes.memmove(place, canary.encode(), len(canary))
    return segment


attempt('segment', shared_memory)
memory_file = '/dev/shm/' + name
with open(memory_file, 'w') as out:
    out.write(canary)
bait['memory_file'] = memory_file

master, slave = os.openpty()
bait['tty'] = os.ttyname(slave)
os.chmod(bait['tty'], 0o666)
watched.register(master, selectors.EVENT_READ, lambda: typed.write(os.read(master, 4096)))
ours, theirs = socket.socketpair()
watched.register(ours, selectors.EVENT_READ, lambda: hear('pair', ours))
read_end, write_end = os.pipe()
watched.register(read_end, selectors.EVENT_READ, lambda: contacts.write(os.read(read_end, 8192) + b'\n'))


def leaked_descriptors():
    """Opened without close-on-exec in the caller, as by a careless parent: 100 and up."""
    full, fill = os.pipe()
    os.write(fill, canary.encode() * 100)
    tcp = socket.create_connection(('127.0.0.1', bait['tcp']))
    file = os.memfd_create('secret')
    os.write(file, canary.encode())
    for number, fd in enumerate([
        os.open(shared + '/hidden/secret', os.O_RDWR), os.open(shared + '/hidden', os.O_RDONLY | os.O_DIRECTORY),
        os.open(shared + '/hidden/appended', os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666), full, theirs.fileno(), tcp.fileno(),
        file, write_end, os.open('/', os.O_PATH),
    ]):
        os.dup2(fd, 100 + number, inheritable=True)
    return tcp


child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.dup2(slave, 0)
    kept = leaked_descriptors()
    libc.prctl(4, 1, 0, 0, 0)
    if user != '-':
        os.setgroups([])
        os.setresgid(int(user), int(user), int(user))
        os.setresuid(int(user), int(user), int(user))
        libc.prctl(4, 1, 0, 0, 0)
    libc.syscall.restype = ctypes.c_long
    add_key, keyctl = (217, 219) if os.uname().machine == 'aarch64' else (248, 250)
    libc.syscall(ctypes.c_long(keyctl), ctypes.c_long(1), None)
    key = libc.syscall(ctypes.c_long(add_key), b'user', b'h-escape', canary.encode(), ctypes.c_long(len(canary)), ctypes.c_long(-3))
    bait['key'] = key if key > 0 else None
    os.umask(0o077)
    with open(shared + '/bait.json', 'w') as out:
        json.dump(bait, out)
    os.chdir(shared + '/cwd')
    home = shared + '/home'
    more = {'HOME': home, 'H_SECRET': canary, 'AWS_SECRET_ACCESS_KEY': canary, 'SSH_AUTH_SOCK': shared + '/sockets/stream'}
    os.execvpe(command[0], command + ['--password=' + canary], {**os.environ, **more})

os.close(write_end)
theirs.close()
while True:
    for key, _ in watched.select(0.2):
        try:
            key.data()
        except OSError:
            pass
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        os.unlink(memory_file)
        sys.exit(os.waitstatus_to_exitcode(status) & 255)
