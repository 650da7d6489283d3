import { describe, expect, test } from 'vitest';
import { applyEdits, type EditPackage } from '../../src/index.ts';

type Block = NonNullable<EditPackage['files'][number]['blocks']>[number];

function apply(text: string, search: string, replace: string, more: Partial<Block> = {}) {
  const blocks = [{ search, replace, whole_lines: true, ...more }];
  const result = applyEdits({ a: text }, { files: [{ path: 'a', op: 'edit', blocks }] });
  if (result.status === 'applied') return new TextDecoder('utf-8', { ignoreBOM: true }).decode(result.files[0]?.after);
  const { reason, nearest } = result.rejection;
  return nearest === undefined ? reason : `${reason} ${nearest.cause}`;
}

describe('whole lines', () => {
  test.each<[text: string, search: string, replace: string, after: string]>([
    ['x = 10\nx = 1\n', 'x = 1\n', 'x = 2\n', 'x = 10\nx = 2\n'],
    ['x = 10\n', 'x = 1\n', 'x = 2\n', 'not_found partial_line'],
    ['  x = 1\n', 'x = 1\n', 'x = 2\n', 'not_found indentation'],
    ['a\nb\nc\n', 'b\n', '', 'a\nc\n'],
    ['a\nb', 'b\n', 'c\n', 'a\nc'],
    ['a\nb', 'b\n', 'c\nd\n', 'a\nc\nd'],
    ['a\nb', 'b\n', '', 'a\n'],
    ['a\nb', 'a\nb\n', 'b\n', 'b'],
    ['a\nb', 'b', 'b\n', 'a\nb\n'],
    ['a\nb\n', 'b', 'c', 'not_found'],
    ['a\nb\n', 'b\n', 'b', 'a\nb'],
    ['b\na\nb\n', 'b\n', 'b', 'b\na\nb'],
    ['b\na\n', 'b\n', 'c', 'not_found'],
    ['b\na\nb', 'b\n', 'c\n', 'ambiguous_match'],
    ['a\na\n', 'a\n', 'b\n', 'ambiguous_match'],
    ['\ufeffa\nb\n', 'a\n', 'c\n', '\ufeffc\nb\n'],
    ['a\r\nb\r\n', 'a\nb\n', 'c\n', 'c\r\n'],
    ['a\n', '\n', 'b\n', 'not_found'],
    ['a\n\nb\n', 'a\n\n', 'a\n', 'a\nb\n'],
    ['', 'a\n', 'b\n', 'not_found'],
  ])('%j: %j → %j is %j', (text, search, replace, after) => {
    const said = apply(text, search, replace);
    expect(after.startsWith('not_found') && !after.includes(' ') ? said.split(' ')[0] : said).toBe(after);
  });

  test('keep the open end of the last of several places', () => {
    expect(apply('b\na\nb', 'b\n', 'c\n', { expected_count: 2 })).toBe('c\na\nc');
  });

  test('count one match beyond a thousand that are not whole lines', () => {
    const text = `${'aa\n'.repeat(1500)}a\n${'aa\n'.repeat(1500)}a\n`;
    expect(apply(text, 'a\n', 'b\n')).toBe('ambiguous_match');
    expect(apply(`${'aa\n'.repeat(1500)}a\n`, 'a\n', 'b\n')).toBe(`${'aa\n'.repeat(1500)}b\n`);
  });

  test('stay inside their own span', () => {
    expect(apply('a\nb\na\n', 'a\n', 'c\n', { span: [2, 3] })).toBe('a\nb\nc\n');
    expect(apply('a\nb\na\n', 'b\n', 'c\n', { span: [3, 3] })).toBe('outside_span');
  });

  test('are found by a tolerant tier only where a gate parses the result', () => {
    const gate = { check: () => ({ status: 'passed', syntax: 'passed', lint: 'not_run' }) as const };
    const edit: EditPackage = {
      files: [{ path: 'a', op: 'edit', blocks: [{ search: '  b\n', replace: '  c\n', whole_lines: true }] }],
    };
    const result = applyEdits({ a: 'a\n    b' }, edit, { match: 'indentation', gate });
    expect(result.status === 'applied' && new TextDecoder().decode(result.files[0]?.after)).toBe('a\n    c');
  });
});
