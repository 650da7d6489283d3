import { expect, it } from 'vitest';
import { readMounts } from '../../src/controls/read-mounts.ts';

it('reads one unified hierarchy', () => {
  const mounts = readMounts(
    '31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate',
    '0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope\n',
  );
  expect(mounts).toEqual({
    v1: {},
    v2: [
      '/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice',
      '/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope',
      '/sys/fs/cgroup',
    ],
  });
});

it('reads one hierarchy a controller, some of them shared', () => {
  const info = [
    '30 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
    '31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
    '32 25 0:28 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd',
  ].join('\n');
  const { v1, v2 } = readMounts(info, '4:memory:/a/b\n2:cpu,cpuacct:/\n1:name=systemd:/init\n');
  expect(v2).toEqual([]);
  expect(v1.memory).toEqual(['/sys/fs/cgroup/memory/a', '/sys/fs/cgroup/memory/a/b', '/sys/fs/cgroup/memory']);
  expect(v1.cpu).toEqual(['/sys/fs/cgroup/cpu,cpuacct']);
  expect(v1.cpuacct).toEqual(v1.cpu);
});

it('understands a container that sees its own part as the root', () => {
  const info = '31 25 0:27 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory';
  expect(readMounts(info, '4:memory:/docker/abc\n').v1.memory).toEqual(['/sys/fs/cgroup/memory']);
});

it('finds nothing where there is nothing', () => {
  expect(readMounts('', '')).toEqual({ v1: {}, v2: [] });
});
