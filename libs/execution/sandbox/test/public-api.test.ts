import { expect, it } from 'vitest';
import * as sandbox from '../src/index.ts';

it('exports what it says', () => {
  expect(Object.keys(sandbox).sort()).toMatchInlineSnapshot(`
    [
      "STABLE_MASKS",
      "SandboxError",
      "VARIATIONS",
      "checkDeterminism",
      "createExecutor",
      "createSandbox",
      "defaultPolicy",
      "discoverNode",
      "discoverPython",
      "openContainers",
      "probeHost",
    ]
  `);
});
