import { expect, it } from 'vitest';
import { guessCause } from '../../src/determinism/guess-cause.ts';

it.each([
  ['<A object at 0x7f0011223344>', '<A object at 0x7f0055667788>', 'address'],
  ['worker pid=41 done', 'worker pid=1209 done', 'pid: a process or thread id'],
  ['2026-11-30T10:00:00 start', '2026-11-30T10:00:01 start', 'time'],
  ['3 passed in 0.12s', '3 passed in 1.9s', 'time'],
  ['id 0f8fad5b-d9cb-469f-a165-70867728950e', 'id 7c9e6679-7425-40de-944b-e07fc1f90ae7', 'random'],
  ['a\nb\nc', 'c\na\nb', 'thread: an order of lines, as of threads or processes, or random'],
  ["{'a', 'b'}", "{'b', 'a'}", 'random: an order in a line, or that of threads'],
  ['x = 12', 'x = 13', 'random: a number'],
  ['at 5821.125', 'at 5821.5', 'time: a number of a clock'],
  ['5821.5', '5821.125', 'random: a number'],
  ['4182736450912 ticks', '4182739450912 ticks', 'time: a number of a clock'],
  ['1.2e-05', '1.1e-05', 'time: a number of a clock'],
  ['/tmp/tmpab3_x9qz', '/tmp/tmpk2mm81yw', 'random'],
  ['token Xa81-_bQ', 'token 9k2Lm0', 'random: a name'],
  ['yes', 'no', undefined],
  ['0x7f0011223344 yes', '0x7f0055667788 no', undefined],
])('%j against %j: %s', (before, after, cause) => {
  expect(guessCause(before, after)).toBe(cause);
});
