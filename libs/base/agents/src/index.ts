export {
  AGENT_PROTOCOL,
  type AgentEvent,
  type CollectedTest,
  type RunStart,
  readAgentEvents,
  type TestEnd,
} from './agent-events.ts';
export { AGENT_FOLDER, type AgentFile, nodeAgent, pythonAgent } from './agent-files.ts';
export {
  createProbeInjector,
  type ProbedProgram,
  type ProbeInjectOptions,
  type ProbeInjector,
} from './create-probe-injector.ts';
export {
  createStatementInjector,
  type InjectableLanguage,
  type InjectedProgram,
  type InjectOptions,
  type StatementInjector,
} from './create-statement-injector.ts';
export type { Environment, LoadedModule, ModuleGraph, Packages, Reads } from './dependency-events.ts';
export { AgentsError, type AgentsErrorCode } from './errors.ts';
export { type ProbeEvent, type ProbeReading, readProbeEvents } from './probe-events.ts';
export { PROBE_EVENTS_FILE, PROBE_PROTOCOL, PROBE_TABLE_FILE, type ProbeSpec, type ProbeTable } from './probe-table.ts';
