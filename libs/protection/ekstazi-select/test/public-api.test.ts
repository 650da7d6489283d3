import { expect, test } from 'vitest';
import * as select from '../src/index.ts';

test('what @h/ekstazi-select exports', () => {
  expect(Object.keys(select)).toMatchInlineSnapshot(`
    [
      "SelectError",
      "formatBaseline",
      "parseBaseline",
      "GLOBAL_FILES",
      "selectTests",
      "createSelectionStore",
      "memorySelectionStore",
      "verifySelection",
    ]
  `);
});
