import { expect, it } from 'vitest';
import { bindOptions, fstabLine, readHostMounts, showReadOnly } from '../../src/backends/plan-mounts.ts';

const MOUNTS = readHostMounts(`22 27 0:21 / / rw,relatime - ext4 /dev/vda rw
23 22 0:22 / /usr/lib/gpu rw,nosuid,nodev,noexec,relatime - tmpfs tmpfs rw
24 22 0:23 / /data\\040disk rw,noexec - ext4 /dev/vdb rw
25 24 0:24 / /data\\040disk/in rw,nodev shared:3 - ext4 /dev/vdc rw
`);

it('reads points and the options that a bind must keep', () => {
  expect(MOUNTS).toEqual([
    { point: '/', kept: [] },
    { point: '/usr/lib/gpu', kept: ['nosuid', 'nodev', 'noexec'] },
    { point: '/data disk', kept: ['noexec'] },
    { point: '/data disk/in', kept: ['nodev'] },
  ]);
});

it.each([
  ['/usr', 'bind,ro'],
  ['/usr/lib/gpu/x', 'bind,ro,nosuid,nodev,noexec'],
  ['/usr/lib/gpus', 'bind,ro'],
  ['/data disk/file', 'bind,ro,noexec'],
  ['/data disk/in/file', 'bind,ro,nodev'],
])('binds %s with %s', (path, options) => {
  expect(bindOptions(MOUNTS, path, ['ro'])).toBe(options);
});

it('seals every file system below a path', () => {
  expect(showReadOnly(MOUNTS, '/usr/share', '/.host/usr/share', '/usr/share')).toEqual([
    '/.host/usr/share /usr/share none bind,ro,nosuid,nodev 0 0',
  ]);
  expect(showReadOnly(MOUNTS, '/data disk', '/.host/data disk', '/data disk')).toEqual([
    '/.host/data\\040disk /data\\040disk none rbind 0 0',
    'none /data\\040disk none remount,bind,ro,nosuid,nodev,noexec 0 0',
    'none /data\\040disk/in none remount,bind,ro,nosuid,nodev 0 0',
  ]);
});

it('writes names that an fstab cannot hold as they are', () => {
  expect(fstabLine('/a b', '/c\td\\e\nf', 'none', 'bind')).toBe('/a\\040b /c\\011d\\134e\\012f none bind 0 0');
});
