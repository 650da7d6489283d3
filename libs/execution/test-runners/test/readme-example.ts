import { detectRunners, planTestRun } from '@h/test-runners';

export async function readmeExample() {
  // begin
  const files: Record<string, string> = { 'tests/test_a.py': 'import pytest\ndef test_a(): assert 1 + 1 == 2\n' };
  const reader = {
    read: async (path: string) => new TextEncoder().encode(files[path]),
    list: async function* () {
      yield* Object.keys(files);
    },
  };
  const [detection] = await detectRunners(reader); // { runner: 'pytest', cwd: '', reason, evidence, … }
  if (detection === undefined) throw new Error('no tests found');
  const { command, agent_files } = planTestRun(detection, { mode: 'run', coverage: true });
  // lay agent_files into a copy of the repository and run command.argv there with command.env_set, or let runTests() do both
  // end
  return [detection.runner, detection.reason, command.argv.slice(0, 3).join(' '), agent_files].slice(0, 3);
}
