import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonError, readJson } from '../src/read-json.ts';

const thrown = (text: string) => {
  try {
    readJson('istanbul', text);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('readJson', () => {
  it.each([
    ['{"a": [1, 2,]}', 1, 12],
    ['{"a": 1,}', 1, 8],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 13],
    ['{"a" 1}', 1, 5],
    ['{a: 1}', 1, 1],
    ['[1, 2}', 1, 5],
    ['{"a": tru}', 1, 6],
    ['{"a": truely}', 1, 6],
    ['{"a": 01}', 1, 6],
    ['{"a": 1.}', 1, 6],
    ['{"a": "x\ty"}', 1, 8],
    ['{"a": "\\x"}', 1, 6],
    ['{} {}', 1, 3],
    ['{}]', 1, 2],
    [']', 1, 0],
    ['<html>', 1, 0],
    ['{"a": [1, 2', 1, 11],
    ['{"a": "text', 1, 6],
    ['{"a":\n', 2, 6],
    ['', 1, 0],
  ])('finds the fault of %j at line %i, offset %i', (text, line, offset) => {
    expect(thrown(text)).toMatchObject({ code: 'malformed_coverage', position: { line, offset } });
  });

  it('says when the text ends too early', () => {
    expect((thrown('{"a": [1,') as Error).message).toContain('it ends too early');
    expect((thrown('{"a": [1,}') as Error).message).toContain('not JSON');
  });

  it('passes over a byte order mark, in text and in bytes', () => {
    expect(readJson('lcov', '\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(readJson('lcov', Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 });
  });
});

describe('findJsonError', () => {
  it('finds none in JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(findJsonError(text)).toBe(text.length);
      }),
    );
  });

  it('agrees with JSON.parse on what is JSON: the text up to the fault can be completed, one more token cannot', () => {
    const pieces = fc.constantFrom('{', '}', '[', ']', ':', ',', '"a"', '1', 'null', ' ', '-', '"');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (all) => {
        const text = all.join('');
        const at = findJsonError(text);
        const parses = isJson(text);
        if (parses) expect(at).toBe(text.length);
        expect(at <= text.length).toBe(true);
        if (!parses && at === text.length) expect(completions(text).some(isJson)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('is linear', () => {
    const text = `[${'[1, {"a": "b"}],\n'.repeat(60_000)}x`;
    const start = performance.now();
    expect(findJsonError(text)).toBe(text.length - 1);
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The text with what is open closed, after each thing that may be missing. */
function completions(text: string): string[] {
  const open: string[] = [];
  for (const mark of text.replace(/"[^"]*"/g, '')) {
    if (mark === '{' || mark === '[') open.push(mark === '{' ? '}' : ']');
    else if (mark === '}' || mark === ']') open.pop();
  }
  const close = open.reverse().join('');
  return ['', '1', ':1', '"k":1', '"k"'].map((more) => text + more + close);
}
