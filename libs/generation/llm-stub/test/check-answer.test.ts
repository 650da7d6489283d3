import { hypothesisEntry, intentEntry, multiEditEntry, searchReplaceEntry, wholeFileEntry } from '@h/llm-stub';
import { describe, expect, it } from 'vitest';
import { checkAnswer } from '../src/check-answer.ts';
import type { ModelEntry } from '../src/model-entry.ts';
import { candidatesAnswer, hypothesesAnswer } from './examples.ts';

const sent = { manifest_entries: [{ divergence_id: 'd1' }, { divergence_id: 'd2' }] };
const reason = async (entry: ModelEntry, answer: unknown) => {
  const check = await checkAnswer(entry, answer, sent);
  return check.status === 'valid' ? 'valid' : `${check.rule ?? 'schema'}: ${check.reason}`;
};
const hypotheses = (count: number) => ({
  debugging_question: 'q',
  hypotheses: Array.from({ length: count }, (_, n) => ({ ...hypothesesAnswer.hypotheses[0], hypothesis_id: `H${n}` })),
});
const annotate = (...pairs: (readonly [string, string])[]) => ({
  annotations: pairs.map(([divergence_id, classification]) => ({ divergence_id, classification })),
});

describe('checkAnswer', () => {
  it.each([
    [hypothesisEntry, hypotheses(0)],
    [hypothesisEntry, hypotheses(4)],
    [searchReplaceEntry, candidatesAnswer(0)],
    [searchReplaceEntry, candidatesAnswer(10)],
    [searchReplaceEntry, { candidates: [{ search: 'a', replace: '' }] }],
    [
      multiEditEntry,
      {
        candidates: [
          [
            { search: 'a', replace: 'b' },
            { search: 'c', replace: 'd' },
          ],
        ],
      },
    ],
    [wholeFileEntry, { candidates: [{ content: '' }] }],
    [intentEntry, annotate()],
    [intentEntry, annotate(['d2', 'accidental'], ['d1', 'intentional'])],
  ])('admits, case %#', async (entry, answer) => {
    expect(await reason(entry, answer)).toBe('valid');
  });

  it.each([
    [hypothesisEntry, hypotheses(5), 'more than 4 items'],
    [hypothesisEntry, { hypotheses: [] }, "required property 'debugging_question'"],
    [hypothesisEntry, { ...hypothesesAnswer, status: 'found' }, 'additional properties: "status"'],
    [
      hypothesisEntry,
      { ...hypothesesAnswer, hypotheses: [...hypothesesAnswer.hypotheses, ...hypothesesAnswer.hypotheses] },
      'hypothesis_twice',
    ],
    [
      hypothesisEntry,
      { debugging_question: 'q', hypotheses: [{ hypothesis_id: 'H1', claim: 'c', observe: 'x', expectation: '== 1' }] },
      'must be object',
    ],
    [searchReplaceEntry, candidatesAnswer(11), 'more than 10 items'],
    [searchReplaceEntry, { candidates: [{ search: 'a' }] }, "required property 'replace'"],
    [searchReplaceEntry, { candidates: [{ search: 'a', replace: null }] }, 'must be string'],
    [searchReplaceEntry, { candidates: [{ search: 'a', replace: 'b', file: 'x' }] }, 'additional properties: "file"'],
    [searchReplaceEntry, { candidates: [[{ search: 'a', replace: 'b' }]] }, 'must be object'],
    [searchReplaceEntry, JSON.parse('{"candidates": [], "__proto__": {}}'), 'additional properties: "__proto__"'],
    [searchReplaceEntry, { candidates: [{ content: 'a' }] }, "required property 'search'"],
    [searchReplaceEntry, [], 'must be object'],
    [searchReplaceEntry, {}, "required property 'candidates'"],
    [multiEditEntry, { candidates: [[]] }, 'fewer than 1 items'],
    [wholeFileEntry, { candidates: [{ search: 'a', replace: 'b' }] }, "required property 'content'"],
    [intentEntry, annotate(['d3', 'accidental']), 'unknown_divergence: annotations[0].divergence_id'],
    [intentEntry, annotate(['d1', 'accidental'], ['d1', 'intentional']), 'divergence_annotated_twice: annotations[1]'],
    [intentEntry, annotate(['d1', 'no divergence']), 'allowed values'],
    [intentEntry, { ...annotate(['d1', 'intentional']), regression_status: 'PROTECTED' }, '"regression_status"'],
    [intentEntry, 'no divergence', 'must be object'],
  ])('voids, case %#', async (entry, answer, why) => {
    expect(await reason(entry, answer)).toContain(why);
  });

  it('refuses a schema it does not wholly understand', async () => {
    const entry = { ...intentEntry, schema: { type: 'object', propertees: {} } };
    await expect(checkAnswer(entry, {}, sent)).rejects.toMatchObject({ code: 'invalid_schema' });
  });
});
