import { attachCoverage, readCoverage } from '@h/coverage';

/** Written by lcov, coverage.py, vitest, nyc, c8 …: read it from your disk. */
const lcov = `TN:adds
SF:/ci/app/src/sum.js
DA:1,1
DA:2,1
end_of_record
TN:subtracts
SF:/ci/app/src/sum.js
DA:5,3
DA:6,0
end_of_record
`;

export const coverage = readCoverage(lcov, { root: '/ci/app' });
// coverage.tests: [{ id: 'adds', files: [{ file: 'src/sum.js', lines: '1-2' }] }, { id: 'subtracts', files: [{ … lines: '5' }] }]
// coverage.total: [{ file: 'src/sum.js', lines: '1-2,5', executable: '1-2,5-6' }]

const results = ['adds', 'subtracts'].map((test) => ({ test, file: 'sum.test.js', outcome: 'passed' as const }));
const run = { runner: 'mine', environment: '0'.repeat(64), execution_ids: [], tests: results, collection_errors: [] };
export const { report, unmatched } = attachCoverage(run, coverage);
// report.tests[1].coverage: [{ file: 'src/sum.js', lines: '5' }], unmatched: []
