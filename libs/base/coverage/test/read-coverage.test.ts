import { readCoverage } from '@h/coverage';
import { describe, expect, it } from 'vitest';
import { readFixture } from './read-fixture.ts';

describe('readCoverage', () => {
  it.each([
    ['coverage-py/contexts.json', 'coverage.py'],
    ['coverage-py/plain.json', 'coverage.py'],
    ['coverage-py/functions.json', 'coverage.py'],
    ['coverage-py/lcov.info', 'lcov'],
    ['coverage-py/cobertura.xml', 'cobertura'],
    ['vitest-v8/coverage-final.json', 'istanbul'],
    ['vitest-v8/lcov.info', 'lcov'],
    ['vitest-istanbul/cobertura-coverage.xml', 'cobertura'],
    ['c8/coverage-final.json', 'istanbul'],
    ['c8/lcov.info', 'lcov'],
    ['c8/cobertura-coverage.xml', 'cobertura'],
    ['nyc/coverage-final.json', 'istanbul'],
    ['nyc/lcov.info', 'lcov'],
    ['nyc/cobertura-coverage.xml', 'cobertura'],
    ['jest/coverage-final.json', 'istanbul'],
    ['jest/lcov.info', 'lcov'],
    ['jacoco/jacoco.xml', 'jacoco'],
    ['v8-mapped/tsc.json', 'v8'],
  ])('tells the format of %s: %s', (name, format) => {
    const bytes = readFixture(name);
    const report = readCoverage(bytes);
    expect(report.format).toBe(format);
    expect(report.total.length).toBeGreaterThan(0);
    expect(readCoverage(new TextDecoder().decode(bytes))).toEqual(report);
    expect(JSON.stringify(readCoverage(bytes))).toBe(JSON.stringify(report));
  });

  it('tells formats by their beginning, however it is laid out', () => {
    expect(readCoverage('{"files": {"a": {"executed_lines": [1], "missing_lines": []}}}').format).toBe('coverage.py');
    expect(readCoverage('{\n "meta": {\n  "version": "5.0" },\n "files": {} }').format).toBe('coverage.py');
    expect(readCoverage('{}').format).toBe('istanbul');
    expect(readCoverage('\ufeff# made by a tool\nTN:\n').format).toBe('lcov');
    expect(readCoverage('{"meta": {"path": "meta", "statementMap": {}, "s": {}}}').format).toBe('istanbul');
    expect(readCoverage('\ufeff<!-- x --><coverage line-rate="1"></coverage>').format).toBe('cobertura');
    expect(readCoverage('<?xml version="1.0"?><report name="j"/>').format).toBe('jacoco');
    expect(readCoverage('{"result":[]}').format).toBe('v8');
    expect(readCoverage('{"timestamp": 1.5, "result": []}').format).toBe('v8');
    expect(readCoverage('{"timestamp": {"path": "timestamp", "statementMap": {}, "s": {}}}').format).toBe('istanbul');
  });

  it('reads as the caller says, whatever it looks like', () => {
    expect(readCoverage('', { format: 'lcov' }).total).toEqual([]);
    expect(() => readCoverage('TN:\n', { format: 'istanbul' })).toThrow(
      expect.objectContaining({ code: 'malformed_coverage' }),
    );
  });

  it('hands its options on', () => {
    const text = '{"files": {"/ci/a.py": {"executed_lines": [1], "missing_lines": [], "contexts": {"1": ["x"]}}}}';
    expect(readCoverage(text, { root: '/ci', testOf: (context) => `${context}!` })).toMatchObject({
      tests: [{ id: 'x!', files: [{ file: 'a.py' }] }],
    });
  });

  it.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['hello', 'neither'],
    ['[1]', 'neither'],
    ['<?xml version="1.0"?><coverage generated="1" clover="3.2.0"/>', 'Clover'],
    ['<html><body/></html>', 'XML without'],
  ])('refuses %s', (text, why) => {
    expect(() => readCoverage(text)).toThrow(
      expect.objectContaining({ code: 'unknown_format', message: expect.stringContaining(why) }),
    );
  });
});
