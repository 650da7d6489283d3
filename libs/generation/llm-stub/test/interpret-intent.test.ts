import { LedgerEntry, sha256Hex } from '@h/contracts';
import { interpretIntent, noModel, scriptedModel } from '@h/llm-stub';
import { describe, expect, it } from 'vitest';
import { annotationsAnswer, intentInput } from './examples.ts';

describe('interpretIntent', () => {
  it('asks once, at temperature 0, without showing the deterministic marker', async () => {
    const model = scriptedModel([JSON.stringify(annotationsAnswer)]);
    const { annotations, violation } = await interpretIntent(intentInput, model.call);
    expect({ annotations, violation }).toEqual({ annotations: annotationsAnswer, violation: undefined });
    const [request] = model.requests;
    expect(request?.requested.temperature).toBe(0);
    const user = JSON.parse(request?.messages[1]?.content ?? '');
    expect(Object.keys(user)).toEqual(['manifest_entries', 'issue_intent', 'impact_context']);
    expect(user.manifest_entries[0]).toEqual({
      divergence_id: 'd1',
      behavior: 'discount(d1)',
      pinned: 'returned 90',
      candidate: 'returned 80',
    });
  });

  it.each([
    [
      'an unknown divergence',
      '{"annotations":[{"divergence_id":"d9","classification":"intentional"}]}',
      'unknown_divergence',
    ],
    [
      'one annotated twice',
      '{"annotations":[{"divergence_id":"d1","classification":"intentional"},{"divergence_id":"d1","classification":"accidental"}]}',
      'divergence_annotated_twice',
    ],
    ['a status', '{"annotations":[],"regression_status":"PROTECTED"}', 'malformed_annotations'],
    [
      '"no divergence"',
      '{"annotations":[{"divergence_id":"d1","classification":"no divergence"}]}',
      'malformed_annotations',
    ],
    ['a verdict in prose', 'There is no divergence.', 'malformed_annotations'],
    ['nothing', '', 'malformed_annotations'],
    ['no annotations', '{}', 'malformed_annotations'],
  ])('voids %s whole and records it', async (_what, answer, kind) => {
    const model = scriptedModel([answer]);
    const { annotations, violation, call } = await interpretIntent(intentInput, model.call);
    expect(annotations).toBeUndefined();
    expect(violation).toEqual({ source: 'intent', kind, digest: sha256Hex(answer) });
    expect(LedgerEntry.shape.violations.safeParse([violation]).success).toBe(true);
    expect(call.status).toBe('no_op');
    expect(model.requests).toHaveLength(1);
  });

  it('records a refusal and a cut answer, by the digest of the request', async () => {
    for (const kind of ['refusal', 'truncated', 'tool_call'] as const) {
      const { violation, call } = await interpretIntent(intentInput, scriptedModel([{ kind }]).call);
      expect(violation).toMatchObject({ kind: 'malformed_annotations' });
      expect(call).toMatchObject({ outcome: { request_digest: violation?.digest } });
    }
  });

  it('records no violation where no answer arrived', async () => {
    for (const kind of ['transport', 'timeout', 'rate', 'auth', 'budget', 'replay_miss'] as const) {
      const result = await interpretIntent(intentInput, scriptedModel([{ kind }]).call);
      expect(result).not.toHaveProperty('violation');
      expect(result.call).toMatchObject({ status: 'no_op', kind });
    }
  });

  it('asks nobody about an empty manifest', async () => {
    const { call } = await interpretIntent(
      { ...intentInput, manifest: { entries: [], routed_to: 'review' } },
      noModel(),
    );
    expect(call).toEqual({
      status: 'not_fired',
      missing: ['manifest_entries'],
      fallback: { annotations: [] },
    });
  });

  it('does not take an annotation of an entry that was left out of the question', async () => {
    const entries = Array.from({ length: 51 }, (_, n) => ({
      ...intentInput.manifest.entries[0],
      divergence_id: `d${n}`,
    }));
    const manifest = { entries, routed_to: 'review' } as typeof intentInput.manifest;
    const answer = JSON.stringify({ annotations: [{ divergence_id: 'd50', classification: 'intentional' }] });
    const { violation, call } = await interpretIntent({ ...intentInput, manifest }, scriptedModel([answer]).call);
    expect(violation?.kind).toBe('unknown_divergence');
    expect(call).toMatchObject({ omissions: [{ input: 'manifest_entries', items: 1, texts: 0 }] });
  });
});
