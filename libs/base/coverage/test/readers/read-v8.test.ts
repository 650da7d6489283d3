import { parseLines } from '@h/contracts';
import { readCoverage, readIstanbul, readV8, type V8Options } from '@h/coverage';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFixture } from '../read-fixture.ts';

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const sources: Readonly<Record<string, string>> = {
  'file:///tmp/h/E/fix/src/cart.js': 'v8-plain/src/cart.js',
  'file:///tmp/h/E/fix/test/run.js': 'v8-plain/run.js',
  'file:///tmp/h/E/fixts/src/cart.ts': 'v8-mapped/src/cart.ts',
  'file:///tmp/h/E/fixts/src/main.ts': 'v8-mapped/src/main.ts',
};
const sourceOf = (url: string) => {
  const name = Object.hasOwn(sources, url) ? sources[url] : undefined;
  return name === undefined ? undefined : { text: decode(readFixture(name)) };
};
const plain = { root: '/tmp/h/E/fix', sourceOf };
const mapped = { root: '/tmp/h/E/fixts', sourceOf };

const range = (startOffset: unknown, endOffset: unknown, count: unknown) => ({ startOffset, endOffset, count });
const script = (ranges: readonly object[], more: object = {}) => ({
  result: [
    { scriptId: '1', url: 'file:///r/a.js', functions: [{ functionName: '', isBlockCoverage: true, ranges }], ...more },
  ],
});
const read = (value: object, options: V8Options = {}) => readV8(JSON.stringify(value), { root: '/r', ...options });
const text = (source: string) => ({ sourceOf: () => ({ text: source }) });

