// Rendering of values in the Node agent: what is shown of each kind, and that nothing of the target runs for it.

import { ValueText } from '@h/contracts';
import { describe, expect, it } from 'vitest';
// the agent itself, as it lies in the target
// @ts-expect-error a plain JavaScript file
import { valueText } from '../agents/node/node-values.mjs';
import { HOSTILE, ran } from './fixtures/hostile-values.ts';

/** Type, text and whether it was cut. */
function textOf(value: unknown): [string, string, boolean] {
  ran.length = 0;
  let least = Number.POSITIVE_INFINITY;
  let wire = '';
  for (let turn = 0; turn < 5 && least > 0.5; turn += 1) {
    const before = process.cpuUsage();
    wire = valueText(value) as string;
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  const [type, text, truncated = 0, ref] = JSON.parse(wire) as [string, string, number?, number?];
  expect(ran).toEqual([]);
  const masked = truncated === 2 ? { masked: true as const } : {};
  ValueText.parse({ type, text, truncated: truncated !== 0, ...masked, ...(ref === undefined ? {} : { ref }) });
  expect(truncated === 2).toBe(text.includes('‹masked: '));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
  expect(least, 'milliseconds of processor time').toBeLessThan(1);
  return [type, text, truncated !== 0];
}

describe('values of the Node agent', () => {
  it.each(HOSTILE)('%s', (_, value, type, text, truncated = false) => {
    const seen = textOf(value);
    expect([seen[0], seen[2]]).toEqual([type, truncated]);
    if (typeof text === 'string') expect(seen[1]).toBe(text);
    else expect(seen[1]).toMatch(text);
  });

  it('shows an object with very many keys by its first keys, and looks at all only once', () => {
    const many = Object.fromEntries(Array.from({ length: 2e5 }, (_, index) => [`k${index}`, index]));
    valueText(many);
    const [, text] = textOf(many);
    expect(text).toMatch(/^\{k0: 0, .*k19: 19, …\}$/);
  });

  it('is the value of that moment', () => {
    const list = [1];
    const before = valueText(list) as string;
    list.push(2);
    expect(JSON.parse(before)[1]).toBe('[1]');
  });

  it('gives an object one serial for ever, and primitives none', () => {
    const [a, b] = [{}, {}];
    const refOf = (value: unknown) => (JSON.parse(valueText(value) as string) as unknown[])[3];
    expect(refOf(a)).toBe(refOf(a));
    expect(refOf(a)).not.toBe(refOf(b));
    expect([refOf(1), refOf('a'), refOf(null)]).toEqual([undefined, undefined, undefined]);
  });

  it('stays within its bounds for what is wide and deep', () => {
    let wide: unknown = 'x'.repeat(1000);
    for (let depth = 0; depth < 6; depth += 1) wide = Array(50).fill(wide);
    const [, text, truncated] = textOf(wide);
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(truncated).toBe(true);
  });
});
