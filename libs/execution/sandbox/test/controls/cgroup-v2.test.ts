import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { locateCgroupV2 } from '../../src/controls/cgroup-v2.ts';
import { ownerTag } from '../../src/workspace/own-scratch.ts';

// Ordinary folders stand in for the kernel's: this shows what is written and read, not what a kernel makes of it.
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'h-test-cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function folder(name: string, controllers: string): string {
  const path = join(root, name);
  mkdirSync(path);
  writeFileSync(join(path, 'cgroup.procs'), '');
  writeFileSync(join(path, 'cgroup.subtree_control'), `${controllers}\n`);
  return path;
}

it('takes the first folder that passes its controllers on', () => {
  const without = folder('without', 'io');
  rmSync(join(without, 'cgroup.subtree_control'));
  const not = join(root, 'not-a-group');
  mkdirSync(not);
  const good = folder('good', 'cpu io memory pids');
  expect(locateCgroupV2({ v1: {}, v2: [join(root, 'absent'), not, without] })).toBeUndefined();
  const control = locateCgroupV2({ v1: {}, v2: [not, without, good] });
  expect(control).toMatchObject({ name: 'cgroup-v2', accounts: true });
  control?.open();
  expect(readdirSync(good).filter((name) => name.startsWith(`h-sandbox-${ownerTag()}-`))).toHaveLength(1);
});

it('writes limits as the kernel documents them and reads its accounts', async () => {
  const base = folder('base', 'cpu memory pids');
  const group = locateCgroupV2({ v1: {}, v2: [base] })?.open();
  const path = join(base, readdirSync(base).find((name) => name.startsWith('h-sandbox-')) ?? '');
  group?.limit({ memory_bytes: 536_870_912, pids_max: 512, cpu_cores: 1.5 });
  const written = Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]));
  expect(written).toEqual({ 'cpu.max': '150000 100000', 'memory.max': '536870912', 'pids.max': '512' });
  writeFileSync(join(path, 'cpu.stat'), 'usage_usec 2500\nuser_usec 1\nnr_throttled 3\n');
  writeFileSync(join(path, 'memory.events'), 'low 0\nmax 9\noom 1\noom_kill 2\n');
  writeFileSync(join(path, 'memory.peak'), '4096\n');
  writeFileSync(join(path, 'pids.events'), 'max 4\n');
  writeFileSync(join(path, 'cgroup.procs'), '10\n20\n');
  expect(group?.usage()).toEqual({ cpuMs: 2.5, peakMemoryBytes: 4096, memoryHits: 2, pidsHits: 4, throttled: 3 });
  expect(group?.processes()).toEqual([10, 20]);
  expect(group?.exits).toEqual([join(base, 'cgroup.procs')]);
  await group?.add(30);
  expect(readFileSync(join(path, 'cgroup.procs'), 'utf8')).toBe('30');
});
