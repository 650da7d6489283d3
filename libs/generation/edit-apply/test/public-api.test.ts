import { expect, test } from 'vitest';
import * as formats from '../src/formats.ts';
import * as fs from '../src/fs.ts';
import * as api from '../src/index.ts';
import * as intent from '../src/intent.ts';
import * as tool from '../src/tool.ts';

test('exports these and nothing else', () => {
  const names = Object.entries({ api, formats, fs, intent, tool }).map(([door, list]) => [
    door,
    Object.keys(list).sort(),
  ]);
  expect(Object.fromEntries(names)).toMatchInlineSnapshot(`
    {
      "api": [
        "EditApplyError",
        "applyEdits",
        "candidateId",
        "createGate",
        "openSnapshot",
      ],
      "formats": [
        "readEditText",
      ],
      "fs": [
        "applyToFolder",
        "nodeFileSystem",
        "recover",
      ],
      "intent": [
        "INTENT_CAPS",
        "LOCALIZED_LINES",
        "assembleIntent",
        "chooseFormat",
      ],
      "tool": [
        "createEditTool",
        "explainRejection",
      ],
    }
  `);
});
