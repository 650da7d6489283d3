import { expect, it } from 'vitest';
import { STABLE_MASKS } from '../../src/index.ts';

it.each<[keyof typeof STABLE_MASKS, string, string]>([
  [
    'duration',
    'Ran 2 tests in 0.001s, 3 ms, (took 5 seconds), 1m 2s; 12 tests, 3 messages, v1.2',
    'Ran 2 tests in …, …, (took …), …; 12 tests, 3 messages, v1.2',
  ],
  ['timestamp', 'at 2026-11-30T10:00:01.5Z and 2026-11-30 10:00:01, on 2026-11-30; 12-30', 'at … and …, on …; 12-30'],
  ['clock', '[10:00:01] x 10:00:01,123 10:00', '[…] x … 10:00'],
  ['address', '<A at 0x7f0011223344> 0xff', '<A at …> 0xff'],
  ['pid', 'worker pid=41, thread 7; 41', 'worker …, …; 41'],
  ['temporary_name', '/tmp/tmpab3_x9qz/file /tmp/tmp.Ab3xY9 /tmp/template', '/tmp…/file /tmp… /tmp/template'],
  ['uuid', 'id 0f8fad5b-d9cb-469f-a165-70867728950e 0f8fad5b', 'id … 0f8fad5b'],
])('%s takes out what varies and no more', (name, text, rest) => {
  expect(text.replace(STABLE_MASKS[name], '…')).toBe(rest);
});
