import type { EvidencePack } from '@h/contracts';
import { checkClaim, gatePack, judgeHypotheses, renderEvidence } from '../src/index.ts';

const int = (n: number) => ({ type: 'int', text: `${n}`, truncated: false });
const execution_id = 'e'.repeat(64); // your own observation of one run, in the form a model may cite
const step = { execution_id, location: 'cart.py:7', path_index: 12, return_values: {}, branch_taken: 'cart.py:5 true' };
const pack: EvidencePack = {
  evidence_pack: [{ ...step, variables: { total: int(90), discount: int(0) } }],
  ...{ primary_suspects: ['cart.py:7 discount'], execution_ids: [execution_id], gated: true },
};
const claim = { kind: 'variable' as const, location: 'cart.py:7', name: 'discount', value: int(10) };
console.log(checkClaim(pack, claim).verdict); // contradicted
const observe = { variable: 'total', location: 'cart.py:7' };
const hypothesis = { hypothesis_id: 'H1', claim: 'the total is not negative', observe, expectation: '>= 0' };
console.log(judgeHypotheses(pack, { debugging_question: '', hypotheses: [hypothesis] })[0]?.verdict); // consistent
console.log(gatePack(pack, []).map(({ code }) => code)); // [ 'unknown_execution', 'unknown_suspect' ]: no run recorded any of it
console.log(renderEvidence(pack).split('\n')[2]); // [0] run 1 step 12 cart.py:7: total = 90, discount = 0; branch cart.py:5 true
