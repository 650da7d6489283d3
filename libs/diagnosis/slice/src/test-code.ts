// What the id of a test says of its own code: the file it stands in, and the class whose instance it runs on.
import type { TestId, ValueText } from '@h/contracts';

/** `tests/test_a.py::ATest::test_x` and `test/a.test.ts > suite > name` stand in the file they begin with. */
export function fileOfTest(test: TestId): string {
  return test.split(/::| > /, 1)[0] ?? test;
}

/** Qualified name of the class the test is a method of: `ATest` of `tests/test_a.py::ATest::test_x`. */
export function classOfTest(test: TestId): string | undefined {
  const parts = test.replace(/\[.*$/s, '').split('::');
  return parts.length > 2 ? parts.slice(1, -1).join('.') : undefined;
}

/** Whether a value is the instance the test runs on: `self` of a TestCase or of a pytest class. */
export function isTestObject(value: ValueText, test: TestId): boolean {
  const name = classOfTest(test);
  return name !== undefined && value.type === name.slice(name.lastIndexOf('.') + 1);
}
