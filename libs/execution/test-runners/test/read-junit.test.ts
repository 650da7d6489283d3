import { describe, expect, it } from 'vitest';
import { type JUnitReport, readJUnit } from '../src/index.ts';

const outcomes = ({ tests }: JUnitReport) => Object.fromEntries(tests.map(({ test, outcome }) => [test, outcome]));

// as pytest 8.3 wrote it, shortened
const PYTEST = `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="3" failures="5" skipped="2" tests="13" time="0.049">
<testcase classname="tests.test_j" name="test_ok" time="0.001" />
<testcase classname="tests.test_j" name="test_p[x::y]" time="0.001"><failure message="AssertionError: assert 'x::y' == 'x'&#10;  &#10;  - x">a = 'x::y'

&gt;   def test_p(a): helper(a)

tests/test_j.py:4:
_ _ _
src/helper.py:9: AssertionError</failure></testcase>
<testcase classname="tests.test_j" name="test_xf" time="0.000"><skipped type="pytest.xfail" message="" /></testcase>
<testcase classname="tests.test_j" name="test_e" time="0.000"><error message="failed on setup with &quot;ValueError: fix&quot;">E   ValueError: fix

tests/test_j.py:12: ValueError</error></testcase>
<testcase classname="tests.test_j" name="test_ft" time="0.000"><failure message="assert 1 == 2">tests/test_j.py:19: AssertionError</failure></testcase>
<testcase classname="tests.test_j" name="test_ft" time="0.000"><error message="failed on teardown with &quot;ValueError: tear&quot;">x</error></testcase>
<testcase classname="tests.test_j.TestA.TestB" name="test_n" time="0.000" />
<testcase classname="tests.test_j" name="test_s" time="0.000"><skipped type="pytest.skip" message="why">/x/test_j.py:23: why</skipped></testcase>
<testcase classname="" name="tests.test_broken" time="0.000"><error message="collection failure">ImportError while importing</error></testcase>
</testsuite></testsuites>`;

