// What the tests of mocha depend on. All files are loaded into one process, so what is read outside tests is everybody's.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createGraph, requiredFiles, tellGraph } from './node-dependencies.mjs';
import { mergeReads, unseen } from './node-observe.mjs';
import { coverage, coveredBy, emit, isWatched, plan, relative, takeLoose } from './node-record.mjs';
import { followSources } from './node-sources.mjs';

const CONFIGS = ['.js', '.cjs', '.mjs', '.yaml', '.yml', '.jsonc', '.json'].map((end) => `.mocharc${end}`);
/** Sources that were loaded before the first test file: what the configuration requires. */
let first;
/** What was read until then; mocha itself looks for test files. */
let start;

/** The test files are about to be loaded. */
export function endStart() {
  if (coverage === undefined) return;
  start = takeLoose({ isStart: true });
  first = unseen(() => [
    ...coverage.lines(coverage.stamped()).map(({ file }) => file),
    ...requiredFiles(plan, relative, new Set(), new Set()),
  ]);
}

/** Tells the graph of each test file. */
export function tellGraphs(testFiles) {
  if (coverage === undefined) return;
  const reads = mergeReads(start, takeLoose(), configuration());
  for (const testFile of testFiles)
    tellGraph(emit, () => {
      const led = followSources(plan, relative, [testFile, ...coveredBy(testFile), ...(first ?? [])]);
      return createGraph(plan, testFile, { ...led, reads, isWatched });
    });
}

function configuration() {
  const found = { opened: [], absent: [] };
  for (const name of [...CONFIGS, 'package.json']) {
    const path = join(plan.cwd_path, name);
    const file = relative(path);
    if (file !== undefined) found[unseen(() => existsSync(path)) ? 'opened' : 'absent'].push(file);
  }
  return found;
}
