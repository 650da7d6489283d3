import { python } from '../escape/attack.ts';

/** Swaps two names for as long as it lives, from a process that tries to outlive the run. */
const SWAPPER = `
def swap():
    os.close(1); os.close(2)
    end = time.time() + 8
    while time.time() < end: call('renameat2', -100, b'x', -100, b'y', 2)
daemon(swap); time.sleep(0.05)`;
const collect = ['x'];

export const LINKS = [
  python('has a link to a secret collected', 'leaked', `os.symlink(B['hidden'] + '/secret', 'x')`, {
    collect,
    slice: true,
  }),
  python('has a file below a link to a folder collected', 'leaked', `os.symlink(B['hidden'], 'd')`, {
    collect: ['d/secret'],
  }),
  python(
    'has a chain of links collected',
    'leaked',
    `os.symlink(B['hidden'], 'a'); os.symlink('a/secret', 'b'); os.symlink('b', 'x')`,
    { collect },
  ),
  python(
    "has a link through the collector's own process entry collected",
    'leaked',
    `os.symlink('/proc/self/root' + B['hidden'] + '/secret', 'x')`,
    { collect },
  ),
  python("has a link to the collector's environment collected", 'leaked', `os.symlink('/proc/self/environ', 'x')`, {
    collect,
  }),
  python("has a link to the collector's descriptor collected", 'leaked', `os.symlink('/proc/self/fd/100', 'x')`, {
    collect,
  }),
  python(
    'has a relative link that climbs collected',
    'leaked',
    `os.symlink('../' * 40 + B['hidden'][1:] + '/secret', 'x')`,
    { collect },
  ),
  python('has a hard link to a secret collected', 'leaked', `os.link(B['hidden'] + '/secret', 'x')`, { collect }),
  python('writes through a hard link to a file it may read', 'damaged', `os.link(B['ro'] + '/keep', 'x'); put('x')`),
  python('has a FIFO collected', { over: 'settled_ms', limit: 5500 }, `os.mkfifo('x')`, { collect }),
  python(
    'has an endless device collected through a link',
    { over: 'collected', limit: 70 * 2 ** 20 },
    `os.symlink('/dev/zero', 'x')`,
    { collect },
  ),
  python(
    'has a file of 10 GiB without content collected',
    { over: 'collected', limit: 70 * 2 ** 20 },
    `os.truncate(os.open('x', os.O_CREAT | os.O_WRONLY), 10 << 30)`,
    {
      collect,
      policy: { disk_bytes: 20 * 2 ** 30 },
    },
  ),
  python(
    'swaps a file and a link while it is collected',
    'leaked',
    `open('x', 'w').write('x'); os.symlink(B['hidden'] + '/secret', 'y')${SWAPPER}`,
    { collect },
  ),
  python(
    'swaps a folder and a link while it is collected',
    'leaked',
    `
os.mkdir('x'); open('x/secret', 'w').write('x'); os.symlink(B['hidden'], 'y')${SWAPPER}`,
    { collect: ['x/secret'] },
  ),
  python(
    'puts a link in the place of the workspace',
    'leaked',
    `
here = os.getcwd(); os.rename(here, here + '-old'); os.symlink(B['hidden'], here)`,
    { collect: ['secret'] },
  ),
  python('moves a hidden file into the workspace', 'damaged', `os.rename(B['hidden'] + '/keep', 'x')`),
  python(
    'exchanges a hidden file for its own',
    'damaged',
    `put('x'); call('renameat2', -100, b'x', -100, (B['hidden'] + '/keep').encode(), 2)`,
  ),
  python(
    'links an open file without a name into a hidden folder',
    'written',
    `
fd = os.open('.', os.O_TMPFILE | os.O_WRONLY); os.write(fd, T.encode())
name(fd, B['hidden'] + '/' + T)`,
  ),
  python(
    'writes through a link in the workspace',
    'damaged',
    `os.symlink(B['hidden'] + '/keep', 'x'); put('x', os.O_WRONLY | os.O_TRUNC)`,
  ),
  python(
    'puts a link in the place of the packages',
    'written',
    `
os.rename('node_modules', 'old'); os.symlink(B['hidden'], 'node_modules'); put('node_modules/' + T)`,
  ),
  python(
    'moves an open folder away and climbs from it',
    'written',
    `
os.makedirs('a/b'); fd = os.open('a/b', os.O_RDONLY); os.rename('a/b', 'c')
put_at = os.open('../' * 40 + B['hidden'][1:] + '/' + T, os.O_WRONLY | os.O_CREAT, 0o666, dir_fd=fd); os.write(put_at, T.encode())`,
  ),
  python('has the cleaner remove files through a link to a folder', 'damaged', `os.symlink(B['hidden'], 'd')`, {
    cleaned: true,
  }),
  python(
    'has the cleaner change rights through a link',
    'damaged',
    `os.mkdir('d'); os.symlink(B['hidden'] + '/keep', 'd/x'); os.chmod('d', 0)`,
    { cleaned: true },
  ),
  python(
    'has the next run come to a link in the place of its folder',
    'written',
    `
if os.path.exists('d'): put('d/' + T)
else: os.symlink(B['hidden'], 'd')`,
    { twice: true },
  ),
];
