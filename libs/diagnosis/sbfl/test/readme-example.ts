import { buildSpectrum, projectProbePoints, rankStatements } from '../src/index.ts';

const lines = [2, 3, 4, 6, 7];
const spectrum = buildSpectrum(lines.map((line) => ({ file: 'middle.py', first: line, last: line, kind: 'statement' })))
  .add({ id: 'test_low', outcome: 'passed', hits: [0, 1, 2] }) // indexes into the list above
  .add({ id: 'test_high', outcome: 'passed', hits: '0-1,4' }) // the same, as a line set
  .add({ id: 'test_mid', outcome: 'failed', hits: [0, 1, 3] })
  .spectrum();
const report = rankStatements(spectrum, { lastLines: { test_mid: ['middle.py:6', 'middle.py:3', 'middle.py:2'] } });
console.log(report.statements[0]); // { location: 'middle.py:6', score: 1, tier: 'discriminating', rank: 1, tie_size: 1, … }
console.log(projectProbePoints(report).candidate_probe_points.map(({ location }) => location));
// [ 'middle.py:6', 'middle.py:3', 'middle.py:2' ]: the last two ran in every test, have suspiciousness 0.0, and stay
