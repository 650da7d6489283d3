import { createStatementInjector, pythonAgent, readAgentEvents } from '@h/agents';

export async function readmeExample() {
  // begin
  const injector = await createStatementInjector();
  const program = injector.inject('const a = 1\nif (a) run()\n', 'javascript', { path: 'src/a.mjs' });
  // 'skipped' in program: why the file was left alone; else program.text holds
  // globalThis.__h?.(0);const a = 1
  // globalThis.__h?.(1);if (a) {globalThis.__h?.(2);run()}

  const agent = pythonAgent(); // [{ path: '.h-agent/h_agent_coverage.py', text }, …]: lay them into the target's folder
  const report = '{"event":"run-start","protocol":1,"runner":"pytest"}\n{"event":"test-';
  const events = readAgentEvents(report); // what the agents wrote, also when the process died midway
  // end
  const [first = ''] = ('text' in program ? program.text : '').split('\n');
  return [
    first.replace('globalThis.__h?.(0);', ''),
    'text' in program ? JSON.stringify(program.statements.slice(0, 2)) : '',
    agent.length > 3 ? events.map((event) => event.event) : [],
  ];
}
