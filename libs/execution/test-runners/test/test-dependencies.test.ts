import type { LoadedModule, ModuleGraph, Reads } from '@h/agents';
import { hashRecord, parseRecord, REGULAR_FILE, SYMBOLIC_LINK, TestDependencies } from '@h/contracts';
import { describe, expect, it } from 'vitest';
import { dependencyReader } from '../src/test-dependencies.ts';

const shaOf = (path: string) => hashRecord(path);
const entry = (path: string, mode = REGULAR_FILE) => ({ path, mode, sha: shaOf(path) });
const tree = ['a.py', 'b.py', 'c.py', 'conftest.py', 'data/x.txt', 'sub/conftest.py', 'sub/test_b.py', 'test_a.py']
  .map((path) => entry(path))
  .concat(entry('link.py', SYMBOLIC_LINK));

const module = (file: string, to: number[] = [], more: Partial<LoadedModule> = {}): LoadedModule => ({
  file,
  to,
  ...more,
});
const graphOf = (modules: LoadedModule[], more: Partial<ModuleGraph> = {}): ModuleGraph => ({
  event: 'module-graph',
  import_roots: [''],
  modules,
  everywhere: [],
  ...more,
});
const modules = [
  module('a.py', [1]),
  module('b.py', [0]),
  module('c.py'),
  module('conftest.py'),
  module('sub/conftest.py', [2]),
  module('sub/test_b.py', [], { entry: true }),
  module('test_a.py', [0], { entry: true }),
];

function read(graphs: ModuleGraph[], reads: Reads | undefined = {}, file = 'test_a.py', covered: string[] = []) {
  const coverage = covered.map((path) => ({ file: path, lines: '1' }));
  const end = { event: 'test-end' as const, test: 't', file, outcome: 'passed' as const, duration_ms: 1, coverage };
  const found = dependencyReader(graphs, tree)({ ...end, reads });
  if (found === undefined) throw new Error('nothing');
  return parseRecord(TestDependencies, found);
}

/** Paths of the files of a test. */
function check(graphs: ModuleGraph[], expected: string[], reads?: Reads, file?: string, covered?: string[]) {
  expect(read(graphs, reads, file, covered).files.map(({ path }) => path)).toEqual(expected);
}

describe('dependencyReader', () => {
  it('follows modules, also in circles, and the conftest.py files above a test', () => {
    check([graphOf(modules)], ['a.py', 'b.py', 'conftest.py', 'test_a.py']);
    check([graphOf(modules)], ['c.py', 'conftest.py', 'sub/conftest.py', 'sub/test_b.py'], {}, 'sub/test_b.py');
  });

  it('adds what was executed, loaded, and what belongs to every test', () => {
    const few = ['conftest.py', 'sub/conftest.py', 'sub/test_b.py'];
    check([graphOf(modules)], ['a.py', 'b.py', 'c.py', ...few], {}, 'sub/test_b.py', ['b.py']);
    check([graphOf(modules)], ['a.py', 'b.py', 'conftest.py', 'test_a.py'], { loaded: ['a.py'] });
    check([graphOf(modules, { everywhere: [2] })], ['a.py', 'b.py', 'c.py', 'conftest.py', 'test_a.py']);
  });

  it('takes every module but tests where any may be used', () => {
    const all = ['a.py', 'b.py', 'c.py', 'conftest.py', 'sub/conftest.py', 'test_a.py'];
    check([graphOf(modules)], all, { wild: true });
    check([graphOf(modules.map((held, index) => (index === 1 ? { ...held, wild: true } : held)))], all);
  });

  it('takes the whole graph of a file of its own, and none of another file', () => {
    const own = graphOf([module('test_a.py'), module('c.py')], { tests: 'test_a.py' });
    const other = graphOf([module('b.py')], { tests: 'b.py' });
    check([own, other], ['c.py', 'test_a.py']);
  });

  it('gives identities, listings and missing paths by the tree', () => {
    const found = read([graphOf(modules)], {
      opened: ['data/x.txt'],
      absent: ['a.py', 'c.py', 'data', 'none.txt'],
      written: ['out.txt'],
      listed: ['data', 'gone'],
    });
    expect(found.data).toEqual([entry('c.py'), entry('data/x.txt')].map(({ path, sha }) => ({ path, sha })));
    expect(found.listings).toEqual([
      { path: '**', sha: hashRecord(tree.map(({ path }) => path).sort()) },
      { path: 'data', sha: hashRecord(['x.txt']) },
    ]);
    expect(found.missing).toEqual(['none.txt', 'out.txt']);
    expect(found.complete).toBe(true);
  });

  it('names where an outside module could be shadowed, in every root', () => {
    const graph = graphOf([module('test_a.py', [], { tops: ['json'], absent: ['x.py'] })], {
      import_roots: ['', 'src'],
    });
    expect(read([graph]).missing).toEqual(['json', 'json.py', 'src/json', 'src/json.py', 'x.py']);
  });

  it.each<[string, ModuleGraph[], Reads, string]>([
    ['a run that told no modules', [], {}, 'the file of the test was not seen as a module'],
    ['a file of no tree', [graphOf(modules)], { opened: ['made.txt'] }, 'it reads made.txt, which is not in the tree'],
    ['a link', [graphOf(modules)], { opened: ['link.py'] }, 'it reads link.py, which is a link'],
    ['a process', [graphOf(modules)], { children: ['git'] }, 'it starts a process: git'],
    ['doubt', [graphOf(modules)], { unsure: ['who knows'] }, 'who knows'],
  ])('is not complete with %s', (_, graphs, reads, why) => {
    expect(read(graphs, reads)).toMatchObject({ complete: false, why_incomplete: [why] });
  });

  it('lets a test read what it wrote, and installed packages', () => {
    const reads = { opened: ['made.txt', 'env/site-packages/p.txt'], written: ['made.txt'] };
    expect(read([graphOf(modules)], reads)).toMatchObject({ complete: true, data: [] });
  });

  it('says nothing of a test that tells nothing', () => {
    const end = { event: 'test-end' as const, test: 't', file: 'a.py', outcome: 'passed' as const, duration_ms: 1 };
    expect(dependencyReader([], tree)(end)).toBeUndefined();
    expect(dependencyReader([], tree)(undefined)).toBeUndefined();
  });

  it('shares the record of tests that reach the same', () => {
    const reader = dependencyReader([graphOf(modules)], tree);
    const end = {
      event: 'test-end' as const,
      test: 't',
      file: 'test_a.py',
      outcome: 'passed' as const,
      duration_ms: 1,
      reads: {},
    };
    expect(reader(end)).toBe(reader({ ...end, test: 'u' }));
  });
});
