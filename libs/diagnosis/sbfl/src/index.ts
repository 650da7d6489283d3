export {
  buildSpectrum,
  type CountedSpectrum,
  type SpectrumBuilder,
  type SpectrumTest,
} from './build-spectrum.ts';
export { countMatrix, type SpectrumMatrix } from './count-matrix.ts';
export { SbflError, type SbflErrorCode } from './errors.ts';
export type { TestedRuns } from './list-runs.ts';
export type { StatementTables } from './map-lines.ts';
export type { OutlinedStatements, StatementLines } from './own-line.ts';
export type { StatementPlaces } from './place-statements.ts';
export { PROBE_POINT_CAP, projectProbePoints } from './project-probe-points.ts';
export { rankEachTest } from './rank-each-test.ts';
export { type RankOptions, rankStatements } from './rank-statements.ts';
export { readSpectrum } from './readers/read-spectrum.ts';
export { type MeasuredFile, measureExtents, type RefineOptions, refineRanking } from './refine-ranking.ts';
export { scoreBranches } from './score-branches.ts';
export {
  type ReportOptions,
  spectrumFromCoverage,
  spectrumFromReport,
  type TestedCoverage,
  type TestOutcomeEntry,
} from './spectrum-from-report.ts';
export {
  ample,
  barinel,
  dstar,
  type Formula,
  type FormulaName,
  formulas,
  jaccard,
  kulczynski2,
  ochiai,
  ochiai2,
  op2,
  phi,
  type StatementCounts,
  tarantula,
  wong3,
  zoltar,
} from './suspiciousness-formulas.ts';
export { type SarifOptions, writeSarif } from './writers/write-sarif.ts';
export { type TextOptions, writeText } from './writers/write-text.ts';
