import { expect, it } from 'vitest';
import { itemsOf, rememberItems, showsItem } from '../src/read-items.ts';

it.each([
  ['[1, [2, 3], "a, b"]', ['1', '[2, 3]', '"a, b"']],
  ['deque([1, 2])', ['1', '2']],
  ['(1,)', ['1']],
  ['Map{"a, b" => [1, 2]}', ['"a, b" => [1, 2]']],
  ["{'a': 1, datetime.date(2023, 1, 2): R{x: 1}}", ["'a': 1", 'datetime.date(2023, 1, 2): R{x: 1}']],
  ['Uint8Array[0, 1]', ['0', '1']],
  ['[]', []],
  ['12', []],
  ["'[1]'", []],
  ['[1, [2, ', ['1', '[2,']],
])('reads the items of %s', (text, items) => {
  expect(itemsOf(text)).toEqual(items);
  const remembered = rememberItems();
  expect([remembered(text), remembered(text)]).toEqual([items, items]);
});

it.each([
  ['R{x: 1}', 'R{x: 1}', true],
  ["'k': R{x: 1}", 'R{x: 1}', true],
  ['"k" => R{x: 1}', '"k"', true],
  ["'k': 12", '2', false],
  ['12', '1', false],
])('item %s shows %s: %s', (item, text, shown) => {
  expect(showsItem(item, text)).toBe(shown);
});
