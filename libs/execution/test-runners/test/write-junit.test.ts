import type { TestRunReport } from '@h/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJUnit, writeJUnit } from '../src/index.ts';

const base = { runner: 'pytest', environment: '0'.repeat(64), execution_ids: [], collection_errors: [] };
const OUTCOMES = ['passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed', 'timeout', 'not_run'] as const;

describe('writeJUnit', () => {
  it('groups by file, counts, and hides nothing', () => {
    const report: TestRunReport = {
      ...base,
      tests: [
        { test: 'a.py::t[<&">]', file: 'a.py', outcome: 'passed', duration_ms: 1500, flaky: true },
        {
          test: 'a.py::u',
          file: 'a.py',
          outcome: 'failed',
          failure: { class: 'E', message: 'a\u001b[0m\nb', location: 'src/b.py:2', frames: ['src/b.py:2', 'a.py:3'] },
        },
        { test: 'b.py::v', file: 'b.py', outcome: 'not_run' },
      ],
      collection_errors: [{ file: 'c.py', message: 'ImportError: no' }],
    };
    expect(writeJUnit(report)).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="pytest" tests="4" failures="1" errors="1" skipped="1" time="1.500">
        <testsuite name="a.py" file="a.py" tests="2" failures="1" errors="0" skipped="0" time="1.500">
          <testcase name="t[&lt;&amp;&quot;&gt;]" classname="a.py" file="a.py" time="1.500000"><properties><property name="h.test" value="a.py::t[&lt;&amp;&quot;&gt;]"/><property name="h.flaky" value="true"/></properties></testcase>
          <testcase name="u" classname="a.py" file="a.py"><properties><property name="h.test" value="a.py::u"/></properties><failure type="E" message="E: a�[0m&#10;b">Traceback (most recent call last):&#10;  File &quot;a.py&quot;, line 3&#10;  File &quot;src/b.py&quot;, line 2&#10;E: a�[0m&#10;b</failure></testcase>
        </testsuite>
        <testsuite name="b.py" file="b.py" tests="1" failures="0" errors="0" skipped="1">
          <testcase name="v" classname="b.py" file="b.py"><properties><property name="h.test" value="b.py::v"/><property name="h.outcome" value="not_run"/></properties><skipped type="not_run" message="it did not run"/></testcase>
        </testsuite>
        <testsuite name="collection" tests="1" failures="0" errors="1" skipped="0">
          <testcase name="c.py" classname="c.py" file="c.py"><error message="collection failure">ImportError: no</error></testcase>
        </testsuite>
      </testsuites>
      "
    `);
    expect(writeJUnit(report)).toBe(writeJUnit(report));
    const back = readJUnit(writeJUnit(report), { paths: ['a.py', 'src/b.py'] });
    expect(back.tests[1]?.failure).toEqual({ ...report.tests[1]?.failure, message: 'a\u{FFFD}[0m\nb' });
    expect(back.collection_errors).toEqual(report.collection_errors);
  });

  it('says what readJUnit reads back: every outcome of every test', () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).map((text) => text.replace(NOT_KEPT, '.'));
    const result = fc.record({ name, outcome: fc.constantFrom(...OUTCOMES), flaky: fc.boolean(), said: name });
    fc.assert(
      fc.property(fc.uniqueArray(result, { selector: ({ name }) => name, maxLength: 6 }), (results) => {
        const tests = results.map(({ name, outcome, flaky, said }) => ({
          test: `t.py::${name}`,
          file: 't.py',
          outcome,
          ...(flaky ? { flaky } : {}),
          ...(['failed', 'error', 'timeout'].includes(outcome)
            ? {
                failure: {
                  class: 'E',
                  message: said,
                  frames: ['t.py:1'],
                  location: 't.py:1',
                  expected: said,
                  actual: '',
                },
              }
            : {}),
        }));
        const back = readJUnit(writeJUnit({ ...base, tests }));
        expect(back.problem).toBeUndefined();
        const bare = (list: readonly { failure?: object }[]) =>
          list.map(({ failure, ...rest }) => ({
            ...rest,
            ...(failure ? { failure: { ...failure, message: '' } } : {}),
          }));
        expect(bare(back.tests)).toEqual(bare(tests));
      }),
      { numRuns: 200 },
    );
  });
});

/** XML has not all of them, and what is left is not the form's to keep. */
const NOT_KEPT = /[\p{Cc}\p{Cs}\p{Cn}\u2028]/gu;
