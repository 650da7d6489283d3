import { REGULAR_FILE } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createSelectionStore,
  formatBaseline,
  memorySelectionStore,
  parseBaseline,
  type SelectionBaseline,
} from '../src/index.ts';
import { dependencies, reportOf, result, world } from './draw-baseline.ts';

const baselines = world.map(
  ({ tree, report }): SelectionBaseline => ({
    report,
    tree: tree.map((entry) => ({ ...entry, mode: REGULAR_FILE })),
  }),
);
const small: SelectionBaseline = {
  report: reportOf([
    result('a', {
      dependencies: dependencies({
        complete: false,
        why_incomplete: ['x'],
        children: [{ argv0: 'git', followed: false }],
      }),
    }),
    { test: 'b', file: 'b.py', outcome: 'skipped' },
  ]),
  tree: [],
};

describe('a stored baseline', () => {
  it('comes back as it was', () => {
    expect(parseBaseline(formatBaseline(small))).toEqual(small);
    fc.assert(
      fc.property(baselines, (baseline) => {
        expect(parseBaseline(formatBaseline(baseline))).toEqual(baseline);
      }),
    );
  });

  it('is the same text for the same baseline', () => {
    fc.assert(
      fc.property(baselines, (baseline) => {
        expect(formatBaseline(structuredClone(baseline))).toBe(formatBaseline(baseline));
      }),
    );
  });

  it('is smaller than its records where tests share files', () => {
    const files = Array.from({ length: 50 }, (_, index) => ({ path: `src/m${index}.py`, sha: 'a'.repeat(64) }));
    const tests = Array.from({ length: 50 }, (_, index) =>
      result(`t${index}`, { dependencies: dependencies({ files: [...files] }) }),
    );
    const report = reportOf(tests);
    expect(formatBaseline({ report, tree: [] }).length * 10).toBeLessThan(JSON.stringify(report).length);
  });

  it('is found damaged wherever a byte is cut, changed or added', () => {
    const text = formatBaseline(small);
    for (let at = 0; at < text.length; at += 1) {
      const flipped = `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`;
      for (const bad of [text.slice(0, at), flipped, `${text.slice(0, at)} ${text.slice(at)}`.trimStart()]) {
        if (bad === text) continue;
        expect(() => parseBaseline(bad), bad).toThrowError(/cannot be trusted|does not know/);
      }
    }
  });
});

describe('a store', () => {
  it('gives back what was saved under a key', async () => {
    const store = memorySelectionStore();
    expect(await store.load('main')).toEqual({ status: 'none' });
    await store.save('main', small);
    expect(await store.load('main')).toEqual({ status: 'found', baseline: small });
    expect(await store.load('other')).toEqual({ status: 'none' });
  });

  it('replaces a damaged baseline, and leaves one of another version alone', async () => {
    const texts = new Map([
      ['damaged', 'x'],
      ['newer', formatBaseline(small).replace('baseline/1', 'baseline/2')],
    ]);
    const write = async (key: string, text: string) => void texts.set(key, text);
    const store = createSelectionStore({ read: async (key) => texts.get(key), write });
    expect(await store.load('damaged')).toMatchObject({ status: 'unusable', error: { code: 'damaged_baseline' } });
    await store.save('damaged', small);
    expect(await store.load('damaged')).toMatchObject({ status: 'found' });
    const held = texts.get('newer');
    expect(await store.load('newer')).toMatchObject({
      status: 'unusable',
      error: { code: 'unknown_baseline_version' },
    });
    await expect(store.save('newer', small)).rejects.toMatchObject({ code: 'unknown_baseline_version' });
    expect(texts.get('newer')).toBe(held);
  });

  it('does nothing once cancelled', async () => {
    const store = memorySelectionStore();
    const signal = AbortSignal.abort();
    await expect(store.save('main', small, { signal })).rejects.toThrow();
    expect(await store.load('main')).toEqual({ status: 'none' });
  });
});
