import { describe, expect, it } from 'vitest';
import { detectRunners } from '../src/index.ts';
import { readerOf } from './process-executor.ts';

const manifest = (fields: object) => JSON.stringify(fields);
const script = (test: string, fields: object = {}) => manifest({ scripts: { test }, ...fields });

/** What is found, best first: runner, folder, a part of the reason, and what else is expected of the detection. */
async function check(files: Record<string, string>, expected: [string, string, string, object?][]) {
  const found = await detectRunners(readerOf(files));
  expect(found.map(({ runner, cwd }) => [runner, cwd])).toEqual(expected.map(([runner, cwd]) => [runner, cwd]));
  for (const [index, [, , reason, fields = {}]] of expected.entries()) {
    expect(found[index]?.reason).toContain(reason);
    expect(found[index]).toMatchObject(fields);
  }
}

describe('detectRunners: jest and mocha', () => {
  it.each<[string, Record<string, string>, [string, string, string, object?][]]>([
    [
      'jest by its configuration',
      { 'jest.config.ts': '', 'a.test.ts': '' },
      [['jest', '', 'jest is configured: jest.config.ts', { evidence: ['jest.config.ts'] }]],
    ],
    [
      'jest by its key',
      { 'package.json': manifest({ jest: { preset: 'ts-jest' } }), '__tests__/a.ts': '' },
      [['jest', '', 'the key "jest" of package.json', { evidence: ['package.json'] }]],
    ],
    [
      'jest by a script, with what it passes',
      {
        'package.json': script(
          "cross-env TZ=UTC NODE_OPTIONS='--a --b' jest -c unit.js --watch --maxWorkers 2 --coverage src",
        ),
        'src/a.spec.js': '',
      },
      [
        [
          'jest',
          '',
          'calls jest',
          { runner_args: ['-c', 'unit.js', 'src'], env: { TZ: 'UTC', NODE_OPTIONS: '--a --b' } },
        ],
      ],
    ],
    [
      'jest by a script that starts node',
      { 'package.json': script('node --experimental-vm-modules node_modules/jest/bin/jest.js -i'), 'a.test.js': '' },
      [['jest', '', 'calls jest', { node_args: ['--experimental-vm-modules'] }]],
    ],
    [
      'jest by a dependency and tests',
      { 'package.json': manifest({ devDependencies: { jest: '30' } }), 'a.test.js': '' },
      [['jest', '', 'among the dependencies']],
    ],
    ['a dependency alone', { 'package.json': manifest({ devDependencies: { jest: '30', mocha: '11' } }) }, []],
    ['a name among arguments', { 'package.json': script('eslint jest mocha'), 'a.test.js': '' }, []],
    [
      'mocha by its configuration',
      { '.mocharc.jsonc': '{ /* all */ "spec": ["lib/**/*.check.js"], }', 'lib/a.check.js': '', 'lib/b.js': '' },
      [['mocha', '', '.mocharc.jsonc', { test_files: ['lib/a.check.js'] }]],
    ],
    [
      'mocha by a list in YAML',
      {
        '.mocharc.yaml': "ui: tdd\nspec:\n  - 'a/*.js' # first\n  - b/**/*.mjs\nrequire: x\n",
        'a/1.js': '',
        'b/c/2.mjs': '',
      },
      [['mocha', '', '.mocharc.yaml', { test_files: ['a/1.js', 'b/c/2.mjs'] }]],
    ],
    [
      'mocha by its key',
      { 'package.json': manifest({ mocha: { spec: 'spec', recursive: true } }), 'spec/a/b.js': '', 'spec/c.d.ts': '' },
      [['mocha', '', 'the key "mocha"', { test_files: ['spec/a/b.js'] }]],
    ],
    [
      'mocha by a script, with what it passes',
      {
        'package.json': script(
          'TZ=UTC nyc --reporter text mocha -r tsx/cjs -R spec --parallel --jobs 4 -t 9000 "src/**/*.test.ts"',
        ),
        'src/x/a.test.ts': '',
        'src/x/a.ts': '',
      },
      [
        [
          'mocha',
          '',
          'calls mocha',
          {
            runner_args: ['-r', 'tsx/cjs', '-t', '9000', 'src/**/*.test.ts'],
            env: { TZ: 'UTC' },
            test_files: ['src/x/a.test.ts'],
          },
        ],
      ],
    ],
    [
      'the folder test of mocha, not what lies deeper',
      { 'package.json': script('mocha'), 'test/a.js': '', 'test/fixtures/b.js': '' },
      [['mocha', '', 'calls mocha', { test_files: ['test/a.js'] }]],
    ],
    [
      'packages of a workspace, each by what is its own',
      {
        'package.json': manifest({ workspaces: ['packages/*'], scripts: { test: 'npm test -ws' } }),
        'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
        'packages/a/package.json': script('jest'),
        'packages/a/a.test.js': '',
        'packages/b/package.json': script('mocha'),
        'packages/b/test/b.js': '',
        'packages/c/package.json': script('vitest run'),
        'packages/c/c.test.ts': '',
        'packages/d/package.json': script('node --test'),
        'packages/d/d.test.js': '',
      },
      [
        ['jest', 'packages/a', 'packages/a/package.json'],
        ['mocha', 'packages/b', 'packages/b/package.json', { test_files: ['packages/b/test/b.js'] }],
        ['vitest', 'packages/c', 'packages/c/package.json'],
        ['node:test', 'packages/d', 'packages/d/package.json', { test_files: ['packages/d/d.test.js'] }],
      ],
    ],
    [
      'a root configuration with projects before those of the packages',
      {
        'jest.config.js': "module.exports = { projects: ['<rootDir>/p/*'] }",
        'p/a/jest.config.js': '',
        'p/a/a.test.js': '',
      },
      [
        ['jest', '', 'jest.config.js'],
        ['jest', 'p/a', 'p/a/jest.config.js'],
      ],
    ],
  ])('%s', (_, files, expected) => check(files, expected));
});
