import type { TestFailure, TestResult, TestRunReport } from '@h/contracts';

/**
 * A report as JUnit XML: one `<testsuite>` per file, in the order of the report. What the form has no place for (the id, `xpassed`, `timeout`,
 * `not_run`, operands) is a `<property>` of the test whose name begins with `h.`; `readJUnit` reads it back. No clock and no host name.
 */
export function writeJUnit(report: TestRunReport): string {
  const suites = new Map<string, TestResult[]>();
  for (const result of report.tests) {
    const held = suites.get(result.file) ?? [];
    suites.set(result.file, held);
    held.push(result);
  }
  const parts = [...suites].map(([file, tests]) => suiteOf(file, tests));
  if (report.collection_errors.length > 0) parts.push(brokenSuite(report));
  const counts = countsOf(report.tests, report.collection_errors.length);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${quote(report.runner)}"${counts}>\n${parts.join('')}</testsuites>\n`;
}

function suiteOf(file: string, tests: readonly TestResult[]): string {
  const name = quote(file);
  return `  <testsuite name="${name}" file="${name}"${countsOf(tests, 0)}>\n${tests.map(caseOf).join('')}  </testsuite>\n`;
}

function countsOf(tests: readonly TestResult[], broken: number): string {
  const count = (...outcomes: TestResult['outcome'][]) =>
    tests.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const seconds = tests.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0) / 1000;
  const time = tests.some(({ duration_ms }) => duration_ms !== undefined) ? ` time="${seconds.toFixed(3)}"` : '';
  const errors = count('error', 'timeout') + broken;
  const skipped = count('skipped', 'xfailed', 'not_run');
  return ` tests="${tests.length + broken}" failures="${count('failed')}" errors="${errors}" skipped="${skipped}"${time}`;
}

function caseOf(result: TestResult): string {
  const { test, file, duration_ms, outcome, flaky, failure } = result;
  const time = duration_ms === undefined ? '' : ` time="${(duration_ms / 1000).toFixed(6)}"`;
  const properties = Object.entries({
    'h.test': test,
    ...(PLAIN.has(outcome) ? {} : { 'h.outcome': outcome }),
    ...(flaky === true ? { 'h.flaky': 'true' } : {}),
    ...(failure?.expected === undefined ? {} : { 'h.expected': failure.expected }),
    ...(failure?.actual === undefined ? {} : { 'h.actual': failure.actual }),
  }).map(([name, value]) => `<property name="${name}" value="${quote(value)}"/>`);
  const body = `<properties>${properties.join('')}</properties>${saidOf(result)}`;
  return `    <testcase name="${quote(nameOf(test, file))}" classname="${quote(file)}" file="${quote(file)}"${time}>${body}</testcase>\n`;
}

/** Outcomes that an element of the form, or none, says by itself. */
const PLAIN = new Set<TestResult['outcome']>(['passed', 'failed', 'error', 'skipped']);

/** The id without the file that it begins with. */
function nameOf(test: string, file: string): string {
  for (const separator of ['::', ' > '])
    if (test.startsWith(file + separator)) return test.slice(file.length + separator.length);
  return test;
}

function saidOf({ outcome, failure }: TestResult): string {
  if (outcome === 'failed') return failureElement('failure', failure);
  if (outcome === 'error' || outcome === 'timeout') return failureElement('error', failure);
  if (outcome === 'xfailed') return '<skipped type="pytest.xfail"/>';
  if (outcome === 'not_run') return '<skipped type="not_run" message="it did not run"/>';
  return outcome === 'skipped' ? '<skipped/>' : '';
}

function failureElement(kind: string, failure: TestFailure | undefined): string {
  if (failure === undefined) return `<${kind}/>`;
  // a traceback as Python prints it, outermost first, is what every reader of places understands
  const frames = failure.frames.toReversed().map((frame) => {
    const colon = frame.lastIndexOf(':');
    return `  File "${frame.slice(0, colon)}", line ${frame.slice(colon + 1)}`;
  });
  const trace = frames.length === 0 ? '' : `Traceback (most recent call last):\n${frames.join('\n')}\n`;
  const said = `${failure.class}: ${failure.message}`;
  return `<${kind} type="${quote(failure.class)}" message="${quote(said)}">${quote(`${trace}${said}`)}</${kind}>`;
}

function brokenSuite({ collection_errors }: TestRunReport): string {
  const cases = collection_errors.map(({ file = '.', message }) => {
    const text = quote(message);
    return `    <testcase name="${quote(file)}" classname="${quote(file)}" file="${quote(file)}"><error message="collection failure">${text}</error></testcase>\n`;
  });
  return `  <testsuite name="collection" tests="${cases.length}" failures="0" errors="${cases.length}" skipped="0">\n${cases.join('')}  </testsuite>\n`;
}

/** All but what XML 1.0 calls characters; lone surrogates are none. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Text for an attribute or an element. What XML cannot hold becomes U+FFFD; line ends and tabs are written as references, so that they stay. */
function quote(text: string): string {
  return text
    .replace(NOT_XML, '\u{FFFD}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
