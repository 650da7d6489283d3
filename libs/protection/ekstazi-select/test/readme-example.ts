import { selectTests } from '../src/index.ts';

const tree = {
  'shop.py': 'a'.repeat(64),
  'tax.py': 'b'.repeat(64),
  'test_shop.py': 'c'.repeat(64),
  'test_tax.py': 'd'.repeat(64),
};
const entries = (files: Record<string, string>) => Object.entries(files).map(([path, sha]) => ({ path, sha }));
const test = (name: string, file: string, reads: (keyof typeof tree)[]) => {
  const files = reads.map((path) => ({ path, sha: tree[path] }));
  const nothing = { data: [], env: [], listings: [], missing: [], children: [], packages: [] };
  return { test: name, file, outcome: 'passed' as const, dependencies: { files, ...nothing, complete: true } };
};
const tests = [
  test('test_shop', 'test_shop.py', ['shop.py', 'tax.py', 'test_shop.py']),
  test('test_tax', 'test_tax.py', ['tax.py', 'test_tax.py']),
];
const baseline = { runner: 'pytest', environment: 'e'.repeat(64), execution_ids: [], tests, collection_errors: [] };

const after = { ...tree, 'shop.py': 'f'.repeat(64) }; // the patch changes shop.py
const selection = selectTests({ baseline, before: entries(tree), after: entries(after), tests });
console.log(selection.selected); // [{ test: 'test_shop', why: 'shop.py was changed' }]
console.log(selection.skipped); // [{ test: 'test_tax', reason: 'unrun-by-reachability', witness: ['bbb…', 'ddd…'] }]
console.log(selection.safe); // true
