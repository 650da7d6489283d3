import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJson, parseAnswer } from '../src/parse-answer.ts';

const refused = (text: string) => {
  const parsed = parseAnswer(text);
  return parsed.status === 'refused' ? parsed.reason : undefined;
};

describe('unfence', () => {
  const inner = '{"a":1}';
  it.each([
    ['a fence', `\`\`\`json\n${inner}\n\`\`\``, true],
    ['a fence without a name', `\n\`\`\`\n${inner}\n\`\`\`\n`, true],
    ['a fence of tildes', `~~~~\n${inner}\n~~~~`, true],
    ['no fence', inner, true],
    ['prose before it', `Here:\n\`\`\`json\n${inner}\n\`\`\``, false],
    ['prose behind it', `\`\`\`json\n${inner}\n\`\`\`\nDone.`, false],
    ['two fences', `\`\`\`json\n${inner}\n\`\`\`\n\`\`\`json\n${inner}\n\`\`\``, false],
    ['a fence without end', `\`\`\`json\n${inner}`, false],
    ['another language', `\`\`\`js\n${inner}\n\`\`\``, false],
    ['two values in a fence', `\`\`\`\n${inner}\n${inner}\n\`\`\``, false],
    ['a key twice in a fence', '```\n{"a":1,"a":2}\n```', false],
  ])('%s', (_what, text, isTaken) => {
    expect(parseAnswer(text, { unfence: true }).status).toBe(isTaken ? 'parsed' : 'refused');
    expect(parseAnswer(text).status).toBe(text === inner ? 'parsed' : 'refused');
  });
});

describe('parseAnswer', () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    [' \n{"a":[{"a":1},{"a":2}]}\t', { a: [{ a: 1 }, { a: 2 }] }],
    ['{"a":{"a":{"a":null}}}', { a: { a: { a: null } } }],
    ['{"a":"{\\"a\\":1,\\"a\\":2}"}', { a: '{"a":1,"a":2}' }],
    ['{"a":":","b":"a"}', { a: ':', b: 'a' }],
    ['[]', []],
  ])('reads %s', (text, value) => {
    expect(parseAnswer(text)).toEqual({ status: 'parsed', value });
  });

  it.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['Sure! Here it is: {"a": 1}', 'not one JSON'],
    ['{"a": 1} Hope this helps.', 'not one JSON'],
    ['```json\n{"a": 1}\n```', 'not one JSON'],
    ['{"a": 1}{"a": 1}', 'not one JSON'],
    ['{"a": 1}\n{"a": 1}', 'not one JSON'],
    ['\ufeff{"a": 1}', 'not one JSON'],
    ["{'a': 1}", 'not one JSON'],
    ['{"a": 1,}', 'not one JSON'],
    ['{"a": NaN}', 'not one JSON'],
    ['{"a": 1', 'not one JSON'],
    ['// no\n{"a": 1}', 'not one JSON'],
    ['{"a": 1, "a": 1}', 'twice'],
    ['{"a": 1, "\\u0061": 2}', 'twice'],
    ['{"b": [{"x": {}, "y": 1, "x": 2}]}', 'twice'],
    ['{"__proto__": 1, "__proto__": 2}', 'twice'],
    ['{"a": 1e999}', 'not a JSON value'],
    ['{"a": "\\ud800"}', 'not a JSON value'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'nested'],
    [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'nested'],
    ['\\"'.repeat(100_000), 'not one JSON'],
  ])('refuses %.40s', (text, reason) => {
    expect(refused(text)).toContain(reason);
  });

  it('reads what any JSON writer writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        expect(parseAnswer(text)).toEqual({ status: 'parsed', value: JSON.parse(text) });
      }),
    );
  });

  it('never throws, and never parses what JSON.parse does not', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\\ a1\ud800'), maxLength: 30 }), (text) => {
        const parsed = parseAnswer(text);
        if (parsed.status === 'parsed') expect(parsed.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('checkJson', () => {
  it('refuses what text could not have said', () => {
    expect(checkJson({ a: [1, 'b', null] }).status).toBe('parsed');
    for (const value of [Number.NaN, { a: Number.POSITIVE_INFINITY }, ['\udc00'], new Date(0), new Map()])
      expect(checkJson(value).status).toBe('refused');
  });
});
