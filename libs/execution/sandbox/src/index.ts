export type {
  ExecutionRequest,
  ExecutionResult,
  Executor,
  IsolationPolicy,
  IsolationProperty,
  Receipt,
} from '@h/contracts';
export type { BackendName } from './backends/backend.ts';
export { createSandbox, type Sandbox, type SandboxOptions } from './create-sandbox.ts';
export { checkDeterminism, type DeterminismCheck, type DeterminismOptions } from './determinism/check-determinism.ts';
export { STABLE_MASKS } from './determinism/stable-masks.ts';
export { VARIATIONS, type Variation } from './determinism/vary-request.ts';
export { SandboxError, type SandboxErrorCode } from './errors.ts';
export { type ContainerOptions, openContainers } from './foreign/containers.ts';
export { createExecutor, type ExecutorOptions, type ForeignExecutor } from './foreign/create-executor.ts';
export type {
  ForeignCall,
  ForeignCommand,
  ForeignExit,
  ForeignFile,
  ForeignJob,
  ForeignPut,
  ForeignSteps,
  ForeignSystem,
  ForeignWhole,
} from './foreign/foreign-system.ts';
export {
  discoverNode,
  discoverPython,
  type NodeRuntime,
  type PythonRuntime,
  type PythonSearch,
} from './host/discover-runtimes.ts';
export { defaultPolicy } from './judge-policy.ts';
export type { BackendProbe } from './probe-backend.ts';
export type { ControlProbe } from './probe-control.ts';
export { type HostReport, probeHost } from './probe-host.ts';
export type { WorkspaceLink } from './workspace/plan-links.ts';
