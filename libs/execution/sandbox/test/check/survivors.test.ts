import { execa } from 'execa';
import { expect, it } from 'vitest';

async function survive(...options: string[]) {
  const script = new URL('../../check/survivors.ts', import.meta.url).pathname;
  const words = ['--conditions=@h/source', '--import', 'tsx', script, ...options];
  const { stdout, exitCode } = await execa(process.execPath, words, { reject: false });
  return {
    left: stdout.split('\n').filter((line) => line.startsWith('left: ')),
    summary: JSON.parse(stdout.trim().split('\n').at(-1) ?? ''),
    exitCode,
  };
}

// Shapes one by one and on every backend are in supervise-process.test.ts; here is whether it holds every time.
it('leaves nothing of 50 runs at their deadline and of 10 whose supervisor is killed', {
  timeout: 180_000,
}, async () => {
  const { left, summary, exitCode } = await survive('--deadlines', '50', '--kills', '10');
  expect(left).toEqual([]);
  expect(summary).toEqual({ deadline_runs: 50, deadline_survivors: 0, kill_runs: 10, kill_survivors: 0 });
  expect(exitCode).toBe(0);
});

it('sees what a weak backend leaves', { timeout: 60_000 }, async () => {
  const shape = 'other program, no environment';
  const { left, summary, exitCode } = await survive(
    '--backend',
    'plain',
    '--deadlines',
    '0',
    '--kills',
    '1',
    '--shape',
    shape,
  );
  expect(summary).toMatchObject({ deadline_survivors: 0, kill_runs: 1 });
  expect(summary.kill_survivors).toBeGreaterThan(0);
  expect(left[0]).toContain(shape);
  expect(exitCode).toBe(1);
});
