import { HypothesisSet, jsonSchemaOf, type RecordName } from '@h/contracts';
import {
  hypothesisEntry,
  intentEntry,
  type ModelEntry,
  multiEditEntry,
  searchReplaceEntry,
  wholeFileEntry,
} from '@h/llm-stub';
import { describe, expect, it } from 'vitest';
import { hypothesesAnswer } from '../examples.ts';

const entries: readonly (readonly [RecordName, ModelEntry])[] = [
  ['HypothesisSet', hypothesisEntry],
  ['SearchReplaceAnswer', searchReplaceEntry],
  ['MultiEditAnswer', multiEditEntry],
  ['WholeFileAnswer', wholeFileEntry],
  ['IntentAnnotations', intentEntry],
];

/** A schema without what only explains or names. */
function bare(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    ['$schema', '$id'].includes(key) || (key === 'description' && typeof value === 'string') ? undefined : value,
  );
}

describe('entries', () => {
  it('keep the numbers of the seeds', () => {
    const numbers = entries.map(([, { name, temperature, max_tokens, inputs }]) => [
      name,
      temperature,
      max_tokens,
      inputs.map((input) => input.name).join(' '),
    ]);
    expect(numbers).toEqual([
      ['hypothesis/1', 0, 2048, 'failure candidate_points existing_tests'],
      ['candidates.search_replace/1', 0.8, 4096, 'intent_package edit_format n_candidates'],
      ['candidates.multi_edit/1', 0.8, 4096, 'intent_package edit_format n_candidates'],
      ['candidates.whole_file/1', 0.8, 4096, 'intent_package edit_format n_candidates'],
      ['intent/1', 0, 4096, 'manifest_entries issue_intent impact_context'],
    ]);
    expect(hypothesisEntry.inputs[1]?.max_items).toBe(50);
  });

  it.each(entries)('ask for what the record %s says, no more and no less', (record, { schema }) => {
    expect(bare(schema)).toEqual(bare(jsonSchemaOf(record)));
  });

  it('name a seed, caps of payload and answer, and what to go on with (clause 15)', () => {
    const rest = entries.map(([, one]) => [one.seed, one.max_payload_bytes, one.max_answer_bytes, one.fallback]);
    const candidates = { candidates: [], regenerate: true };
    expect(rest).toEqual([
      [0, 65_536, 65_536, { hypotheses: [] }],
      [0, 131_072, 262_144, candidates],
      [0, 131_072, 262_144, candidates],
      [0, 131_072, 262_144, candidates],
      [0, intentEntry.max_payload_bytes, intentEntry.max_answer_bytes, { annotations: [] }],
    ]);
  });

  it.each(entries)('are plain data: %s', (_record, entry) => {
    expect(JSON.parse(JSON.stringify(entry))).toEqual(entry);
  });

  it('fire on what the seeds say', () => {
    const conditions = entries.map(([, { fires_on }]) => fires_on.map(({ path, must }) => `${path} ${must}`));
    const change = ['intent_package.requirement be_nonempty', 'intent_package.target.span be_a_span'];
    expect(conditions).toEqual([['failure be_nonempty'], change, change, change, ['manifest_entries be_nonempty']]);
  });

  it('state every form of the expectation grammar that the record documents', () => {
    const described = JSON.stringify(jsonSchemaOf('HypothesisSet')).match(/`== v`[^"]*raises E`/)?.[0] ?? '';
    const forms = [...described.matchAll(/`([^`]+)`/g)].map(([, form = '']) => form.split(' ')[0] ?? '');
    expect(forms).toEqual(['==', '!=', '<', '<=', '>', '>=', 'in', 'is', 'raises']);
    for (const form of [...forms, 'branch taken', 'branch not taken']) {
      expect(hypothesisEntry.instructions).toContain(`  ${form}`);
    }
  });

  it('show an example of the answer that keeps the record', () => {
    const example = /^\{"debugging_question"[\s\S]*?\]\}$/m.exec(hypothesisEntry.instructions)?.[0] ?? '';
    expect(HypothesisSet.safeParse(JSON.parse(example)).success).toBe(true);
    expect(HypothesisSet.safeParse(hypothesesAnswer).success).toBe(true);
  });

  it('cannot outgrow what they may send', () => {
    for (const [, { inputs, max_payload_bytes }] of entries)
      for (const { max_bytes } of inputs) expect(max_bytes).toBeLessThan(max_payload_bytes);
  });
});
