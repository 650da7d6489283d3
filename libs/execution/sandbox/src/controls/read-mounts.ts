import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** Folders of control groups in which this process might make a group, best first. */
export interface CgroupMounts {
  readonly v1: Readonly<Record<string, readonly string[]>>;
  readonly v2: readonly string[];
}

/** Reads where the hierarchies are mounted and where in each this process stands. Empty where `/proc` does not say. */
export function readMounts(mountInfo = readProc('mountinfo'), membership = readProc('cgroup')): CgroupMounts {
  const own = new Map<string, string>();
  for (const line of membership.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers !== undefined && path !== undefined) for (const name of controllers.split(',')) own.set(name, path);
  }
  const v1: Record<string, string[]> = {};
  const v2: string[] = [];
  for (const line of mountInfo.split('\n')) {
    const [head = '', tail = ''] = line.split(' - ');
    const [, , , root = '/', mount = ''] = head.split(' ');
    const [type, , options = ''] = tail.split(' ');
    if (type === 'cgroup2') v2.push(...candidates(mount, root, own.get('') ?? '/'));
    if (type !== 'cgroup') continue;
    for (const name of options.split(',')) if (own.has(name)) v1[name] = candidates(mount, root, own.get(name) ?? '/');
  }
  return { v1, v2 };
}

/** Beside this process's own group (a group of the second version must not hold both processes and groups), in it, at the root. */
function candidates(mount: string, root: string, path: string): string[] {
  const below = root !== '/' && path.startsWith(root) ? path.slice(root.length) : path;
  const own = posix.join(mount, below).replace(/\/$/, '');
  const parent = own.startsWith(`${mount}/`) ? posix.dirname(own) : own;
  return [...new Set([parent, own, mount])];
}

function readProc(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, 'latin1');
  } catch {
    return '';
  }
}
