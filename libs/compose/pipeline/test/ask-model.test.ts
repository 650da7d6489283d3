import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvelope } from '@h/contracts';
import { scriptedModel } from '@h/llm-stub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPipeline } from '../src/index.ts';

let dir: string;
const base = () => ({ repo: join(dir), out: join(dir, '.h'), environment: process.env });

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'h-ask-'));
  writeFileSync(
    join(dir, 'calc.py'),
    'def half(a):\n    return a // 2\n\n\ndef mean(a, b):\n    low = half(a)\n    return low - b // 2\n',
  );
  writeFileSync(
    join(dir, 'test_calc.py'),
    'import unittest\nfrom calc import mean\n\n\nclass T(unittest.TestCase):\n    def test_mean(self):\n        self.assertEqual(mean(2, 4), 3)\n\n    def test_zero(self):\n        self.assertEqual(mean(0, 0), 0)\n',
  );
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const eleven = JSON.stringify({
  candidates: Array.from({ length: 11 }, (_, i) => ({ search: 'low - b', replace: `low + ${i}` })),
});

describe('h with a model', () => {
  it('stays what it is without one, whatever a model says, after one request a stage', async () => {
    const plain = await runPipeline({ command: 'propose', budget: 8, ...base() });
    const bad: [string, string][] = [
      ['garbage', '\u0000{{{'],
      ['prose', 'Sure! Change the minus to a plus.'],
      ['eleven candidates', eleven],
      ['nothing', ''],
    ];
    for (const [name, answer] of bad) {
      const model = scriptedModel([answer, answer]);
      const asked = await runPipeline({ command: 'propose', budget: 8, ...base(), model: model.call, modelName: name });
      expect(
        model.requests.map(({ entry }) => entry),
        name,
      ).toEqual(['hypothesis/1', 'candidates.search_replace/1']);
      for (const { messages } of model.requests) expectNoRawEvent(JSON.stringify(messages), asked.dir);
      expect(asked.summary.model, name).toMatchObject([
        { entry: 'hypotheses', status: 'no_op' },
        { entry: 'candidates', status: 'no_op' },
      ]);
      for (const file of ['candidate-set.json', 'probe-plan.json', 'evidence-pack.json'])
        expect(read(asked.dir, file), `${name}: ${file}`).toBe(read(plain.dir, file));
      expect(asked.text).toContain('## Model');
    }
    expect(plain.summary.model).toBeUndefined();
    expect(existsSync(join(plain.dir, 'model-calls'))).toBe(false);
  }, 60_000);

  it('tries candidates of the model first, and judges them as any other', async () => {
    const answer = {
      candidates: [
        { search: 'low - b', replace: 'low * b' },
        { search: 'low - b', replace: 'low + b' },
      ],
    };
    const hypothesis = {
      hypothesis_id: 'H1',
      claim: 'half rounds up',
      observe: { variable: 'low', location: 'calc.py:7' },
      expectation: '== 2',
    };
    const elsewhere = { ...hypothesis, hypothesis_id: 'H2', observe: { variable: 'low', location: 'calc.py:99' } };
    const hypotheses = { debugging_question: 'What is low?', hypotheses: [hypothesis, elsewhere] };
    const model = scriptedModel([JSON.stringify(hypotheses), JSON.stringify(answer)]);
    const { summary, dir: run } = await runPipeline({
      command: 'run',
      budget: 6,
      requirement: 'mean is half of the sum',
      ...base(),
      model: model.call,
    });
    expect(summary.model).toEqual([
      { entry: 'hypotheses', status: 'answered' },
      { entry: 'candidates', status: 'answered' },
    ]);
    expect(summary.observation?.hypotheses).toEqual([
      { hypothesis_id: 'H1', claim: 'half rounds up', verdict: 'eliminated' },
      { hypothesis_id: 'H2', claim: 'half rounds up', verdict: 'unobserved', why: 'not_in_pack' },
    ]);
    expect(read(run, 'summary.md')).toContain('unobserved: half rounds up (the pack has no observation at its point)');
    const plan = readEnvelope('ProbePlan', read(run, 'probe-plan.json'));
    expect(plan.probe_points[0]).toMatchObject({ location: 'calc.py:7', source: 'hypothesis' });
    expect(summary.patches[0]?.diff).toContain('+    return low + b // 2');
    expect(summary.patches[0]).toMatchObject({ origin: 'model', regression_status: 'UNPROVEN' });
    const intent = readEnvelope('IntentPackage', read(run, 'intent-package.json'));
    expect(intent).toEqual({
      target: { entity: 'mean', file: 'calc.py', span: [5, 7] },
      requirement: 'mean is half of the sum',
      dependencies: [{ name: 'half', signature: 'def half(a):' }],
      constraints: [],
      validation: ['test_calc.py::T::test_mean', 'test_calc.py::T::test_zero'],
    });
    expect(readEnvelope('ModelOutcome', read(run, 'model-calls/candidates.json')).kind).toBe('ok');
  }, 60_000);
});

it('asks once which differences of a patch are meant; the answer clears nothing, and a bad one is a recorded violation', async () => {
  const blocks = [{ search: 'low - b // 2', replace: '3' }];
  const candidates = { files: [{ path: 'calc.py', op: 'edit' as const, blocks }] };
  const difference = 'test:test_calc.py::T::test_zero';
  const answers: [string, string | undefined, string[]][] = [
    [
      JSON.stringify({ annotations: [{ divergence_id: difference, classification: 'intentional' }] }),
      'intentional',
      [],
    ],
    [
      JSON.stringify({ annotations: [{ divergence_id: 'test:other', classification: 'intentional' }] }),
      undefined,
      ['unknown_divergence'],
    ],
    ['That is fine.', undefined, ['malformed_annotations']],
  ];
  for (const [answer, annotation, violations] of answers) {
    const model = scriptedModel([answer]);
    const options = {
      command: 'run' as const,
      ...base(),
      candidates,
      observe: false,
      model: model.call,
      modelName: answer,
    };
    const { summary, dir: run } = await runPipeline(options);
    expect(model.requests.map(({ entry }) => entry)).toEqual(['intent/1']);
    const [patch] = summary.patches;
    const entry = readEnvelope('LedgerEntry', read(run, patch?.file.replace('.diff', '.ledger-entry.json') ?? ''));
    expect(entry.ledger.unexpected_differences.map((one) => [one.divergence_id, one.annotation])).toEqual([
      [difference, annotation],
    ]);
    expect(entry.violations.map(({ kind }) => kind)).toEqual(violations);
    expect([summary.outcome, entry.ledger.regression_status]).toEqual(['divergent', 'DIVERGENT']);
  }
}, 60_000);

/** Seed 12 §8, design/seeds.md row 9: no prompt holds a raw event. Its keys and the ids of its run stand nowhere in the text. */
function expectNoRawEvent(prompt: string, run: string) {
  const record = readEnvelope('DivergenceRecord', read(run, 'divergence-record.json'));
  for (const mark of [
    'probe_id',
    'path_index',
    '"sequence',
    'state_delta',
    'branch_taken',
    record.failing_execution_id,
  ])
    expect(prompt).not.toContain(mark);
}

function read(run: string, file: string): string {
  return readFileSync(join(run, file), 'utf8');
}
