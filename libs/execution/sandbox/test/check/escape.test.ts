import { existsSync } from 'node:fs';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { ATTACKS } from '../../check/attacks/all.ts';

interface Summary {
  readonly attacks: number;
  readonly blocked: number;
  readonly untested: number;
  readonly escaped: number;
}

async function fight(
  ...options: string[]
): Promise<Summary & { lines: readonly string[]; exitCode: number | undefined }> {
  const script = new URL('../../check/escape.ts', import.meta.url).pathname;
  const words = ['--conditions=@h/source', '--import', 'tsx', script, ...options];
  const { stdout, exitCode } = await execa(process.execPath, words, { reject: false });
  const lines = stdout.trim().split('\n');
  return { ...(JSON.parse(lines.at(-1) ?? '') as Summary), lines, exitCode };
}

const all = Object.values(ATTACKS).flat();

it('has at least 160 attacks in 16 classes, each with a name of its own', () => {
  expect(Object.keys(ATTACKS)).toHaveLength(16);
  expect(all.length).toBeGreaterThanOrEqual(160);
  for (const attacks of Object.values(ATTACKS))
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
});

it('lets no attack of the slice, one or more a class, out of the strongest backend', { timeout: 120_000 }, async () => {
  const inSlice = Object.values(ATTACKS).map((attacks) => attacks.filter(({ slice }) => slice).length);
  expect(Math.min(...inSlice)).toBeGreaterThan(0);
  const { attacks, blocked, untested, escaped, lines, exitCode } = await fight('--slice');
  expect(lines.filter((line) => line.startsWith('escaped') || line.startsWith('left'))).toEqual([]);
  expect({ attacks, escaped, exitCode }).toEqual({
    attacks: inSlice.reduce((sum, each) => sum + each),
    escaped: 0,
    exitCode: 0,
  });
  expect(blocked + untested).toBe(attacks);
  // Some need rights that not every caller has; they are named.
  expect(lines.filter((line) => line.startsWith('untested: '))).toHaveLength(untested);
  expect(blocked).toBeGreaterThanOrEqual(20);
});

it('sees what escapes from a weak executor', { timeout: 120_000 }, async () => {
  const { attacks, escaped, exitCode, lines } = await fight('--slice', '--backend', 'plain', '--only', 'file writes');
  expect({ attacks, escaped, exitCode }).toEqual({ attacks: 3, escaped: 3, exitCode: 1 });
  expect(lines.filter((line) => line.startsWith('escaped: '))).toHaveLength(3);
});

it('calls an attack untested that does not succeed outside either', { timeout: 120_000 }, async () => {
  const { blocked, untested, lines } = await fight('--only', 'opens /dev/cpu/0/msr');
  const there = existsSync('/dev/cpu/0/msr');
  expect({ blocked, untested }).toEqual(there ? { blocked: 1, untested: 0 } : { blocked: 0, untested: 1 });
  expect(lines.some((line) => /^untested: .*outside it does not succeed: .*No such file/.test(line))).toBe(!there);
});

it.skipIf(process.getuid?.() !== 0)(
  'never calls an attack blocked on a limit that is unmet',
  { timeout: 120_000 },
  async () => {
    const attack = 'takes more memory in steps';
    const { blocked, untested, escaped, lines } = await fight('--caller', '65534', '--only', attack);
    expect({ blocked, untested, escaped }).toEqual({ blocked: 0, untested: 1, escaped: 0 });
    expect(lines).toContain(`untested: exhaustion: ${attack} (memory_limit is unmet here, as the receipt says)`);
  },
);
