import { python } from '../escape/attack.ts';

const mounts = true as const;
const BIND = 4096;
const REMOUNT = 32;
const READ_ONLY = 1;

export const MOUNTS = [
  python('mounts a folder in memory', 'said', `os.mkdir('m'); mount('none', 'm', 'tmpfs'); did()`, {
    mounts,
    slice: true,
  }),
  python(
    'binds a hidden folder into the workspace',
    'leaked',
    `os.mkdir('m'); mount(B['hidden'], 'm', None, ${BIND}); show('m/secret')`,
    { mounts },
  ),
  python(
    'binds the root into the workspace',
    'leaked',
    `os.mkdir('m'); mount('/', 'm', None, ${BIND}); show('m' + B['hidden'] + '/secret')`,
    { mounts },
  ),
  python(
    'mounts a process list',
    'leaked',
    `os.mkdir('m'); mount('proc', 'm', 'proc'); show('m/%d/environ' % B['bystander'])`,
    { mounts },
  ),
  python('mounts the view of devices', 'said', `os.mkdir('m'); mount('sysfs', 'm', 'sysfs'); did()`, { mounts }),
  python(
    'mounts control groups, version 1',
    'said',
    `os.mkdir('m'); mount('none', 'm', 'cgroup', 0, 'none,name=h'); did()`,
    { mounts },
  ),
  python('mounts control groups, version 2', 'said', `os.mkdir('m'); mount('none', 'm', 'cgroup2'); did()`, { mounts }),
  python(
    'mounts an overlay over the root',
    'said',
    `
mount('none', '/dev/shm', 'tmpfs'); os.makedirs('/dev/shm/u'); os.makedirs('/dev/shm/w'); os.makedirs('/dev/shm/m')
mount('overlay', '/dev/shm/m', 'overlay', 0, 'lowerdir=/usr,upperdir=/dev/shm/u,workdir=/dev/shm/w'); did()`,
    { mounts },
  ),
  python('mounts terminals', 'said', `os.mkdir('m'); mount('none', 'm', 'devpts'); did()`, { mounts }),
  python('mounts message queues', 'said', `os.mkdir('m'); mount('none', 'm', 'mqueue'); did()`, { mounts }),
  python(
    'mounts the disk of the host',
    'said',
    `
os.mkdir('m'); os.mknod('disk', 0o60600, os.makedev(*B['disk'])); mount('disk', 'm', 'ext4', ${READ_ONLY}); did()`,
    { mounts },
  ),
  python(
    'mounts a folder it may read anew, to write to it',
    'written',
    `
try: mount('none', os.path.dirname(B['ro']), None, ${REMOUNT | BIND})
except OSError as problem: say(repr(problem))
put(B['ro'] + '/' + T)`,
    { mounts },
  ),
  python('takes the process list away', 'said', `call('umount2', b'/proc', 2); did()`, { mounts }),
  python('takes its own root away', 'said', `call('umount2', b'/', 2); did()`, { mounts }),
  python(
    'changes the root',
    'leaked',
    `os.mkdir('m'); call('chroot', b'm'); os.chdir('../' * 40); os.chroot('.'); show(B['hidden'] + '/secret')`,
    { mounts },
  ),
  python(
    'moves the root aside',
    'said',
    `
os.makedirs('m'); mount('m', 'm', None, ${BIND}); os.mkdir('m/old'); call('pivot_root', b'm', b'm/old'); did()`,
    { mounts },
  ),
  python('makes a mount namespace', 'said', `call('unshare', 0x20000); did()`, { mounts }),
  python('makes a user namespace', 'said', `call('unshare', 0x10000000); did()`),
  python(
    'makes user and mount namespaces, then mounts',
    'said',
    `call('unshare', 0x10020000); os.mkdir('m'); mount('none', 'm', 'tmpfs'); did()`,
  ),
  python(
    'starts a child in a user namespace',
    'said',
    `
child = call('clone', 0x10000000 | 17, 0, 0, 0, 0)
if child == 0: os._exit(0)
did()`,
  ),
  python('makes a network namespace of its own', 'said', `call('unshare', 0x40000000); did()`, { mounts }),
  python(
    'enters the mount namespace of the first process',
    'said',
    `call('setns', os.open('/proc/1/ns/mnt', os.O_RDONLY), 0); did()`,
    { mounts },
  ),
  python(
    "enters the caller's mount namespace",
    'leaked',
    `
call('setns', os.open('/proc/%d/ns/mnt' % B['caller'], os.O_RDONLY), 0); show(B['hidden'] + '/secret')`,
    { mounts },
  ),
  python(
    'takes a copy of the mount tree by descriptor',
    'leaked',
    `
fd = call('open_tree', -100, b'/', 1 | 0x8000); say(os.read(os.open(B['hidden'][1:] + '/secret', os.O_RDONLY, dir_fd=fd), 100))`,
    { mounts },
  ),
  python(
    'makes a mount without a place',
    'said',
    `
fd = call('fsopen', b'tmpfs', 0); call('fsconfig', fd, 6, None, None, 0); call('fsmount', fd, 0, 0); did()`,
    { mounts },
  ),
  python(
    'lifts the write protection of a mount',
    'said',
    `
place = os.path.dirname(B['ro']); clear = ctypes.create_string_buffer(struct.pack('QQQQ', 0, 1, 0, 0))
try: mount(place, place, None, ${BIND})
except OSError as problem: say(repr(problem))
call('mount_setattr', -100, place.encode(), 0, clear, 32); did()`,
    { mounts },
  ),
  python(
    'opens the root of the disk by its number',
    'leaked',
    `
handle = ctypes.create_string_buffer(struct.pack('IiQ', 8, 1, 2))
fd = call('open_by_handle_at', os.open('.', os.O_RDONLY), handle, 0)
say(os.read(os.open(B['hidden'][1:] + '/secret', os.O_RDONLY, dir_fd=fd), 100))`,
  ),
];
