import { expect, test } from 'vitest';
import { applyEdits } from '../../src/index.ts';

/** The file after one block, as text. */
function check(text: string, search: string, replace: string, expected: string): void {
  const result = applyEdits({ a: text }, { file: 'a', blocks: [{ search, replace }] });
  const after =
    result.status === 'applied' ? new TextDecoder().decode(result.files[0]?.after) : result.rejection.reason;
  expect(after).toBe(expected);
}

test('new lines end as the lines they replace, as their own line, as the line above', () => {
  check('a\r\nb\r\n', 'a\nb\n', 'x\ny\nz\n', 'x\r\ny\r\nz\r\n');
  check('a\r\nb\r\n', 'a', 'a\nx', 'a\r\nx\r\nb\r\n');
  check('a\nb\r\n', 'a', 'a\nx', 'a\nx\nb\r\n');
  check('a\r\nb', 'b', 'b\nx', 'a\r\nb\r\nx');
  check('a\rb\r', 'b', 'b\nx', 'a\rb\rx\r');
  check('a', 'a', 'a\r\nx', 'a\nx');
});

test('kept lines keep their own line end where they are mixed', () => {
  check('a\r\nb\nc\r\nd\n', 'a\nb\nc\nd\n', 'A\nx\nb\nc\nD\n', 'A\r\nx\r\nb\nc\r\nD\n');
  check('a\r\nb\nc\r\n', 'a\nb\nc\n', 'a\nc\n', 'a\r\nc\r\n');
  check('a\r\nb\nc', 'a\nb\nc', 'a\nb\nc\nd', 'a\r\nb\nc\nd');
});

test('a replacement is a text, not a pattern', () => {
  check('a\n', 'a', "$& $1 $$ $` $'", "$& $1 $$ $` $'\n");
});

test('a lone CR and an LF that would become one line end are refused', () => {
  check('x\ra\ny', 'a', '', 'not_text');
  check('x\ra\ny', 'a', 'b', 'x\rb\ny');
  check('x\ra\ny', 'x\na', 'x\nb\n', 'not_text');
});
