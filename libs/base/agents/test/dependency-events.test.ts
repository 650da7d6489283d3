import { describe, expect, it } from 'vitest';
import { readAgentEvents } from '../src/index.ts';

const graph = {
  event: 'module-graph',
  import_roots: ['', 'src'],
  modules: [
    { file: 'a.py', to: [1], tops: ['json'], absent: ['a/__init__.py'], wild: true, looks: false, unsure: ['x'] },
    { file: 'test_a.py', to: [], entry: true, opened: ['x.txt'], listed: [''], children: ['git'], written: ['y'] },
  ],
  everywhere: [0],
};
const end = { event: 'test-end', test: 't', file: 'a.py', outcome: 'passed', duration_ms: 1 };

function check(event: object, isWell: boolean) {
  expect(readAgentEvents(JSON.stringify(event))).toEqual(
    isWell ? [event] : [{ event: 'unreadable', line: 1, cut: true }],
  );
}

describe('what the agents tell of dependencies', () => {
  it.each<[string, object]>([
    ['a graph', graph],
    ['a graph of one file', { ...graph, tests: 'a.test.ts' }],
    ['reads', { ...end, reads: { loaded: ['a.py'], opened: ['b.txt'], wild: true } }],
    ['variables and packages', { ...end, reads: { env: ['CI', '*'], packages: ['a@1.0.0'], followed: ['node'] } }],
    ['the environment', { event: 'environment', variables: [{ name: 'CI', value_sha: 'a'.repeat(64) }] }],
    ['packages', { event: 'packages', packages: [{ name: 'a', version: '1.0.0', sha: 'b'.repeat(64) }] }],
    ['nothing read', { ...end, reads: {} }],
  ])('takes %s', (_, event) => check(event, true));

  it.each<[string, object]>([
    ['an index outside the modules', { ...graph, everywhere: [2] }],
    ['an edge outside the modules', { ...graph, modules: [{ file: 'a.py', to: [7] }] }],
    ['a negative index', { ...graph, everywhere: [-1] }],
    ['a module without a file', { ...graph, modules: [{ to: [] }] }],
    ['a list that holds no text', { ...graph, modules: [{ file: 'a.py', to: [], opened: [1] }] }],
    ['a flag that is none', { ...graph, modules: [{ file: 'a.py', to: [], wild: 'yes' }] }],
    ['no import roots', { ...graph, import_roots: undefined }],
    ['reads that are no record', { ...end, reads: [] }],
    ['a value in the clear', { event: 'environment', variables: [{ name: 'CI', value_sha: 'true' }] }],
    ['a package without a version', { event: 'packages', packages: [{ name: 'a', sha: 'b'.repeat(64) }] }],
    ['reads with a number', { ...end, reads: { listed: [1] } }],
  ])('does not take %s', (_, event) => check(event, false));
});
