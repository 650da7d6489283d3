export {
  buildProbeTable,
  type HitsKept,
  type ProbeTableBuild,
  type SourceText,
  type TableOptions,
} from './build-probe-table.ts';
export type { ProbeSite } from './draft-probes.ts';
export { InstrumentError, type InstrumentErrorCode } from './errors.ts';
export { holdsProbes } from './holds-probes.ts';
export { type InstrumentedTree, type InstrumentInput, instrumentTree } from './instrument-tree.ts';
export { narrowPlans, type Plans } from './narrow-plans.ts';
export { type Observation, observe, probe, tracePath } from './observe.ts';
export { type ObserveInput, observeTest, type TestSetting } from './observe-test.ts';
export { type PlanInput, PROBE_CAP, type ProgramShape, planProbes } from './plan-probes.ts';
export { planTrace, TRACE_BYTES, type TraceInput } from './plan-trace.ts';
