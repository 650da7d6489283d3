import { expect, it } from 'vitest';
import { classOfTest, fileOfTest, isTestObject } from '../src/test-code.ts';

const object = (type: string) => ({ type, text: `${type}{}`, truncated: false, ref: 0 });

it.each([
  ['tests/test_a.py::ATest::test_x', 'tests/test_a.py', 'ATest'],
  ['tests/test_a.py::Outer::Inner::test_x[a::b]', 'tests/test_a.py', 'Outer.Inner'],
  ['tests/test_a.py::test_x[a::b > c]', 'tests/test_a.py', undefined],
  ['test/a.test.ts > suite > name #2', 'test/a.test.ts', undefined],
  ['npm test', 'npm test', undefined],
])('reads %s', (test, file, name) => {
  expect([fileOfTest(test), classOfTest(test)]).toEqual([file, name]);
});

it('knows the instance a test runs on by its class', () => {
  expect(isTestObject(object('Inner'), 'a.py::Outer::Inner::test_x')).toBe(true);
  expect(isTestObject(object('Outer'), 'a.py::Outer::Inner::test_x')).toBe(false);
  expect(isTestObject(object('a.py'), 'a.py::test_x')).toBe(false);
});
