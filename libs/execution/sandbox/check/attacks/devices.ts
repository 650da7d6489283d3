import { python, sh } from '../escape/attack.ts';

const open = (path: string, mode = 'os.O_RDONLY') =>
  python(`opens ${path}`, 'said', `os.open('${path}', ${mode} | os.O_NONBLOCK | os.O_NOCTTY); did()`);

export const DEVICES = [
  python(
    'makes a device of the disk and reads it',
    'said',
    `
os.mknod('disk', 0o60600, os.makedev(*B['disk'])); os.read(os.open('disk', os.O_RDONLY), 512) and did()`,
  ),
  python(
    'makes a device of the disk in the temporary folder',
    'said',
    `
path = '/tmp/' + T; os.mknod(path, 0o60600, os.makedev(*B['disk']))
try: os.read(os.open(path, os.O_RDONLY), 512) and did()
finally: os.unlink(path)`,
  ),
  python(
    'makes a device of the memory and opens it',
    'said',
    `os.mknod('memory', 0o20600, os.makedev(1, 1)); os.open('memory', os.O_RDONLY); did()`,
  ),
  python(
    'makes a device of the ports and opens it',
    'said',
    `os.mknod('port', 0o20600, os.makedev(1, 4)); os.open('port', os.O_RDONLY); did()`,
  ),
  python(
    'makes an endless device and has it collected',
    { over: 'collected', limit: 70 * 2 ** 20 },
    `os.mknod('x', 0o20666, os.makedev(1, 5))`,
    {
      collect: ['x'],
    },
  ),
  python(
    'makes a device by a call in memory',
    'said',
    `os.mknod('/dev/shm/' + T, 0o20600, os.makedev(1, 3)); os.unlink('/dev/shm/' + T); did()`,
  ),
  python(
    'reads the disk by its name',
    'said',
    `
name = os.path.basename(os.readlink('/sys/dev/block/%d:%d' % tuple(B['disk']))); os.read(os.open('/dev/' + name, os.O_RDONLY), 512) and did()`,
  ),
  python(
    'writes to the log of the kernel',
    'logged',
    `os.write(os.open('/dev/kmsg', os.O_WRONLY), T.encode() + b'\\n')`,
    { alone: true },
  ),
  python(
    'reads the log of the kernel',
    'said',
    `os.read(os.open('/dev/kmsg', os.O_RDONLY | os.O_NONBLOCK), 8192) and did()`,
  ),
  python("reads the host's shared memory", 'leaked', `show(B['memory_file'])`, { slice: true }),
  python(
    'makes a network interface',
    'said',
    `
import fcntl
fcntl.ioctl(os.open('/dev/net/tun', os.O_RDWR), 0x400454ca, struct.pack('16sH', b'hescape%d', 0x1002)); did()`,
  ),
  python(
    'asks for the address of the machine on its host',
    'said',
    String.raw`
import fcntl
fcntl.ioctl(os.open('/dev/vsock', os.O_RDONLY), 0x7b9, b'\0' * 4); did()`,
  ),
  python(
    'makes a virtual machine',
    'said',
    `
import fcntl
fcntl.ioctl(os.open('/dev/kvm', os.O_RDWR), 0xae00, 0); did()`,
  ),
  ...['/dev/loop-control', '/dev/fuse', '/dev/userfaultfd', '/dev/btrfs-control'].map((path) =>
    open(path, 'os.O_RDWR'),
  ),
  ...['/dev/loop0', '/dev/zram0', '/dev/hwrng', '/dev/vcs1', '/dev/vga_arbiter', '/dev/cpu/0/msr'].map((path) =>
    open(path),
  ),
  ...['/dev/console', '/dev/tty0', '/dev/tty1', '/dev/ttyS0', '/dev/cpu_dma_latency'].map((path) =>
    open(path, 'os.O_WRONLY'),
  ),
  sh('makes a device by mknod', 'said', 'mknod d c 1 3 && echo x > d && did', { slice: true }),
];
