export { checkDeterminism, type SideVerdict } from './check-determinism.ts';
export { chooseSibling, type PlannedPlace, type Sibling } from './choose-sibling.ts';
export { type ComparedRuns, compareRuns, RECORD_EVENTS } from './compare-runs.ts';
export { dynamicSlice, type FailureSliceOptions } from './dynamic-slice.ts';
export { SliceError, type SliceErrorCode } from './errors.ts';
export { locateFailure } from './locate-failure.ts';
export { type RowSlice, type SlicedRow, type SliceOptions, sliceRows } from './slice-rows.ts';
export { type TraceDiff, type TraceDifference, type TraceDiffOptions, traceDiff } from './trace-diff.ts';
