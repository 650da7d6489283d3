import { envelope, readEnvelope, type TestRunReport } from '../src/index.ts';

const report: TestRunReport = {
  runner: 'pytest',
  environment: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  execution_ids: [],
  tests: [{ test: 'tests/test_calc.py::test_add', file: 'tests/test_calc.py', outcome: 'passed' }],
  collection_errors: [],
};
const text = JSON.stringify(envelope('TestRunReport', report));
console.log(text); // {"schema":"h/test-run-report/1","data":{"runner":"pytest",…
try {
  readEnvelope('TestRunReport', text.replace('passed', 'green'));
} catch (error) {
  console.log((error as Error).message); // Not a TestRunReport: tests[0].outcome: expected "passed", … or "not_run", got "green".
}
