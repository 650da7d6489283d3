import { checkRecord, IntentPackage } from '@h/contracts';
import { describe, expect, it, test } from 'vitest';
import { assembleIntent, chooseFormat, INTENT_CAPS, type IntentParts } from '../src/intent.ts';

const target = {
  value: { entity: 'add', file: 'add.js', span: [1, 3] as [number, number] },
  from: 'ranked statement add.js:2',
};
const from = 'test';
const many = <One>(count: number, one: (index: number) => One) =>
  Array.from({ length: count }, (_, index) => one(index));

describe('assembleIntent', () => {
  it('collects what is given and leaves the rest empty', () =>
    expect(assembleIntent({ target, requirement: { value: 'add(1, 2) is 3', from: 'issue.md' } })).toEqual({
      intent: {
        target: { entity: 'add', file: 'add.js', span: [1, 3] },
        requirement: 'add(1, 2) is 3',
        dependencies: [],
        constraints: [],
        validation: [],
      },
      provenance: { target: 'ranked statement add.js:2', requirement: 'issue.md' },
      truncated: [],
      large: false,
    }));

  it.each<[string, Partial<IntentParts>, { field: string; kept: number; of: number }]>([
    ['requirement', { requirement: { value: 'x'.repeat(1025), from } }, { field: 'requirement', kept: 1024, of: 1025 }],
    [
      'constraint',
      { constraints: [{ value: 'x'.repeat(600), from }] },
      { field: 'constraints[0]', kept: 512, of: 600 },
    ],
    ['validation', { validation: [{ value: 'x'.repeat(257), from }] }, { field: 'validation[0]', kept: 256, of: 257 }],
    [
      'signature',
      { dependencies: [{ value: { name: 'f', signature: 'x'.repeat(513) }, from }] },
      { field: 'dependencies[0].signature', kept: 512, of: 513 },
    ],
    ['list', { constraints: many(17, () => ({ value: 'c', from })) }, { field: 'constraints', kept: 16, of: 17 }],
  ])('cuts a %s at its cap and flags it', (_, parts, expected) => {
    const { intent, truncated } = assembleIntent({ target, ...parts });
    expect(truncated).toEqual([expected]);
    checkRecord(IntentPackage, intent);
  });

  it('counts characters as code points, so that none is cut in two', () => {
    const { intent, truncated } = assembleIntent({ target, requirement: { value: '😀'.repeat(1024), from } });
    expect(truncated).toEqual([]);
    expect(Array.from(intent.requirement)).toHaveLength(INTENT_CAPS.requirement);
  });

  it('flags a package over 4 KiB and keeps it whole', () => {
    const { intent, large, truncated } = assembleIntent({
      target,
      constraints: many(16, () => ({ value: 'x'.repeat(500), from })),
    });
    expect({ large, truncated, kept: intent.constraints.length }).toEqual({ large: true, truncated: [], kept: 16 });
  });
});

test.each<[[number, number], boolean, string, string]>([
  [[1, 40], false, 'localized-edit', 'search_replace'],
  [[1, 41], false, 'structural-rewrite', 'whole_file'],
  [[7, 7], true, 'structural-rewrite', 'whole_file'],
])('chooseFormat(%j, crosses a module: %s)', (span, crossesModule, classification, format) =>
  expect(chooseFormat({ span, crossesModule })).toMatchObject({ classification, format }),
);
