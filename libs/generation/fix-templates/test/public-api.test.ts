import { expect, test } from 'vitest';
import * as api from '../src/index.ts';

test('exports these and nothing else', () => {
  expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
    [
      "ALL_TEMPLATES",
      "FixTemplatesError",
      "orderProposals",
      "pairEdits",
      "proposeEdits",
    ]
  `);
});
