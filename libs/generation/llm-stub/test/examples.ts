import type { IntentPackage, Manifest } from '@h/contracts';
import type { CandidatesInput, HypothesisInput, IntentInput } from '@h/llm-stub';

export const hypothesisInput: HypothesisInput = {
  failure: {
    test: 'tests/test_cart.py::test_discount',
    class: 'AssertionError',
    location: 'tests/test_cart.py:12',
    message: 'assert 90 == 80',
  },
  candidatePoints: [
    { rank: 1, location: 'cart.py:7', suspiciousness: 0.71, failed_runs: 1, passed_runs: 1 },
    { rank: 2, location: 'cart.py:9', suspiciousness: 0.5, failed_runs: 1, passed_runs: 3 },
  ],
  existingTests: ['tests/test_cart.py::test_total', 'tests/test_cart.py::test_empty'],
};

export const hypothesesAnswer = {
  debugging_question: 'observe rate at cart.py:7, testing that the discount is halved',
  hypotheses: [
    {
      hypothesis_id: 'H1',
      claim: 'the rate is halved',
      observe: { variable: 'rate', location: 'cart.py:7' },
      expectation: '== 0.1',
    },
  ],
};

export const intentPackage: IntentPackage = {
  target: { entity: 'discount', file: 'cart.py', span: [5, 9] },
  requirement: 'A discount of 20 % is 20 %.',
  dependencies: [{ name: 'Decimal', signature: 'Decimal(value: str)' }],
  constraints: ['total() stays as it is'],
  validation: ['tests/test_cart.py::test_discount'],
};

export const candidatesInput: CandidatesInput = {
  intent: intentPackage,
  form: 'search_replace',
  before: 'a'.repeat(64),
  targetText: 'def discount(total):\n    return total * 0.9\n',
};

export const manifest: Manifest = {
  entries: ['d1', 'd2'].map((divergence_id) => ({
    divergence_id,
    behavior: `discount(${divergence_id})`,
    pinned: 'returned 90',
    candidate: 'returned 80',
    marker: 'accidental',
  })),
  routed_to: 'review',
};

export const intentInput: IntentInput = {
  manifest,
  issueIntent: 'A discount of 20 % is 20 %.',
  impactContext: ['cart.total -> cart.discount'],
};

export const annotationsAnswer = { annotations: [{ divergence_id: 'd1', classification: 'intentional' }] };

/** `count` candidates, each another one. */
export function candidatesAnswer(count: number) {
  return { candidates: Array.from({ length: count }, (_, n) => ({ search: '0.9', replace: `0.${n}` })) };
}
