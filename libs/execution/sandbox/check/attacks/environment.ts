import { node, python, sh } from '../escape/attack.ts';

export const ENVIRONMENT = [
  python('prints its environment', 'leaked', `say(dict(os.environ))`, { slice: true }),
  python('reads its first environment from the kernel', 'leaked', `show('/proc/self/environ', 20000)`),
  sh('prints the environment by shell', 'leaked', 'env'),
  sh('has a login shell print it', 'leaked', 'sh -lc env'),
  node('prints the environment by Node', 'leaked', `say(JSON.stringify(process.env))`),
  python('asks for a key of a cloud by name', 'leaked', `say(os.environ.get('AWS_SECRET_ACCESS_KEY'))`),
  python("reads its parent's environment", 'leaked', `show('/proc/%d/environ' % os.getppid(), 20000)`),
  python(
    'reads its home',
    'leaked',
    `
for name in ('.netrc', '.npmrc', '.git-credentials', '.ssh/id_rsa'): show(os.path.expanduser('~/' + name))`,
  ),
  python("reads the caller's home by path", 'leaked', `show(B['home'] + '/.ssh/id_rsa')`, { slice: true }),
  sh("reads the caller's home by shell", 'leaked', 'cat ~/.netrc'),
  node("reads the caller's npm configuration", 'leaked', `say(fs.readFileSync(os.homedir() + '/.npmrc', 'utf8'))`),
  python(
    'asks the agent of keys',
    'contacted',
    `send(socket.AF_UNIX, socket.SOCK_STREAM, os.environ['SSH_AUTH_SOCK'])`,
  ),
  python('asks the agent of keys by path', 'contacted', `send(socket.AF_UNIX, socket.SOCK_STREAM, B['stream'])`, {
    slice: true,
  }),
  python('reads the configuration of the resolver', 'leaked', `show('/etc/resolv.conf')`),
  python('reads the names of hosts', 'leaked', `show('/etc/hosts')`),
  python(
    "searches the caller's key ring",
    'leaked',
    `
key = call('keyctl', 10, -3, b'user', b'h-escape', 0); buffer = ctypes.create_string_buffer(100); call('keyctl', 11, key, buffer, 100); say(buffer.value)`,
    { slice: true },
  ),
  python(
    'reads a key by its number',
    'leaked',
    `
buffer = ctypes.create_string_buffer(100); call('keyctl', 11, B['key'], buffer, 100); say(buffer.value)`,
  ),
  python("lists the caller's keys", 'said', `'h-escape' in open('/proc/keys').read() and did()`),
  python(
    'leaves a key for the next run',
    'said',
    `
try:
    call('keyctl', 10, -4, b'user', T.encode(), 0); did()
except OSError: call('add_key', b'user', T.encode(), b'x', 1, -4)`,
    { twice: true },
  ),
  python("has the caller's mask of rights", 'said', `os.umask(0) == 0o077 and did()`, { slice: true }),
  python(
    "has the caller's working folder",
    'said',
    `os.stat(os.readlink('/proc/%d/cwd' % os.getppid()) + '/secret') and did()`,
  ),
  python('learns the name of the host', 'said', `os.uname().nodename == B['hostname'] and did()`),
  python('learns the id of the machine', 'said', `len(open('/etc/machine-id').read()) > 30 and did()`),
];
