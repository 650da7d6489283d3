import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHome, openRunDirectory } from '../src/run-directory.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'h-run-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('openHome', () => {
  it('is .h in the repository, ignored by git', async () => {
    const home = await openHome(dir, undefined, {});
    expect(home.dir).toBe(join(dir, '.h'));
    expect(readFileSync(join(dir, '.h', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('is the folder asked for, which gets no .gitignore', async () => {
    const home = await openHome(dir, join(dir, 'out'), {});
    expect(home.dir).toBe(join(dir, 'out'));
    expect(existsSync(join(dir, 'out', '.gitignore'))).toBe(false);
  });

  it('is in the state folder, and says so, when the repository cannot be written', async () => {
    writeFileSync(join(dir, '.h'), 'a file in the way');
    const home = await openHome(dir, undefined, { XDG_STATE_HOME: join(dir, 'state') });
    expect(home.dir.startsWith(join(dir, 'state', 'h'))).toBe(true);
    expect(home.note).toContain('is read-only');
  });
});

describe('openRunDirectory', () => {
  it('puts the run in its place only when it is whole, and replaces an earlier one', async () => {
    const home = await openHome(dir, undefined, {});
    for (const text of ['first', 'second']) {
      const run = await openRunDirectory(home, 'abc');
      await run.writeText('patches/01.diff', text);
      await run.writeMeasured('run', { wall_ms: 1 });
      expect(existsSync(join(run.dir, 'patches', '01.diff'))).toBe(text === 'second');
      await run.commit();
      expect(readFileSync(join(run.dir, 'patches', '01.diff'), 'utf8')).toBe(text);
      expect(run.files()).toEqual(['patches/01.diff']);
    }
    expect(readdirSync(join(home.dir, 'runs'))).toEqual(['abc']);
  });

  it('marks an interrupted run as partial', async () => {
    const run = await openRunDirectory(await openHome(dir, undefined, {}), 'abc');
    await run.writeText('a.json', '{}');
    expect(await run.abandon()).toBe(`${run.dir}.partial`);
    expect(readdirSync(`${run.dir}.partial`)).toEqual(['a.json']);
  });

  it('refuses to write a record that is none', async () => {
    const run = await openRunDirectory(await openHome(dir, undefined, {}), 'abc');
    const broken = { candidate_probe_points: [{ rank: 0 }] } as never;
    expect(() => run.writeRecord('x', 'CandidateProbePoints', broken)).toThrow('candidate_probe_points[0].rank');
    await run.discard();
    expect(readdirSync(join(dir, '.h', 'runs'))).toEqual([]);
  });
});
