export type { PathIdentity } from './compare-trees.ts';
export { SelectError, type SelectErrorCode } from './errors.ts';
export { formatBaseline, parseBaseline, type SelectionBaseline } from './format-baseline.ts';
export { GLOBAL_FILES, type GlobalFile } from './global-files.ts';
export { type SelectionBudget, type SelectionInput, selectTests } from './select-tests.ts';
export {
  createSelectionStore,
  memorySelectionStore,
  type SelectionStore,
  type StoredBaseline,
  type TextStore,
} from './selection-store.ts';
export { verifySelection } from './verify-selection.ts';