describe('readV8', () => {
  it('reads what Node writes: lines that begin with code; comments, closers, strings over lines are unknown', () => {
    const { total, warnings } = readV8(readFixture('v8-plain/coverage.json'), plain);
    expect(total).toEqual([
      {
        file: 'src/cart.js',
        lines: '2-3,7-10,13,16,25,27-28,31-33,36-38,42,49-54',
        executable: '2-3,7-11,13,16,19-21,25,27-29,31-33,36-38,40,42,46,49-54',
      },
      { file: 'test/run.js', lines: '1-5', executable: '1-5' },
    ]);
    expect(warnings).toEqual([]);
  });

  it.each(['nyc', 'jest'])(
    'agrees with %s wherever both say something, but for declarations, which V8 counts by their calls',
    (tool) => {
      const [v8] = readV8(readFixture('v8-plain/coverage.json'), plain).total;
      const [istanbul] = readIstanbul(readFixture(`${tool}/coverage-final.json`), { root: '/tmp/h/E/fix' }).total;
      const both = parseLines(istanbul?.executable ?? '').filter((line) =>
        parseLines(v8?.executable ?? '').includes(line),
      );
      expect(both.length).toBeGreaterThan(15);
      const of = (lines = '') => both.filter((line) => parseLines(lines).includes(line));
      // Line 46 is a one-line method that was never called: Istanbul counts its body, V8 the whole.
      expect(of(v8?.lines)).toEqual(of(istanbul?.lines));
    },
  );

  it('takes the statements that the caller names, by offset', () => {
    const source = decode(readFixture('v8-plain/src/cart.js'));
    const starts = [
      'const RATE',
      'let sum',
      'sum += price * count * 0.9',
      'return `never',
      'this.size = 0',
      'this.done',
    ];
    const statementsOf = (path: string) =>
      path.endsWith('cart.js') ? starts.map((start) => source.indexOf(start)) : undefined;
    const [cart] = readV8(readFixture('v8-plain/coverage.json'), { ...plain, statementsOf }).total;
    expect(cart).toEqual({ file: 'src/cart.js', lines: '2,8,42', executable: '2,8,11,20,40,42' });
  });

  it('takes generated text to its source: tsc, esbuild minified, esbuild with the map inside', () => {
    const expected = { lines: '13-15,17-19,22,26,38-40', executable: '13-15,17-20,22,26,38-40' };
    const totalOf = (name: string) => readV8(readFixture(`v8-mapped/${name}.json`), mapped).total;
    expect(totalOf('tsc')).toEqual([
      {
        file: 'src/cart.ts',
        lines: '8-10,13-15,17-19,22,26,29,38-40',
        executable: '8-10,13-15,17-20,22,26,29-34,38-40',
      },
      { file: 'src/main.ts', lines: '1,3,6', executable: '1,3-4,6' },
    ]);
    for (const name of ['esbuild-minified', 'esbuild-inline'])
      expect(totalOf(name)).toEqual([
        { file: 'src/cart.ts', ...expected },
        { file: 'src/main.ts', lines: '3,6', executable: '3-4,6' },
      ]);
  });

  it('clause 6: what no mapping names is unknown, not covered', () => {
    // Types are erased, the unused function was dropped by the bundler: no line of them is executed or executable.
    const [cart] = readV8(readFixture('v8-mapped/esbuild-minified.json'), mapped).total;
    const said = parseLines(cart?.executable ?? '');
    for (const line of [1, 2, 3, 4, 6, 8, 9, 10, 11, 25, 29, 30, 35, 41]) expect(said).not.toContain(line);
  });

  it('clause 6: what no range counts is unknown', () => {
    const source = 'a();\nb();\nc();\n';
    expect(read(script([range(0, 5, 1), range(10, 15, 0)]), text(source)).total).toEqual([
      { file: 'a.js', lines: '1', executable: '1,3' },
    ]);
    expect(read(script([]), text(source)).total).toEqual([{ file: 'a.js', lines: '', executable: '' }]);
  });

  it('the innermost range says; equal ones by the later; one that reaches out is cut', () => {
    const source = 'a();\nb();\nc();\nd();\n';
    const lines = (...ranges: object[]) => read(script(ranges), text(source)).total[0]?.lines;
    expect(lines(range(0, 20, 1), range(5, 15, 0), range(10, 15, 2))).toBe('1,3-4');
    expect(lines(range(0, 20, 0), range(0, 20, 1))).toBe('1-4');
    expect(lines(range(0, 10, 1), range(5, 20, 0))).toBe('1');
    expect(lines(range(5, 5, 9), range(0, 20, 0))).toBe('');
  });

  it('a function entered in part: the branch that was not taken is missed', () => {
    const source = 'function f(a) {\n  if (a) {\n    one();\n  } else {\n    two();\n  }\n}\nf(1);\n';
    const other = source.indexOf('{', source.indexOf('else'));
    const ranges = [
      range(0, source.length, 1),
      range(0, source.indexOf('\nf(1)'), 1),
      range(other, source.indexOf('}\n}') + 1, 0),
    ];
    expect(read(script(ranges), text(source)).total).toEqual([{ file: 'a.js', lines: '1-3,8', executable: '1-3,5,8' }]);
  });

  it('unites the same script of several processes, and the same source in two outputs', () => {
    const source = 'a();\nb();\n';
    const [one] = script([range(0, 10, 1), range(0, 5, 0)]).result;
    const [two] = script([range(0, 10, 1), range(5, 10, 0)]).result;
    expect(read({ result: [one, two] }, text(source)).total).toEqual([
      { file: 'a.js', lines: '1-2', executable: '1-2' },
    ]);
  });

  it('a list of entries that hold their text, as browsers give it; a page’s URL is a path', () => {
    const entry = {
      url: 'http://localhost:3000/src/a.js?v=1',
      scriptId: '4',
      source: 'a();\nb();\n',
      functions: [{ functionName: '', ranges: [range(0, 10, 1)], isBlockCoverage: true }],
    };
    const bytes = JSON.stringify([entry]);
    expect(readCoverage(bytes)).toMatchObject({ format: 'v8', total: [{ file: 'src/a.js', lines: '1-2' }] });
  });

  it('a source map of any form: text, object, sections, without content; null sources are passed over', () => {
    const generated = 'a();b();c();';
    // Column 0 → line 1, column 4 → line 2, column 8 → nothing.
    const map = { version: 3, sources: ['../src/x.ts', null], mappings: 'AAAA,IACA,I', names: [] };
    const ranges = [range(0, 12, 1), range(4, 8, 0)];
    const total = (given: unknown) =>
      readV8(JSON.stringify({ result: [{ ...script(ranges).result[0], url: 'file:///r/out/a.js' }] }), {
        root: '/r',
        sourceOf: (url) => (url.endsWith('out/a.js') ? { text: generated, map: given } : undefined),
      }).total;
    const expected = [{ file: 'src/x.ts', lines: '1', executable: '1-2' }];
    expect(total(map)).toEqual(expected);
    expect(total(JSON.stringify(map))).toEqual(expected);
    expect(total({ version: 3, sections: [{ offset: { line: 0, column: 0 }, map }] })).toEqual(expected);
    expect(total({ ...map, sources: [null, null] })).toEqual([]);
  });

  it('says what it could not read', () => {
    const away = readV8(readFixture('v8-plain/coverage.json'), { root: '/elsewhere' });
    expect(away.warnings).toMatchObject([{ code: 'outside_root', count: 2 }]);
    const { total, warnings } = readV8(readFixture('v8-plain/coverage.json'), { root: '/tmp/h/E/fix' });
    expect(total).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'no_source', count: 2 }]);
    const generated = read(script([range(0, 5, 1)]), text('a();\n//# sourceMappingURL=a.js.map\n'));
    expect(generated.warnings).toMatchObject([{ code: 'source_mapped', count: 1 }]);
    expect(read(script([range(0, 5, -3)]), text('a();\n'))).toMatchObject({
      total: [{ lines: '', executable: '1' }],
      warnings: [{ code: 'negative_count' }],
    });
  });

  it('passes over scripts without a file, and keys that every object has', () => {
    const entry = (url: string) => ({ ...script([range(0, 5, 1)]).result[0], url });
    const urls = ['', 'node:fs', 'evalmachine.<anonymous>', '[eval]', 'data:text/javascript,1'];
    expect(read({ result: urls.map(entry) }, text('a();\n'))).toMatchObject({ total: [], warnings: [] });
    const odd = JSON.parse('{"__proto__": {"lineLengths": [1]}}') as object;
    expect(
      read({ result: [entry('__proto__'), entry('constructor')], 'source-map-cache': odd }, text('a();\n')).total,
    ).toEqual([
      { file: '__proto__', lines: '1', executable: '1' },
      { file: 'constructor', lines: '1', executable: '1' },
    ]);
    expect(({} as { lineLengths?: unknown }).lineLengths).toBeUndefined();
  });

  it.each<[string, unknown, string | undefined]>([
    ['no result', {}, 'result'],
    ['an entry that is null', { result: [null] }, 'result[0]'],
    ['no URL', { result: [{ functions: [] }] }, 'result[0].url'],
    ['no functions', { result: [{ url: 'file:///r/a.js' }] }, 'result[0].functions'],
    ['offsets the wrong way', script([range(5, 1, 1)]), 'result[0].functions[0].ranges[0]'],
    ['a negative offset', script([range(-1, 1, 1)]), 'result[0].functions[0].ranges[0]'],
    ['half an offset', script([range(0.5, 1, 1)]), 'result[0].functions[0].ranges[0]'],
    ['a count that is none', script([range(0, 1, '1')]), 'result[0].functions[0].ranges[0].count'],
    ['no count', script([{ startOffset: 0, endOffset: 1 }]), 'result[0].functions[0].ranges[0].count'],
    [
      'line lengths that are none',
      { ...script([]), 'source-map-cache': { 'file:///r/a.js': { lineLengths: ['x'], data: {} } } },
      '["source-map-cache"]["file:///r/a.js"].lineLengths',
    ],
    [
      'a map that is none',
      {
        ...script([]),
        'source-map-cache': { 'file:///r/a.js': { lineLengths: [1], data: { version: 3, mappings: 4 } } },
      },
      undefined,
    ],
  ])('refuses %s', (_what, value, at) => {
    expect(() => readV8(JSON.stringify(value), { root: '/r' })).toThrow(
      expect.objectContaining({ code: 'malformed_coverage', ...(at === undefined ? {} : { position: { at } }) }),
    );
  });

  it('10,000 nested ranges in the depth of one file cost no stack', () => {
    const ranges = Array.from({ length: 10_000 }, (_, depth) => range(depth, 40_000 - depth, depth % 2));
    expect(read(script(ranges), text('a\n'.repeat(20_000))).total[0]?.executable).toBe('1-20000');
  });

  it('same input, same bytes; whatever the ranges, a line is executed only if it is executable', () => {
    const ranges = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 30 }), fc.integer({ min: -1, max: 3 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(ranges, (drawn) => {
        const value = script(drawn.map(([start, length, count]) => range(start, start + length, count)));
        const once = read(value, text('a();\nb();\n/* c */\n}\nd();\n'));
        expect(JSON.stringify(read(value, text('a();\nb();\n/* c */\n}\nd();\n')))).toBe(JSON.stringify(once));
        for (const { lines, executable = '' } of once.total) {
          expect(parseLines(executable)).toEqual(expect.arrayContaining(parseLines(lines)));
          expect([1, 2, 5]).toEqual(expect.arrayContaining(parseLines(executable)));
        }
      }),
    );
  });
});
