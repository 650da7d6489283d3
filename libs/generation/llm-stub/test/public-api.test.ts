import { expect, it } from 'vitest';
import * as api from '../src/index.ts';

it('exports these and nothing else', () => {
  expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
    [
      "LlmStubError",
      "buildRequest",
      "callOnce",
      "directoryRecordings",
      "explainMiss",
      "hypothesisEntry",
      "intentEntry",
      "interpretIntent",
      "limitCalls",
      "memoryRecordings",
      "multiEditEntry",
      "noModel",
      "openAiCompatible",
      "proposeCandidates",
      "proposeHypotheses",
      "recordModel",
      "replayModel",
      "scriptedModel",
      "searchReplaceEntry",
      "textModel",
      "wholeFileEntry",
    ]
  `);
});
