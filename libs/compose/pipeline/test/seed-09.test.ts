// Seed 09 end to end (§5 phase 7): intent → representation → the one call → application → gate → dedup, clause by clause.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvelope } from '@h/contracts';
import { scriptedModel } from '@h/llm-stub';
import { createParser } from '@h/syntax';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askForCandidates } from '../src/ask-model.ts';
import type { Diagnosis } from '../src/diagnose-failure.ts';
import { type RunResult, runPipeline } from '../src/index.ts';
import type { Session } from '../src/open-session.ts';

const SOURCE =
  'import math\n\n\ndef half(a):\n    return a // 2\n\n\ndef mean(a, b):\n    low = half(a)\n    high = math.floor(b / 2)\n    return low - high\n';
const TESTS =
  'import unittest\nfrom calc import half, mean\n\n\nclass T(unittest.TestCase):\n    def test_half(self):\n        self.assertEqual(half(4), 2)\n\n    def test_mean(self):\n        self.assertEqual(mean(2, 4), 3)\n\n    def test_zero(self):\n        self.assertEqual(mean(0, 0), 0)\n';
const candidates = [
  { search: 'low - high', replace: 'low + high' },
  { search: 'low - high', replace: 'low  +  high  # the sum' },
  { search: 'low - high', replace: 'low * high' },
  { search: 'low - high', replace: '(low + high' },
  { search: 'low - high', replace: 'low + hihg' },
  { search: 'math.floor(b / 2)', replace: 'b // 2' },
  { search: 'low', replace: 'slow' },
  { search: 'low-high', replace: 'low + high' },
  { search: 'return a // 2', replace: 'return a / 2' },
];
const requirement = `mean is half of the sum ${'.'.repeat(2000)}`;

let dir: string;
let run: RunResult;
const model = scriptedModel([JSON.stringify({ candidates }), JSON.stringify({ candidates })]);
const text = (file: string) => readFileSync(join(run.dir, file), 'utf8');

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'h-seed-09-'));
  writeFileSync(join(dir, 'calc.py'), SOURCE);
  writeFileSync(join(dir, 'test_calc.py'), TESTS);
  run = await runPipeline({
    command: 'propose',
    budget: 2,
    observe: false,
    repo: dir,
    out: join(dir, '.h'),
    environment: process.env,
    model: model.call,
    requirement,
  });
}, 60_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('§3.1 intent package', () => {
  it('is the package of the sources that design/seeds.md names; validation: failing tests, then passing ones of the span', () => {
    expect(readEnvelope('IntentPackage', text('intent-package.json'))).toEqual({
      target: { entity: 'mean', file: 'calc.py', span: [8, 11] },
      requirement: requirement.slice(0, 1024),
      dependencies: [{ name: 'half', signature: 'def half(a):' }],
      constraints: [],
      validation: ['test_calc.py::T::test_mean', 'test_calc.py::T::test_zero'],
    });
  });

  it('steps 2 and 4: where each field came from, and what a cap cut, is kept beside it and is in no prompt', () => {
    expect(JSON.parse(text('intent-package.notes.json'))).toEqual({
      provenance: {
        target: expect.stringMatching(/^ranked statement calc\.py:/),
        requirement: 'the caller',
        'dependencies[0].signature': 'calc.py:4',
        'validation[0]': 'failing test',
        'validation[1]': 'passes, and ran the span',
      },
      truncated: [{ field: 'requirement', kept: 1024, of: requirement.length }],
      large: false,
    });
    expect(JSON.stringify(model.requests)).not.toContain('ran the span');
  });
});

it('§3.2 caps: one representation, fixed before the call and logged with its classification', () => {
  expect(readEnvelope('EditChoice', text('edit-choice.json'))).toEqual({
    classification: 'localized-edit',
    format: 'search_replace',
    reason: '4 lines, at most 40',
  });
});

it('§3.3 and §8 invariant 3: generation is reached once, with the logged representation', () => {
  expect(model.requests.map(({ entry }) => entry)).toEqual(['candidates.search_replace/1']);
  const sent = JSON.parse(model.requests[0]?.messages[1]?.content ?? '');
  expect(sent).toMatchObject({ edit_format: { format: 'search_replace' }, n_candidates: 4 });
});

describe('§3.4, §3.5, §3.6: what becomes of the answer', () => {
  const set = () => readEnvelope('CandidateSet', text('candidate-set.json'));
  const changes = () => set().candidates.map(({ unified_diff }) => unified_diff.data.match(/^\+ .*$/m)?.[0]?.trim());

  it('§3.4 step 2 and §3.5: no malformed candidate is in the set; each is a rejection with its reason', () => {
    const reasons = set().rejected.map(({ stage, reason }) => `${stage}: ${reason}`);
    expect(reasons.slice(0, 6)).toEqual([
      'parse: syntax_error',
      'lint: undefined_name',
      'lint: unused_import',
      'locate: ambiguous_match',
      'locate: not_found',
      'locate: outside_span',
    ]);
  });

  it('§3.5 caps: every candidate of the set passed the gate, and no file of the repository changed', () => {
    for (const { gate } of set().candidates) expect(gate).toEqual({ syntax: 'passed', lint: 'passed' });
    expect(readFileSync(join(dir, 'calc.py'), 'utf8')).toBe(SOURCE);
  });

  it('§3.6: one that differs in whitespace and a comment is collapsed to the first, after the gate; distinct ones stay', () => {
    expect(changes().slice(0, 2)).toEqual(['+    return low + high', '+    return low * high']);
    const [first] = set().candidates;
    expect(set().collapsed).toContainEqual(expect.objectContaining({ kept: first?.candidate_id, rung: 'tokens' }));
  });
});

it('§4 firing condition: without a requirement, or a statement to ask about, no call is made and what is missing is told', async () => {
  const parser = await createParser({ languages: ['python'] });
  const diagnosis = {
    probePoints: { candidate_probe_points: [{ location: 'calc.py:11' }] },
    sources: new Map([['calc.py', SOURCE]]),
    failing: ['t'],
    excluded: [],
    observed: { tests: [] },
  } as unknown as Diagnosis;
  const before = model.requests.length;
  const told = async (one: Diagnosis) => {
    const { question, candidates: got } = await askForCandidates({ parser } as unknown as Session, one, model.call, {
      requirement: '',
    });
    expect(got).toEqual([]);
    return question;
  };
  const [entry, status] = ['candidates', 'not_fired'];
  expect(await told(diagnosis)).toEqual({ entry, status, detail: 'missing: intent_package.requirement' });
  expect(await told({ ...diagnosis, sources: new Map() })).toMatchObject({ entry, status });
  expect(model.requests).toHaveLength(before);
  parser.dispose();
});
