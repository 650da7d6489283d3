import { envelope, type Spectrum } from '@h/contracts';
import { describe, expect, test } from 'vitest';
import { rankStatements, readSpectrum } from '../../src/index.ts';
import { codeOf } from '../code-of.ts';
import { drawSpectrum } from '../draw-spectrum.ts';

const drawn = drawSpectrum(`
        F1 P1 S1
    a:3 x  .  .
    a:7 x  x  x
    b:1 .  x  .`);
const locations = (text: string) =>
  rankStatements(readSpectrum(text)).statements.map(({ location, score }) => [location, score]);

describe('clause 3: a plain spectrum as CSV or JSON', () => {
  test('a matrix: tests and outcomes down, statements across', () => {
    const csv = 'test,outcome,a:3,a:7,b:1\nF1,failed,1,1,0\nP1,passed,0,1,1\nS1,skipped,0,1,0\n';
    expect(readSpectrum(csv)).toEqual(drawn);
    expect(readSpectrum(`\ufeff${csv.replaceAll('\n', '\r\n').trimEnd()}\n\n`)).toEqual(drawn);
  });

  test('quotes, commas, line breaks and quotes in quotes; a statement of several lines', () => {
    const { tests, statements, hits } = readSpectrum(
      'test,outcome,"a,""b"".py:3-5"\n"t[1,\n2]",failed,1\n',
    ) as Spectrum;
    expect({ tests, statements, hits }).toEqual({
      tests: [{ id: 't[1,\n2]', outcome: 'failed' }],
      statements: [{ file: 'a,"b".py', first: 3, last: 5, kind: 'statement' }],
      hits: ['0'],
    });
  });

  test('counts: ef, ep, nf, np a statement, in any order of columns', () => {
    const csv = 'np,location,ef,ep,nf\n2,a.py:1,1,0,0\n0,a.py:2,1,2,0\n';
    expect(locations(csv)).toEqual([
      ['a.py:1', 1],
      ['a.py:2', Math.sqrt(1 / 3)],
    ]);
    const report = rankStatements(readSpectrum(csv));
    expect(report).toMatchObject({ total_failed: 1, total_passed: 2, verdict: 'ok' });
    expect(report.statements.map(({ tier }) => tier)).toEqual(['discriminating', 'reserve']);
  });

  test('of counts no two statements are known to be alike', () => {
    const { statements } = rankStatements(readSpectrum('location,ef,ep,nf,np\na:1,1,0,0,1\na:2,1,0,0,1\n'));
    expect(statements.map(({ tie_size, group }) => [tie_size, group])).toEqual([
      [2, 0],
      [2, 1],
    ]);
  });

  test('JSON: the record in its envelope or bare, or counts', () => {
    expect(readSpectrum(JSON.stringify(envelope('Spectrum', drawn)))).toEqual(drawn);
    expect(readSpectrum(`\ufeff ${JSON.stringify(drawn, undefined, 2)}`)).toEqual(drawn);
    const counts = {
      total_failed: 1,
      total_passed: 1,
      statements: [{ location: 'a.py:3-4', failed: 1, passed: 0, kind: 'import' }],
    };
    expect(rankStatements(readSpectrum(JSON.stringify(counts))).statements).toMatchObject([
      { location: 'a.py:3', kind: 'import', score: 1 },
    ]);
  });

  test('no failing run: the documented empty ranking', () => {
    expect(rankStatements(readSpectrum('test,outcome,a:1\nP1,passed,1\n'))).toMatchObject({
      verdict: 'no_contrast',
      statements: [],
    });
    expect(rankStatements(readSpectrum('location,ef,ep,nf,np\na:1,0,1,0,0\n'))).toMatchObject({
      verdict: 'no_contrast',
      statements: [],
    });
    expect(rankStatements(readSpectrum('location,ef,ep,nf,np\n'))).toMatchObject({
      verdict: 'no_contrast',
      statements: [],
    });
  });

  test.each<[string, string, string]>([
    ['contradictory_counts', 'other totals in one row', 'location,ef,ep,nf,np\na:1,1,0,0,1\na:2,1,0,1,1\n'],
    [
      'contradictory_counts',
      'more runs than there are',
      '{"total_failed":1,"total_passed":0,"statements":[{"location":"a:1","failed":2,"passed":0}]}',
    ],
    ['duplicate_statement', 'a statement twice', 'location,ef,ep,nf,np\na:1,1,0,0,1\na:1,1,0,0,1\n'],
    ['malformed_spectrum', 'an unknown first row', 'a,b,c\n'],
    ['malformed_spectrum', 'nothing', ''],
    ['malformed_spectrum', 'a negative count', 'location,ef,ep,nf,np\na:1,-1,0,0,1\n'],
    ['malformed_spectrum', 'an absurd count', 'location,ef,ep,nf,np\na:1,1e999,0,0,1\n'],
    ['malformed_spectrum', 'a count too long to be exact', 'location,ef,ep,nf,np\na:1,9999999999999999,0,0,1\n'],
    ['malformed_spectrum', 'a place without a line', 'location,ef,ep,nf,np\na.py,1,0,0,1\n'],
    ['malformed_spectrum', 'line 0', 'test,outcome,a:0\nF,failed,1\n'],
    ['malformed_spectrum', 'a statement that ends before it starts', 'test,outcome,a:5-3\nF,failed,1\n'],
    ['malformed_spectrum', 'a cell that is neither', 'test,outcome,a:1\nF,failed,2\n'],
    ['malformed_spectrum', 'an unknown outcome', 'test,outcome,a:1\nF,fail,1\n'],
    ['malformed_spectrum', 'a test without a name', 'test,outcome,a:1\n,failed,1\n'],
    ['malformed_spectrum', 'too few cells', 'test,outcome,a:1,a:2\nF,failed,1\n'],
    ['malformed_spectrum', 'a quote that is not closed', 'test,outcome,a:1\n"F,failed,1\n'],
    ['malformed_spectrum', 'text beside a quote', 'test,outcome,a:1\n"F"x,failed,1\n'],
    ['malformed_spectrum', 'half of JSON', '{"tests": ['],
    ['malformed_spectrum', 'a list', '[1]'],
    ['malformed_spectrum', 'counts without statements', '{"total_failed":1,"total_passed":0}'],
    ['malformed_spectrum', 'a total that is no count', '{"total_failed":"1","total_passed":0,"statements":[]}'],
    ['malformed_spectrum', 'a statement that is null', '{"total_failed":1,"total_passed":0,"statements":[null]}'],
    [
      'malformed_spectrum',
      'an unknown kind',
      '{"total_failed":1,"total_passed":0,"statements":[{"location":"a:1","failed":1,"passed":0,"kind":"x"}]}',
    ],
    ['invalid_record', 'a record without hits', '{"tests": [], "statements": []}'],
    ['unknown_schema', 'another record', '{"schema": "h/probe-plan/1", "data": {}}'],
  ])('%s: %s', (code, _what, text) => expect(codeOf(() => rankStatements(readSpectrum(text)))).toBe(code));

  test('keys that every object has are no keys of the file', () => {
    expect(codeOf(() => readSpectrum('{"__proto__": {"total_failed": 1}}'))).toBe('invalid_record');
    expect(locations('test,outcome,__proto__:1,constructor:2\ntoString,failed,1,1\n')).toEqual([
      ['__proto__:1', 1],
      ['constructor:2', 1],
    ]);
  });
});
