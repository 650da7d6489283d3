export {
  buildSpectrum,
  type CountedSpectrum,
  type SpectrumBuilder,
  type SpectrumTest,
} from './build-spectrum.ts';
export { SbflError, type SbflErrorCode } from './errors.ts';
export type { StatementLines } from './map-lines.ts';
export { PROBE_POINT_CAP, projectProbePoints } from './project-probe-points.ts';
export { type RankOptions, rankStatements } from './rank-statements.ts';
export { type ReportOptions, spectrumFromReport } from './spectrum-from-report.ts';
export { type FormulaName, jaccard, ochiai, type StatementCounts, tarantula } from './suspiciousness-formulas.ts';
