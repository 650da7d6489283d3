import { createProbeInjector, createStatementInjector, nodeAgent, pythonAgent } from '@h/agents';
import { expect, test } from 'vitest';
import { holdsProbes } from '../src/index.ts';

test('text that instrumentation wrote is known', async () => {
  const text = 'const a = 1;\nexport function f(b) { return a + b; }\n';
  const probes = [{ n: 0, line: 2, role: 'return' as const, before: ['b'], after: [] }];
  const values = (await createProbeInjector()).inject(text, 'javascript', { path: 'a.mjs', probes });
  const coverage = (await createStatementInjector()).inject(text, 'javascript', { path: 'a.mjs' });
  expect('text' in values && values.text !== text && holdsProbes(values.text)).toBe(true);
  expect('text' in coverage && holdsProbes(coverage.text)).toBe(true);
  for (const { path } of [...pythonAgent(), ...nodeAgent()]) expect(holdsProbes(`+++ b/${path}`), path).toBe(true);
});

test.each([
  '__h_t__[3] = __h_c__(__h_n__)',
  '+++ b/.h-agent/probe-table.json',
  'globalThis.__h?.(4);x()',
  '__h_p0?.k(1,"true")',
])('a probe: %s', (text) => expect(holdsProbes(text)).toBe(true));

test.each(['x = 1', '.h-agent/', 'globalThis.__hello', '__h__', 'th_p0', 'instance.__h_value'])(
  'no probe: %s',
  (text) => expect(holdsProbes(text)).toBe(false),
);
