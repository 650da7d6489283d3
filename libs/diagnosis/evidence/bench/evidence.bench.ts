// A pack of 5,000 observations of a run of 20,000 steps. The gate beside one comparison of the two packs as JSON text (the limit: it says only that
// something differs), and claims beside a scan of that text for the value. One JSON line per row.
import type { Claim, DivergenceRecord, DynamicSlice, HypothesisSet, ObservedRun } from '@h/contracts';
import { sha256Hex } from '@h/contracts';
import { assemblePack, checkClaims, gatePack, judgeHypotheses, renderEvidence } from '../src/index.ts';

const steps = 20_000;
const execution_id = sha256Hex('run');
const valueAt = (step: number) => ({
  type: 'list',
  text: `[${step}, 'abc', ${step / 8}]`,
  truncated: false,
  ref: step,
});
const run: ObservedRun = {
  execution_id,
  test: 'test',
  outcome: 'failed',
  events: Array.from({ length: steps }, (_, sequence) => ({
    ...{ execution_id, sequence, kind: 'value' as const, probe_id: 'trace', location: `a.py:${sequence % 400}1` },
    payload: { variables: { x: valueAt(sequence), y: valueAt(sequence + 1) } },
  })),
  rows: Array.from({ length: steps }, (_, sequence) => ({
    ...{ sequence, location: `a.py:${sequence % 400}1`, function: 'f', frame: 0, role: 'statement' as const },
    ...{ defs: ['x'], may_defs: [], uses: ['y'], completed: true },
  })),
  truncated: false,
  notes: [],
};
const chosen = Array.from({ length: steps / 4 }, (_, index) => steps - 1 - 4 * index);
const slice: DynamicSlice = {
  slice: chosen.map((step) => ({ location: `a.py:${step % 400}1`, value: valueAt(step), relation: 'data_dependency' })),
  links: chosen.map((sequence) => ({ execution_id, sequence })),
  discarded: steps - chosen.length,
};
const divergence: DivergenceRecord = {
  ...{ failing_execution_id: execution_id, first_divergence: null, centered_record: [], primary_suspects: [] },
};
const assembled = assemblePack({ slice, divergence, runs: [run] });
if (assembled.status === 'rejected') throw new Error(JSON.stringify(assembled.violations[0]));
const { pack } = assembled;
const copy = structuredClone(pack);
const claims = chosen
  .slice(0, 200)
  .map((step): Claim => ({ kind: 'variable', location: `a.py:${step % 400}1`, name: 'x', value: valueAt(step) }));
const hypotheses: HypothesisSet = {
  debugging_question: '',
  hypotheses: ['== 3', '> 3', 'is type list', 'in [1, 2]'].map((expectation, index) => ({
    ...{ hypothesis_id: `H${index}`, claim: '', expectation },
    observe: { variable: 'x', location: 'a.py:31' },
  })),
};

const asText = () => JSON.stringify(pack) === JSON.stringify(copy);
row('gate, 5,000 observations', 'JSON text compare', () => gatePack(copy, [run], { divergence, slice }), asText);
row('assemble and gate', 'JSON text compare', () => assemblePack({ slice, divergence, runs: [run] }), asText);
row(
  'check 200 claims',
  'scan of the JSON text',
  () => checkClaims(pack, claims),
  () => {
    const text = JSON.stringify(pack);
    return claims.filter(({ value }) => text.includes(JSON.stringify(value.text))).length;
  },
);
row('judge 4 hypotheses', 'JSON text compare', () => judgeHypotheses(pack, hypotheses, { runs: [run] }), asText);
row('text of 6,000 bytes', 'JSON text compare', () => renderEvidence(pack), asText);

/** Processor time of this process in milliseconds: other work on the machine does not count. */
function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function best(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const begin = cpuNow();
    const result = work();
    return result === undefined ? 0 : cpuNow() - begin;
  });
  return Math.min(...times);
}

function row(work: string, peer: string, ours: () => unknown, theirs: () => unknown): void {
  const [ms, peerMs] = [best(ours), best(theirs)];
  const line = { work, ours_ms: Number(ms.toFixed(1)), peer, peer_ms: Number(peerMs.toFixed(1)) };
  console.log(JSON.stringify({ ...line, ratio: Number((ms / peerMs).toFixed(1)) }));
}
