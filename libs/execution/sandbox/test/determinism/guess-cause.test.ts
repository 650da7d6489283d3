import { expect, it } from 'vitest';
import { guessCause } from '../../src/determinism/guess-cause.ts';

it.each([
  ['<A object at 0x7f0011223344>', '<A object at 0x7f0055667788>', 'address'],
  ['worker pid=41 done', 'worker pid=1209 done', 'process or thread id'],
  ['2026-11-30T10:00:00 start', '2026-11-30T10:00:01 start', 'time'],
  ['3 passed in 0.12s', '3 passed in 1.9s', 'time'],
  ['id 0f8fad5b-d9cb-469f-a165-70867728950e', 'id 7c9e6679-7425-40de-944b-e07fc1f90ae7', 'random'],
  ['a\nb\nc', 'c\na\nb', 'order of lines: threads, processes or a folder listing'],
  ["{'a', 'b'}", "{'b', 'a'}", 'order in a line: hashes or a folder listing'],
  ['x = 12', 'x = 13', 'random or time, a number'],
  ['yes', 'no', undefined],
  ['0x7f0011223344 yes', '0x7f0055667788 no', undefined],
])('%j against %j: %s', (before, after, cause) => {
  expect(guessCause(before, after)).toBe(cause);
});
