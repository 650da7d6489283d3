import { describe, expect, it } from 'vitest';
import { type CommandTest, commandDetection, commandLanguage, parseCommand, planTestRun } from '../src/index.ts';
import { readPlan } from '../src/plan-test-run.ts';

describe('parseCommand', () => {
  it.each<[string, CommandTest]>([
    ['bug=python repro.py', { label: 'bug', argv: ['python', 'repro.py'] }],
    ['node a.mjs --x=1', { label: 'node a.mjs --x=1', argv: ['node', 'a.mjs', '--x=1'] }],
    ["the-cart=node 'a b.mjs' \"c d\" e''", { label: 'the-cart', argv: ['node', 'a b.mjs', 'c d', 'e'] }],
    ['bug=TZ=UTC A= python -m x', { label: 'bug', argv: ['python', '-m', 'x'], env: { TZ: 'UTC', A: '' } }],
    ['bug=python a.py | grep b', { label: 'bug', argv: ['sh', '-c', 'python a.py | grep b'] }],
    ['bug=python a.py > out', { label: 'bug', argv: ['sh', '-c', 'python a.py > out'] }],
    ['bug=echo "$HOME"', { label: 'bug', argv: ['sh', '-c', 'echo "$HOME"'] }],
    ["bug=echo '$HOME'", { label: 'bug', argv: ['echo', '$HOME'] }],
    ["bug=echo 'open", { label: 'bug', argv: ['sh', '-c', "echo 'open"] }],
    ['a==b', { label: 'a==b', argv: ['a==b'] }],
  ])('%s', (text, expected) => expect(parseCommand(text)).toEqual(expected));
});

describe('commandDetection', () => {
  const plan = (argv: string[], more: Partial<CommandTest> = {}) => {
    const detection = commandDetection({ label: 'x', argv, ...more });
    const { command, agent_files, notes } = planTestRun(detection, {
      mode: 'run',
      coverage: true,
      python: '/env/bin/python',
      node: '/env/bin/node',
    });
    return { detection, command, agent_files, notes };
  };

  it.each<[string[], string[]]>([
    [
      ['python', 'r.py', '-m'],
      ['/env/bin/python', '.h-agent/h_agent_command.py', 'r.py', '-m'],
    ],
    [
      ['python3.9', '-X', 'dev', '-W', 'error', '-B', 'r.py'],
      ['/env/bin/python', '-X', 'dev', '-W', 'error', '-B', '.h-agent/h_agent_command.py', 'r.py'],
    ],
    [
      ['/usr/bin/python3', '-m', 'x', 'y'],
      ['/usr/bin/python3', '.h-agent/h_agent_command.py', '-m', 'x', 'y'],
    ],
    [
      ['node', '--test-only', 'r.mjs', 'y'],
      ['/env/bin/node', '--import', './.h-agent/node-command-hook.mjs', '--test-only', 'r.mjs', 'y'],
    ],
    [
      ['node', '--import', 'tsx', 'r.ts'],
      ['/env/bin/node', '--import', './.h-agent/node-command-hook.mjs', '--import', 'tsx', 'r.ts'],
    ],
    [['python'], ['python']],
    [
      ['python', '-'],
      ['python', '-'],
    ],
    [
      ['python', '-Bm', 'x'],
      ['python', '-Bm', 'x'],
    ],
    [
      ['node', '-e', '1'],
      ['node', '-e', '1'],
    ],
    [
      ['make', 'python', 'r.py'],
      ['make', 'python', 'r.py'],
    ],
  ])('%j', (argv, expected) => {
    const { command, agent_files, notes } = plan(argv);
    expect(command.argv).toEqual(expected);
    const watched = command.agent_entry !== undefined;
    expect([watched, agent_files.length > 0, notes.length === 0]).toEqual(
      Array(3).fill(argv.length !== expected.length),
    );
  });

  it('tells the agent its label, file and script, from the root', () => {
    const { detection, command } = plan(['python', '../r.py'], { cwd: 'a/b' });
    expect(detection).toMatchObject({
      runner: 'command',
      cwd: 'a/b',
      reason: 'given: python ../r.py',
      evidence: ['a/r.py'],
    });
    expect(readPlan(command)?.command).toEqual({ label: 'x', file: 'a/r.py', script: 'a/r.py', cover_script: false });
    expect(command).toMatchObject({
      cwd: 'a/b',
      report_path: 'a/b/.h-agent/report.ndjson',
      agent_entry: 'a/b/.h-agent/h_agent_command.py',
    });
    expect(readPlan(plan(['python', 'r.py'], { coverScript: true }).command)?.command?.file).toBe('.');
    expect(plan(['python', '/elsewhere/r.py']).detection.evidence).toEqual([]);
    expect(plan(['python', '../r.py']).detection.evidence).toEqual([]);
  });

  it.each([
    [['node', '-e', '1'], 'it gives Node no file to run, and an agent sees files.'],
    [['python', '-'], 'it gives Python no script, module or code that an agent can be put before.'],
    [['make'], 'its command starts neither Python nor Node by itself.'],
  ])('says why it cannot look into %j', (argv, why) => {
    expect(plan(argv).notes).toEqual([`No coverage of "x": ${why}`]);
  });

  it('is plain data', () => {
    const detection = commandDetection({ label: 'x', argv: ['a'], env: { A: '1' } });
    expect(JSON.parse(JSON.stringify(detection))).toEqual(detection);
  });

  it('knows the language of a command', () => {
    const languages = [['python3.11'], ['/usr/bin/node'], ['npx', 'x'], ['make'], []].map(commandLanguage);
    expect(languages).toEqual(['python', 'javascript', 'javascript', undefined, undefined]);
  });
});
