import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { presentPythons } from './present-pythons.ts';

const agents = join(import.meta.dirname, '../agents/python');
const script = join(import.meta.dirname, 'fixtures/place_library.py');

describe.each(presentPythons())('placing on CPython $version', ({ executable }) => {
  it.concurrent('gives every statement of library modules its probe, and changes no scope', async () => {
    const output = await new Promise<string>((done) => {
      execFile(executable, [script, agents, '20'], { encoding: 'utf8' }, (_, out, err) => done(err + out));
    });
    const result: unknown = JSON.parse(output);
    expect(result).toEqual({ modules: 20, placed: expect.any(Number), unplaced: 0, differing: [], failed: [] });
    expect((result as { placed: number }).placed).toBeGreaterThan(1000);
  });
});
