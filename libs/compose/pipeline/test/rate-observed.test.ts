// What a really observed run says of candidates: a loop header that steps before it asks, a number that is none, a masked value.
import { type ProposedEdit, proposeEdits } from '@h/fix-templates';
import { observeTest, planProbes, planTrace } from '@h/instrument';
import { expect, test } from 'vitest';
import { openTarget } from '../../../diagnosis/instrument/test/open-target.ts';
import { parser, ranked, shapeOf } from '../../../diagnosis/instrument/test/program-of.ts';

const SOURCE = `export function sumTo(n) {
  let total = 0;
  for (let i = 1; i < n; i++) {
    total += i;
  }
  return total;
}
export function login(password) {
  if (password === 'abc') return 'in';
  return 'out';
}
export function mean(sum, count) {
  const found = sum / count;
  if (!found) return 0;
  return found;
}
`;
const FILES = {
  'sum.js': SOURCE,
  'package.json': '{"type":"module","devDependencies":{"vitest":"*"},"scripts":{"test":"vitest run"}}',
  'sum.test.js': `import { expect, test } from 'vitest';
import { login, mean, sumTo } from './sum.js';
test('all', () => {
  expect([sumTo(4), login('xyz'), mean(0, 0)]).toEqual([10, 'in', 1]);
});
`,
};

test('a mend that the values seen do not speak against keeps its score', async () => {
  const target = await openTarget(FILES);
  try {
    const shape = shapeOf({ 'sum.js': SOURCE });
    const plan = planProbes({ ...shape, candidates: ranked('sum.js:4') });
    const trace = planTrace(plan, { ...shape, frames: ['sum.js:3', 'sum.js:9', 'sum.js:14'] });
    const observed = await observeTest({ ...target.setting('sum.test.js > all'), plan, trace });
    expect(observed.outcome).toBe('failed');
    const textAt = (line: number, name: string) =>
      observed.events.find(({ location }) => location === `sum.js:${line}`)?.payload.variables?.[name]?.text;
    // The run shows what the ratings below are about.
    expect(observed.events.filter(({ location }) => location === 'sum.js:3')).toHaveLength(4);
    expect(textAt(9, 'password')).toContain('‹masked');
    expect(textAt(14, 'found')).toBe('NaN');

    const factors = (line: number, pattern: RegExp): number[] => {
      const [before, after] = [proposed(line), proposed(line, observed)];
      return [...after]
        .filter(([name]) => pattern.test(name))
        .map(([name, { score = 0 }]) => score / (before.get(name)?.score ?? Number.NaN));
    };
    expect(factors(3, /: < → <=/)).toEqual([1]);
    for (const line of [9, 14]) {
      const found = factors(line, /./);
      expect(found.length).toBeGreaterThan(5);
      expect(found.filter((factor) => factor > 1.001)).toEqual([]);
    }
    for (const factor of factors(9, /'abc' → |empty|=== → /)) expect(factor).toBe(1);
    for (const factor of factors(14, /guard|!found → /)) expect(factor).toBe(1);
  } finally {
    await target.sandbox.close();
  }
});

function proposed(line: number, observed?: Awaited<ReturnType<typeof observeTest>>): Map<string, ProposedEdit> {
  const batches = proposeEdits({
    files: [{ path: 'sum.js', text: SOURCE }],
    targets: [{ file: 'sum.js', first: line, last: line, score: 1 }],
    parser,
    ...(observed === undefined ? {} : { evidence: { observed } }),
  });
  return new Map([...batches].flatMap(({ candidates }) => candidates.map((one) => [one.provenance, one])));
}
