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
  createStatementInjector,
  type InjectableLanguage,
  type InjectedProgram,
  type InjectOptions,
  type StatementInjector,
} from './create-statement-injector.ts';
export { AgentsError, type AgentsErrorCode } from './errors.ts';
