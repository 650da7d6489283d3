import { describe, expect, test } from 'vitest';
import { glue } from '../src/fit-text.ts';

describe('glue', () => {
  test.each([
    ['a', '-', '-', '- '],
    ['a', 'is', 'b', ' is '],
    [' ', 'is', ' ', 'is'],
    ['(', '-1', ')', '-1'],
    ['-', '-1', '', ' -1'],
    ['=', '!x', ';', ' !x'],
    ['.', '#b', ';', '#b'],
    ['.', 'name', '(', 'name'],
    ['é', 'or', '(', ' or'],
    ['', '', '', ''],
  ])('between %j stands %j before %j', (before, text, after, expected) => {
    expect(glue(before, text, after)).toBe(expected);
  });
});
