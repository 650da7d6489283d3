import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { HostTools } from '../host/find-tools.ts';

/** A user namespace that lives as long as its descriptor is open. */
export interface UserNamespace {
  readonly fd: number;
  /** Host uid and gid of the user that payloads are. */
  readonly uid: number;
}

/** Uid and gid of the payload as it sees them itself. */
export const INSIDE_ID = '1000';

const FIRST_UID = 64_000;
const SCRIPT = 'echo ready; read -r _; echo 0 > /proc/sys/user/max_user_namespaces && echo closed; read -r _';
const HELPER_MS = 20_000;

export interface NamespaceUsers {
  /** Host uid and gid that root of the namespace has; absent: it has none. */
  readonly root?: number;
}

/** One namespace a slot, each with a user of its own; none when this program is not root or the host refuses one of them. */
export async function openUserNamespaces(
  { setpriv, unshare }: HostTools,
  slots: number,
  users: NamespaceUsers = {},
): Promise<UserNamespace[]> {
  if (process.getuid?.() !== 0 || setpriv === undefined || unshare === undefined) return [];
  const all = Array.from({ length: slots }, (_, slot) => openUserNamespace(unshare, FIRST_UID + slot, users));
  const opened = (await Promise.all(all)).filter((namespace) => namespace !== undefined);
  if (opened.length === slots) return opened;
  for (const { fd } of opened) closeSync(fd);
  return [];
}

/** Makes a namespace that knows `uid` of the host, and in which no further user namespace can be made. */
async function openUserNamespace(
  unshare: string,
  uid: number,
  { root }: NamespaceUsers,
): Promise<UserNamespace | undefined> {
  const helper = spawn(unshare, ['--user', '--keep-caps', '/bin/sh', '-c', SCRIPT], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    timeout: HELPER_MS,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<void>((resolve) => helper.once('error', () => resolve()).once('exit', () => resolve()));
  helper.stdin.on('error', () => undefined);
  try {
    const lines = createInterface({ input: helper.stdout })[Symbol.asyncIterator]();
    if ((await lines.next()).value !== 'ready' || helper.pid === undefined) return undefined;
    const map = `${root === undefined ? '' : `0 ${root} 1\n`}${INSIDE_ID} ${uid} 1\n`;
    writeFileSync(`/proc/${helper.pid}/uid_map`, map);
    writeFileSync(`/proc/${helper.pid}/gid_map`, map);
    helper.stdin.write('\n');
    if ((await lines.next()).value !== 'closed') return undefined;
    return { fd: openSync(`/proc/${helper.pid}/ns/user`, 'r'), uid };
  } catch {
    return undefined;
  } finally {
    helper.stdin.end();
    await ended;
  }
}
