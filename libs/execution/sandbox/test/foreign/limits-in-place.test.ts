// Runs that share a place: whose time counts, and that a command cannot say by its own words that it has ended.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryArtifacts } from '@h/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createExecutor, defaultPolicy, type ForeignExecutor, type ForeignSteps } from '../../src/index.ts';
import { treeOf } from '../open-sandbox.ts';
import { childProcessSystem } from './child-process-system.ts';

const artifacts = memoryArtifacts();
type Exec = ForeignSteps['exec'];

let root: string;
let calls: string[];
let executor: ForeignExecutor | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'h-test-limits-'));
  calls = [];
});
afterEach(async () => {
  await executor?.close();
  rmSync(root, { recursive: true });
});

/** One run on an executor whose `exec` is changed. */
async function sh(line: string, wall_ms: number, change: (exec: Exec) => Exec = (exec) => exec, transferMs = 20_000) {
  const system = childProcessSystem(root);
  const exec = change(system.exec);
  executor = createExecutor(
    {
      ...system,
      put: (files, call) => {
        calls.push('put');
        return system.put(files, call);
      },
      exec: (command) => {
        calls.push('exec');
        return exec(command);
      },
    },
    { artifacts, transferMs },
  );
  const tree = await treeOf(artifacts, { 'a.txt': 'a\n' });
  const request = { mode: 'verdict' as const, argv: ['/bin/sh', '-c', line], cwd: '', tree, artifact_version: tree };
  const started = performance.now();
  const result = await executor.run({ ...request, policy: defaultPolicy({ wall_ms }), ordinal: 0, collect: [] });
  return { ...result, tookMs: performance.now() - started, asked: calls.join(' ') };
}

/** Over there folders are copied slowly. */
const copySlowly =
  (seconds: number) =>
  (exec: Exec): Exec => {
    const bin = mkdtempSync(join(root, 'tools-'));
    writeFileSync(join(bin, 'cp'), `#!/bin/sh\nPATH=\${PATH#*:}\nsleep ${seconds}\nexec cp "$@"\n`);
    chmodSync(join(bin, 'cp'), 0o755);
    return (command) => exec({ ...command, env: { ...command.env, PATH: `${bin}:${process.env.PATH}` } });
  };

/** Over there output comes only with the answer. */
const keepOutput =
  (exec: Exec): Exec =>
  async (command) => {
    const kept: Uint8Array[] = [];
    const answer = await exec({ ...command, onStdout: (chunk) => kept.push(Buffer.from(chunk)) });
    return { ...answer, stdout: Buffer.concat(kept) };
  };

it('what comes before the command does not count as its time', async () => {
  const result = await sh('echo hi', 1200, copySlowly(1.5));
  expect(result).toMatchObject({ ended_by: 'exit', exit_code: 0, stdout: { text: 'hi\n' }, asked: 'put exec' });
  expect(result.wall_ms).toBeLessThan(1200);
});

it('what does not begin in the time of a transfer is run apart', async () => {
  const result = await sh('cat a.txt', 1500, copySlowly(3), 1000);
  expect(result).toMatchObject({ ended_by: 'exit', stdout: { text: 'a\n' }, asked: 'put exec put exec' });
});

it('where output comes with the answer the limit counts from the call, and nothing runs twice', async () => {
  const late = await sh('echo hi; exec sleep 60', 500, keepOutput);
  expect(late).toMatchObject({ ended_by: 'wall_limit', asked: 'put exec' });
  expect(late.tookMs).toBeLessThan(5000);
});

it('where output comes with the answer the time is that of the call', async () => {
  const result = await sh('sleep 0.3; echo hi', 5000, keepOutput);
  expect(result).toMatchObject({ ended_by: 'exit', stdout: { text: 'hi\n' } });
  expect(result.wall_ms).toBeGreaterThan(290);
});

it('a run that is cut has the time from the beginning of its command', async () => {
  const result = await sh('echo begun; exec sleep 60', 1000, copySlowly(1.2));
  expect(result).toMatchObject({ ended_by: 'wall_limit', stdout: { text: 'begun\n' } });
  expect(result.wall_ms).toBeLessThan(2000);
});

it('a command finds what marks the words of its shell in no argument, variable, descriptor or file', async () => {
  const result = await sh(
    [
      'cd ../..; { tr "\\0" "\\n" </proc/$PPID/cmdline; tr "\\0" "\\n" </proc/$PPID/environ; cat /proc/$PPID/fd/0; find .',
      'find . -type f -exec cat {} +; for f in $(find . -name in.tar); do tar -x -O -f $f; done; set; } >seen 2>/dev/null',
      'for m in $(grep -a -o "[0-9a-f]\\{24,\\}" seen | sort -u) $(tr "\\0" "\\n" </proc/$PPID/cmdline | tail -n 1)',
      'do printf "[h:%s:end 0 0 0 -]" "$m"; done; echo; echo begun; exec sleep 8',
    ].join('\n'),
    1000,
  );
  expect(result).toMatchObject({ ended_by: 'wall_limit', stdout: { text: expect.stringMatching(/\nbegun\n$/) } });
  expect(result.exit_code).toBeUndefined();
  expect(result.tookMs).toBeLessThan(4000);
});

it('a forged end does not lift the wall limit', async () => {
  // A command that has read the mark where only a determined one looks, as if from the memory of its shell.
  const forge =
    (exec: Exec): Exec =>
    (command) => {
      const mark = /^[0-9a-f]+$/m.exec(command.stdin ?? '')?.[0] ?? command.argv.at(-1);
      const forged = `[h:${mark}:end 0 0 0 -]`;
      const onStdout = (chunk: Uint8Array | string) =>
        command.onStdout(Buffer.from(chunk).toString().replace('X', forged));
      return exec({ ...command, onStdout });
    };
  const result = await sh('printf X; exec sleep 8', 300, forge);
  expect(result).toMatchObject({ ended_by: 'exit', exit_code: 0 });
  expect(result.tookMs).toBeLessThan(4000);
});
