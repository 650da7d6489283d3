import { mkdirSync, writeFileSync } from 'node:fs';
import type { HostTools } from '../host/find-tools.ts';
import { runTool } from '../host/run-tool.ts';
import { type DiskMaker, diskCommands, mountNamespace, overlayOptions, planDisk } from './plan-disk.ts';

const TRIAL_MS = 10_000;

/**
 * Makes a disk and uses it as runs do: changes, removes and makes anew what the prepared tree has. Undefined where this host cannot; runs
 * then get copies without limits of size.
 */
export async function tryDisk(
  tools: HostTools,
  folder: string,
  options: Pick<DiskMaker, 'inUserNamespace'>,
): Promise<DiskMaker | undefined> {
  const { unshare, mount } = tools;
  if (unshare === undefined || mount === undefined) return undefined;
  const maker: DiskMaker = { mount, ...options };
  for (const path of ['disk', 'merged', 'lower/deep']) mkdirSync(`${folder}/${path}`, { recursive: true });
  writeFileSync(`${folder}/lower/deep/file`, 'lower');
  const plan = planDisk('lower', { disk_bytes: 1024 * 1024, inodes_max: 64 });
  const script = [
    ...diskCommands(maker, plan),
    `${mount} -t overlay -o ${overlayOptions(maker, plan)} h merged`,
    'PATH=/usr/bin:/bin',
    'echo upper > merged/deep/file',
    '[ "$(cat merged/deep/file)" = upper ]',
    '[ "$(cat lower/deep/file)" = lower ]',
    'rm -r merged/deep',
    'mkdir merged/deep',
    '[ ! -e merged/deep/file ]',
    '! head -c 2000000 /dev/zero 2>/dev/null > merged/large',
  ].join(' && ');
  const [file = '', ...args] = [...mountNamespace(tools, maker), '/bin/sh', '-c', script];
  const { exitCode } = await runTool(file, args, { cwd: folder, timeoutMs: TRIAL_MS });
  return exitCode === 0 ? maker : undefined;
}
