import type { Obligation, RegressionStatus, UnexpectedDifference } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { regressionStatus, type StatusParts } from '../src/index.ts';

const proven: Obligation = {
  behavior: 'kept',
  evidence: [{ test: 't', baseline: 'passed', candidate: 'passed' }],
  impact_source: 'a -> b',
};
const bare: Obligation = { behavior: 'unknown', evidence: [], impact_source: 'a -> c' };
const weak: Obligation = { ...bare, evidence: [{ test: 't', baseline: 'failed', candidate: 'passed' }] };
const difference = (more: Partial<UnexpectedDifference> = {}): UnexpectedDifference => ({
  divergence_id: 'test:t',
  behavior: 't',
  kind: 'test',
  baseline: 'passed',
  candidate: 'failed',
  classification: 'regression_evidence',
  rule: 'passed_then_failed',
  marker: 'accidental',
  ...more,
});

function check(parts: Partial<StatusParts>, expected: RegressionStatus, emptyDiff = false) {
  const all = { obligations: [], unexpected_differences: [], untested_obligations: [], ...parts };
  expect(regressionStatus(all, { emptyDiff })).toBe(expected);
}

describe('regressionStatus', () => {
  it('is PROTECTED when every obligation has evidence', () => check({ obligations: [proven] }, 'PROTECTED'));
  it('is DIVERGENT at an accidental difference, whatever else holds', () => {
    check({ obligations: [proven], unexpected_differences: [difference()] }, 'DIVERGENT');
    check({ untested_obligations: [bare], unexpected_differences: [difference()] }, 'DIVERGENT');
  });
  it('is DIVERGENT when only the annotation says accidental', () =>
    check(
      {
        obligations: [proven],
        unexpected_differences: [difference({ marker: 'intentional', annotation: 'accidental' })],
      },
      'DIVERGENT',
    ));
  it('is not DIVERGENT when marker and annotation say intentional', () =>
    check(
      {
        obligations: [proven],
        unexpected_differences: [difference({ marker: 'intentional', annotation: 'intentional' })],
      },
      'PROTECTED',
    ));
  it('stays DIVERGENT when an intentional annotation did not clear', () =>
    check({ obligations: [proven], unexpected_differences: [difference({ annotation: 'intentional' })] }, 'DIVERGENT'));
  it('is not DIVERGENT when the annotation cleared', () =>
    check(
      { obligations: [proven], unexpected_differences: [difference({ annotation: 'intentional', cleared: true })] },
      'PROTECTED',
    ));
  it('is UNPROVEN at an untested obligation', () =>
    check({ obligations: [proven], untested_obligations: [bare] }, 'UNPROVEN'));
  it('is UNPROVEN at an obligation without evidence, or with none that discharges it', () => {
    check({ obligations: [proven, bare] }, 'UNPROVEN');
    check({ obligations: [proven, weak] }, 'UNPROVEN');
  });
  it('is UNPROVEN when a patch that changes something has no obligation', () => {
    check({}, 'UNPROVEN');
    check({}, 'PROTECTED', true);
  });
});

describe('laws', () => {
  const rank = { PROTECTED: 0, UNPROVEN: 1, DIVERGENT: 2 };
  const marker = fc.constantFrom('intentional' as const, 'accidental' as const);
  const differences = fc.array(
    fc.oneof(
      fc.record({ marker }).map(difference),
      fc.record({ marker, annotation: marker }).map(difference),
      fc.constant(difference({ annotation: 'intentional', cleared: true })),
    ),
    { maxLength: 3 },
  );
  const obligations = fc.array(fc.constantFrom(proven, bare, weak), { maxLength: 3 });
  const parts = fc.record({
    obligations: fc.oneof(fc.array(fc.constant(proven), { maxLength: 3 }), obligations),
    unexpected_differences: differences,
    untested_obligations: fc.oneof(fc.constant<Obligation[]>([]), obligations),
  });
  const worsens = (before: StatusParts, after: StatusParts, emptyDiff: boolean) =>
    expect(rank[regressionStatus(after, { emptyDiff })]).toBeGreaterThanOrEqual(
      rank[regressionStatus(before, { emptyDiff })],
    );

  it('never rises when a difference or an untested obligation is added, or evidence is taken away', () => {
    fc.assert(
      fc.property(parts, fc.boolean(), fc.record({ marker }), fc.nat(), (before, emptyDiff, more, index) => {
        worsens(
          before,
          { ...before, unexpected_differences: [...before.unexpected_differences, difference(more)] },
          emptyDiff,
        );
        worsens(before, { ...before, untested_obligations: [...before.untested_obligations, bare] }, emptyDiff);
        const stripped = before.obligations.map((one, at) =>
          at === index % before.obligations.length ? { ...one, evidence: [] } : one,
        );
        worsens(before, { ...before, obligations: stripped }, emptyDiff);
      }),
      { numRuns: 2000 },
    );
  });

  it('puts DIVERGENT over UNPROVEN over PROTECTED', () => {
    fc.assert(
      fc.property(parts, fc.boolean(), (all, emptyDiff) => {
        const status = regressionStatus(all, { emptyDiff });
        const accidental = all.unexpected_differences.some(
          (d) => d.cleared !== true && (d.marker === 'accidental' || d.annotation === 'accidental'),
        );
        const gap =
          all.untested_obligations.length > 0 ||
          all.obligations.some((o) => o !== proven) ||
          (all.obligations.length === 0 && !emptyDiff);
        expect(status).toBe(accidental ? 'DIVERGENT' : gap ? 'UNPROVEN' : 'PROTECTED');
      }),
      { numRuns: 2000 },
    );
  });

  it('does not depend on the order of the parts', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const reversed = {
          obligations: [...all.obligations].reverse(),
          unexpected_differences: [...all.unexpected_differences].reverse(),
          untested_obligations: [...all.untested_obligations].reverse(),
        };
        expect(regressionStatus(reversed)).toBe(regressionStatus(all));
      }),
    );
  });
});
