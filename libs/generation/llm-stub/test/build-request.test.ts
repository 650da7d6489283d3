import { canonicalJson, hashRecord, ModelRequest } from '@h/contracts';
import { buildRequest, hypothesisEntry, intentEntry, type ModelEntry, searchReplaceEntry } from '@h/llm-stub';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intentPackage } from './examples.ts';

const change = { intent_package: intentPackage, edit_format: { format: 'search_replace' }, n_candidates: 4 };
const withIntent = (intent_package: unknown) => ({ ...change, intent_package });

function built(entry: ModelEntry, values: Record<string, unknown>) {
  const result = buildRequest(entry, values);
  if (result.status !== 'built') throw new Error(JSON.stringify(result));
  return result;
}

describe('buildRequest', () => {
  it('writes the inputs in the order of the entry, whatever the order they come in', () => {
    const { request } = built(searchReplaceEntry, Object.fromEntries(Object.entries(change).reverse()));
    const [system, user] = request.messages;
    expect(system).toEqual({ role: 'system', content: searchReplaceEntry.instructions });
    expect(Object.keys(JSON.parse(user?.content ?? ''))).toEqual(['intent_package', 'edit_format', 'n_candidates']);
    expect(JSON.parse(user?.content ?? '')).toEqual(change);
    expect(request.requested).toEqual({ temperature: 0.8, max_tokens: 4096, seed: 0 });
    expect(ModelRequest.safeParse(request).success).toBe(true);
  });

  it('counts the bytes it sends', () => {
    const { request } = built(searchReplaceEntry, withIntent({ ...intentPackage, requirement: 'größer' }));
    expect(request.payload_bytes).toBe(Buffer.byteLength(request.messages.map(({ content }) => content).join('')));
  });

  it('gives the same bytes for the same values, in any order of their keys', () => {
    const shuffled = JSON.parse(JSON.stringify(intentPackage));
    const reversed = Object.fromEntries(Object.entries(shuffled).reverse());
    const [one, other] = [built(searchReplaceEntry, change), built(searchReplaceEntry, withIntent(reversed))];
    expect(JSON.stringify(other.request)).toBe(JSON.stringify(one.request));
    expect(hashRecord(other.request)).toBe(hashRecord(one.request));
  });

  it('gives another digest for another seed, value or entry', () => {
    const digests = [
      buildRequest(searchReplaceEntry, change),
      buildRequest(searchReplaceEntry, change, { seed: 1 }),
      buildRequest(searchReplaceEntry, { ...change, n_candidates: 5 }),
      buildRequest({ ...searchReplaceEntry, temperature: 0 }, change),
    ].map((result) => (result.status === 'built' ? hashRecord(result.request) : ''));
    expect(new Set(digests).size).toBe(4);
  });

  it.each([
    ['an empty requirement', { ...intentPackage, requirement: '' }, ['intent_package.requirement']],
    ['a blank requirement', { ...intentPackage, requirement: ' \n' }, ['intent_package.requirement']],
    ['no span', { ...intentPackage, target: { entity: 'f', file: 'a.py' } }, ['intent_package.target.span']],
    [
      'a span backwards',
      { ...intentPackage, target: { ...intentPackage.target, span: [9, 5] } },
      ['intent_package.target.span'],
    ],
    [
      'a span from 0',
      { ...intentPackage, target: { ...intentPackage.target, span: [0, 5] } },
      ['intent_package.target.span'],
    ],
    [
      'half a span',
      { ...intentPackage, target: { ...intentPackage.target, span: [5] } },
      ['intent_package.target.span'],
    ],
    [
      'text as a span',
      { ...intentPackage, target: { ...intentPackage.target, span: ['1', '2'] } },
      ['intent_package.target.span'],
    ],
    ['nothing', {}, ['intent_package.requirement', 'intent_package.target.span']],
  ])('does not fire on %s', (_what, intent, missing) => {
    expect(buildRequest(searchReplaceEntry, withIntent(intent))).toEqual({ status: 'not_fired', missing });
  });

  it('fires for intent on a non-empty manifest only', () => {
    const values = { manifest_entries: [], issue_intent: 'x', impact_context: [] };
    expect(buildRequest(intentEntry, values)).toEqual({ status: 'not_fired', missing: ['manifest_entries'] });
  });

  it('sends nothing where what may not be cut is too large', () => {
    const edit_format = { format: 'whole_file', target_text: 'x'.repeat(100_000) };
    expect(buildRequest(searchReplaceEntry, { ...change, edit_format })).toEqual({
      status: 'over_budget',
      reason: 'input edit_format is too large to send',
    });
    const tight = { ...searchReplaceEntry, max_payload_bytes: 100 };
    expect(buildRequest(tight, change)).toMatchObject({
      status: 'over_budget',
      reason: expect.stringContaining('at most 100'),
    });
  });

  it('is never larger than the entry says, and what it sends is what it says it sent', () => {
    const text = fc.string({ unit: 'binary', maxLength: 4000 });
    const values = fc.record({
      failure: fc.record({ test: text, message: text }),
      candidate_points: fc.array(fc.record({ location: text }), { maxLength: 80 }),
      existing_tests: fc.array(text, { maxLength: 200 }),
    });
    fc.assert(
      fc.property(values, (given) => {
        const result = buildRequest(hypothesisEntry, given);
        if (result.status !== 'built') return;
        expect(result.request.payload_bytes).toBeLessThanOrEqual(hypothesisEntry.max_payload_bytes);
        const user = JSON.parse(result.request.messages[1]?.content ?? '');
        expect(canonicalJson(user)).toBe(canonicalJson(result.sent));
        expect(user.candidate_points.length).toBeLessThanOrEqual(50);
      }),
      { numRuns: 40 },
    );
  });

  it('refuses values it does not know and misses those it needs', () => {
    expect(() => buildRequest(searchReplaceEntry, { ...change, history: [] })).toThrow(
      expect.objectContaining({ code: 'unknown_input' }),
    );
    const { n_candidates: _left, ...rest } = change;
    expect(() => buildRequest(searchReplaceEntry, rest)).toThrow(expect.objectContaining({ code: 'missing_input' }));
  });
});
