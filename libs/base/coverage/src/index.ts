export { type AttachedCoverage, attachCoverage } from './attach-coverage.ts';
export { combineTests, type TestRun } from './combine-tests.ts';
export type {
  CoverageFormat,
  CoverageReport,
  CoverageWarning,
  CoverageWarningCode,
  FileCoverage,
  TestCoverage,
} from './coverage-report.ts';
export { CoverageError, type CoverageErrorCode, type Position } from './errors.ts';
export { type Placed, type PlaceOptions, placeFile } from './place-files.ts';
export { type ReadCoverageOptions, readCoverage } from './read-coverage.ts';
export { readCobertura } from './readers/read-cobertura.ts';
export { type CoveragePyOptions, readCoveragePy } from './readers/read-coverage-py.ts';
export { readIstanbul } from './readers/read-istanbul.ts';
export { type JacocoOptions, readJacoco } from './readers/read-jacoco.ts';
export { readLcov, readLcovStream } from './readers/read-lcov.ts';
export { readV8, type V8Options, type V8Script } from './readers/read-v8.ts';
export { type CoberturaOptions, writeCobertura } from './writers/write-cobertura.ts';
export { writeCoveragePy } from './writers/write-coverage-py.ts';
export { type IstanbulOptions, writeIstanbul } from './writers/write-istanbul.ts';
export { writeLcov } from './writers/write-lcov.ts';