describe('readJUnit', () => {
  it('reads pytest: node ids, expected failures, tear-downs, files that could not be collected', () => {
    const report = readJUnit(PYTEST, { paths: ['tests/test_j.py', 'tests/test_broken.py', 'src/helper.py'] });
    expect(outcomes(report)).toEqual({
      'tests/test_j.py::test_ok': 'passed',
      'tests/test_j.py::test_p[x::y]': 'failed',
      'tests/test_j.py::test_xf': 'xfailed',
      'tests/test_j.py::test_e': 'error',
      'tests/test_j.py::test_ft': 'failed',
      'tests/test_j.py::TestA::TestB::test_n': 'passed',
      'tests/test_j.py::test_s': 'skipped',
    });
    expect(report.tests[1]).toMatchObject({
      file: 'tests/test_j.py',
      duration_ms: 1,
      failure: {
        class: 'AssertionError',
        location: 'src/helper.py:9',
        frames: ['src/helper.py:9', 'tests/test_j.py:4'],
      },
    });
    expect(report.collection_errors).toEqual([
      { file: 'tests/test_broken.py', message: 'ImportError while importing' },
    ]);
    expect(report.problem).toBeUndefined();
  });

  it('tells a class from a module where it is given no paths', () => {
    const { tests } = readJUnit(PYTEST);
    expect(tests.at(-2)).toMatchObject({ test: 'tests/test_j.py::TestA::TestB::test_n', file: 'tests/test_j.py' });
  });

  it.each([
    [
      'vitest',
      `<testsuites name="vitest tests"><testsuite name="test/a.test.ts" tests="1">
       <testcase classname="test/a.test.ts" name="suite &gt; adds" time="0.002"><failure message="expected 1 to be 2" type="AssertionError">AssertionError: expected 1 to be 2
 ❯ test/a.test.ts:7:21</failure></testcase></testsuite></testsuites>`,
      { 'test/a.test.ts > suite > adds': 'failed' },
    ],
    [
      'jest-junit',
      `<testsuites name="jest tests"><testsuite name="adder"><testcase classname="adder adds" name="adder adds" time="0.1"/>
       <testcase classname="adder skips" name="adder skips" time="0"><skipped/></testcase></testsuite></testsuites>`,
      { 'adder adds': 'passed', 'adder skips': 'skipped' },
    ],
    [
      'mocha-junit-reporter',
      `<testsuites name="Mocha Tests"><testsuite name="Root Suite"/><testsuite name="adder" file="/w/test/a.spec.js">
       <testcase name="adder adds" classname="adds" time="0.1"><failure message="no" type="AssertionError"><![CDATA[AssertionError: no
    at Context.<anonymous> (/w/test/a.spec.js:4:9)]]></failure></testcase></testsuite></testsuites>`,
      { 'test/a.spec.js > adder adds': 'failed' },
    ],
    [
      'node:test',
      `<testsuites><testsuite name="outer" time="0.1"><testsuite name="inner"><testcase name="works" time="0.1" classname="test"/>
       <testcase name="todo" time="0" classname="test"><skipped type="todo" message="true"/></testcase></testsuite></testsuite></testsuites>`,
      { 'outer > inner > works': 'passed', 'outer > inner > todo': 'skipped' },
    ],
    [
      'Surefire',
      `<testsuite name="com.x.FooTest" time="1,234.5"><testcase name="bar" classname="com.x.FooTest" time="1,234.5"><flakyFailure type="java.lang.Error" message="m">t</flakyFailure></testcase>
       <testcase name="baz" classname="com.x.FooTest" time="0"><error type="java.lang.NullPointerException">java.lang.NullPointerException</error><rerunFailure message="x"/></testcase></testsuite>`,
      { 'com.x.FooTest > bar': 'passed', 'com.x.FooTest > baz': 'error' },
    ],
    [
      'unittest-xml-reporting',
      `<testsuites><testsuite name="tests.test_i.T-2026" file="tests/test_i.py"><testcase classname="tests.test_i.T" name="test_a" file="tests/test_i.py" line="7" time="0.1"/></testsuite></testsuites>`,
      { 'tests/test_i.py::T::test_a': 'passed' },
    ],
  ])('reads %s', (_, text, expected) => {
    const report = readJUnit(text, { paths: ['test/a.spec.js', 'test/a.test.ts', 'tests/test_i.py'] });
    expect(outcomes(report)).toEqual(expected);
    expect(report.problem).toBeUndefined();
  });

  it('marks what Surefire ran again, and reads its durations', () => {
    const text = `<testsuite name="s"><testcase name="bar" classname="F" time="1,234.5"><flakyError/></testcase></testsuite>`;
    expect(readJUnit(text).tests).toEqual([
      { test: 'F > bar', file: '.', outcome: 'passed', duration_ms: 1234500, flaky: true },
    ]);
  });

  it('counts two tests of one name apart', () => {
    const text = `<testsuite name="s"><testcase name="a" classname="F"/><testcase name="a" classname="F"><failure/></testcase></testsuite>`;
    expect(outcomes(readJUnit(text))).toEqual({ 'F > a': 'passed', 'F > a #2': 'failed' });
  });

  it('counts many of one name without looking at each again', () => {
    const many = '<testcase name="a" classname="F"/>'.repeat(30_000);
    const { tests } = readJUnit(`<testsuite name="s">${many}</testsuite>`);
    expect([tests.length, tests.at(-1)?.test]).toEqual([30_000, 'F > a #30000']);
  });

  it('keeps what stands before the end of a document that was cut', () => {
    const report = readJUnit(PYTEST.slice(0, PYTEST.indexOf('test_xf')), {});
    expect(report.tests.length).toBe(2);
    expect(report.problem).toMatch(/\d+:\d+|unclosed|unexpected/i);
  });

  it('expands no entities of a document of its own', () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY e SYSTEM "file:///etc/passwd">]>
      <testsuite name="s"><testcase name="ok" classname="F"/><testcase name="&b;&e;" classname="F"/></testsuite>`;
    const report = readJUnit(bomb);
    expect(JSON.stringify(report.tests)).not.toMatch(/aaaa|root:/);
    expect(report.problem).toMatch(/entity/);
  });

  it.each(['', 'not xml', '<html><testcase name="a"/></html>', '<testsuite'])('says that %j is none', (text) => {
    expect(readJUnit(text)).toMatchObject({ tests: [], problem: expect.stringMatching(/no <testsuite>/) });
  });
});
