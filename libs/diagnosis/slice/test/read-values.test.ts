import { describe, expect, it } from 'vitest';
import { maySame, slotText, splitPath, wholeText } from '../src/read-values.ts';

const of = (text: string, more = {}) => ({ type: 't', text, truncated: false, ...more });

describe('wholeText', () => {
  it.each(['1', "'Foo{'", '[1, [2]]', "{'a': 1}", '{1, 2}', 'set()', 'Map{1: 2}', 'None', '-1.5'])('shows %s', (text) =>
    expect(wholeText(of(text))).toBe(text),
  );
  it.each(['Foo{}', '[Foo{a: 1}]', '<function f>', 'deque(1)', '[1, …]'])('does not trust %s', (text) =>
    expect(wholeText(of(text))).toBeUndefined(),
  );
  it('trusts nothing that was cut', () => expect(wholeText(of('[1', { truncated: true }))).toBeUndefined());
});

describe('slotText', () => {
  it.each([
    ['T{a: 1, b: 2}', 'b', '2'],
    ["T{a: 'x, b: 3', b: [1, 2]}", 'b', '[1, 2]'],
    ['T{a: U{b: 1}, b: 2}', 'b', '2'],
    ['T{a: U{b: 1}}', 'a.b', '1'],
    ["T{a: {'b': 4}}", 'a.b', '4'],
    ['T{a: 1}', 'b', undefined],
    ['T{a: U{}}', 'a', undefined],
    ["T{a: '\\'}, b: 1', b: 2}", 'b', '2'],
    ['[1]', 'a', undefined],
    ["D({'a': 1}){b: 2}", 'a', undefined],
    ["D({'a': 1}){b: 2}", 'b', undefined],
  ])('%s at %s', (text, path, expected) => expect(slotText(of(text), path.split('.'))).toBe(expected));
});

it('splits access paths', () => {
  expect(splitPath('x')).toEqual({ base: 'x', slots: [] });
  expect(splitPath('a.b?.c')).toEqual({ base: 'a', slots: ['b', 'c'] });
  expect(splitPath('a[0].c')).toEqual({ base: 'a', slots: undefined });
});

it('compares objects by serial and primitives by text', () => {
  expect(maySame(of('[1]', { ref: 1 }), of('[2]', { ref: 1 }))).toBe(true);
  expect(maySame(of('[1]', { ref: 1 }), of('[1]', { ref: 2 }))).toBe(false);
  expect(maySame(of('1', { type: 'int' }), of('2', { type: 'int' }))).toBe(false);
  expect(maySame(of('[1]'), of('[2]'))).toBe(true);
});
