import { openSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';

/** A user namespace that lives as long as its descriptor is open. */
export interface UserNamespace {
  readonly fd: number;
  /** Host uid and gid of the one user it knows. */
  readonly uid: number;
}

/** Uid and gid of the payload as it sees them itself. */
export const INSIDE_ID = '1000';

const SCRIPT = 'echo ready; read -r _; echo 0 > /proc/sys/user/max_user_namespaces && echo closed; read -r _';

/** Makes a namespace whose only user is `uid` of the host and in which no further user namespace can be made. Needs root; undefined when the host refuses. */
export async function openUserNamespace(unshare: string, uid: number): Promise<UserNamespace | undefined> {
  const helper = execa(unshare, ['--user', '--keep-caps', '/bin/sh', '-c', SCRIPT], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
    buffer: false,
    reject: false,
    extendEnv: false,
    env: { PATH: '/usr/bin:/bin' },
    timeout: 20_000,
  });
  try {
    const lines = helper.iterable()[Symbol.asyncIterator]();
    if ((await lines.next()).value !== 'ready' || helper.pid === undefined) return undefined;
    writeFileSync(`/proc/${helper.pid}/uid_map`, `${INSIDE_ID} ${uid} 1\n`);
    writeFileSync(`/proc/${helper.pid}/gid_map`, `${INSIDE_ID} ${uid} 1\n`);
    helper.stdin.write('\n');
    if ((await lines.next()).value !== 'closed') return undefined;
    return { fd: openSync(`/proc/${helper.pid}/ns/user`, 'r'), uid };
  } catch {
    return undefined;
  } finally {
    helper.stdin.end();
    await helper;
  }
}
