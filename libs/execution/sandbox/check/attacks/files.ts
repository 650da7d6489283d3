import { node, python, sh } from '../escape/attack.ts';

const places = ['/tmp', '/var/tmp', '/dev/shm', '/etc', '/usr/local', '/run', '/'].map((place) =>
  python(`makes a file in ${place}`, 'written', `put(os.path.join('${place}', T))`),
);

export const FILES = [
  python('makes a file in a hidden folder', 'written', `put(B['hidden'] + '/' + T)`, { slice: true }),
  python(
    'makes the way to a hidden folder, then a file',
    'written',
    `os.makedirs(B['hidden'], exist_ok=True); put(B['hidden'] + '/' + T)`,
  ),
  python('overwrites a hidden file', 'damaged', `put(B['hidden'] + '/keep', os.O_WRONLY | os.O_TRUNC)`),
  python('appends to a hidden file', 'damaged', `put(B['hidden'] + '/keep', os.O_WRONLY | os.O_APPEND)`),
  python('cuts a hidden file by path', 'damaged', `os.truncate(B['hidden'] + '/keep', 1)`),
  python('removes a hidden file', 'damaged', `os.unlink(B['hidden'] + '/keep')`),
  python('renames a hidden folder', 'damaged', `os.rename(B['hidden'] + '/inner', B['hidden'] + '/' + T)`),
  python('changes the rights of a hidden file', 'damaged', `os.chmod(B['hidden'] + '/keep', 0o4755)`),
  python('changes the times of a hidden file', 'damaged', `os.utime(B['hidden'] + '/keep', (1, 1))`),
  python('makes a folder in a hidden folder', 'written', `os.mkdir(B['hidden'] + '/' + T)`),
  python('makes a FIFO in a hidden folder', 'written', `os.mkfifo(B['hidden'] + '/' + T)`),
  python('makes a socket in a hidden folder', 'written', `socket.socket(socket.AF_UNIX).bind(B['hidden'] + '/' + T)`),
  python(
    'writes through the root of its own process entry',
    'written',
    `put('/proc/self/root' + B['hidden'] + '/' + T)`,
  ),
  python('climbs out of its working folder', 'written', `put('../' * 40 + B['hidden'][1:] + '/' + T)`),
  ...places,
  python("makes a file in the caller's home", 'written', `put(B['home'] + '/' + T)`),
  python("makes a file in the caller's working folder", 'written', `put(B['cwd'] + '/' + T)`),
  python('makes a file in a folder it may read', 'written', `put(B['ro'] + '/' + T)`, { slice: true }),
  python('overwrites a file it may read', 'damaged', `put(B['ro'] + '/keep', os.O_WRONLY | os.O_TRUNC)`),
  python('removes a file it may read', 'damaged', `os.unlink(B['ro'] + '/keep')`),
  python('changes the rights of a file it may read', 'damaged', `os.chmod(B['ro'] + '/keep', 0o777)`),
  python('changes the times of a file it may read', 'damaged', `os.utime(B['ro'] + '/keep', (1, 1))`),
  python('renames a file it may read', 'damaged', `os.rename(B['ro'] + '/keep', B['ro'] + '/' + T)`),
  python(
    'maps a file it may read for writing',
    'damaged',
    `
import mmap
m = mmap.mmap(os.open(B['ro'] + '/keep', os.O_RDWR), 4); m[:4] = b'gone'; m.flush()`,
  ),
  python(
    'gives space to a file it may read',
    'damaged',
    `os.posix_fallocate(os.open(B['ro'] + '/keep', os.O_WRONLY), 0, 9000)`,
  ),
  python(
    'makes a file without a name, then names it',
    'written',
    `
fd = os.open(B['ro'], os.O_TMPFILE | os.O_WRONLY); os.write(fd, T.encode())
name(fd, B['ro'] + '/' + T)`,
  ),
  python(
    'writes through a link to packages',
    'written',
    `put('node_modules/tool/' + os.path.basename(B['packages']) + '/' + T)`,
  ),
  python('overwrites a package by its path', 'damaged', `put(B['packages'] + '/keep', os.O_WRONLY | os.O_TRUNC)`),
  python(
    'leaves a file for the next run in its temporary folders',
    'said',
    `
places = [os.path.join(place, T) for place in ('/tmp', '/dev/shm', '/var/tmp', os.path.expanduser('~'))]
if any(map(os.path.exists, places)): did()
for place in places: put(place)`,
    { twice: true },
  ),
  python(
    'leaves a file for the next run in the workspace',
    'said',
    `did() if os.path.exists('left') else put('left')`,
    { twice: true },
  ),
  python('reads a hidden file', 'leaked', `show(B['hidden'] + '/secret')`, { slice: true }),
  python('reads the password hashes', 'said', `os.read(os.open('/etc/shadow', os.O_RDONLY), 10) and did()`),
  sh('makes a file in a hidden folder by shell', 'written', 'echo "$T" > "$HIDDEN/$T"'),
  node('makes a file in a hidden folder by Node', 'written', `put(B.hidden + '/' + T)`),
];
