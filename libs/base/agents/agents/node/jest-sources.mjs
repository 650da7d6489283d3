// What the tests of a jest file depend on: every file that jest's module system read for it.
import { basename, dirname, join } from 'node:path';
import { createGraph, notePackage, requiredFiles, tellGraph } from './node-dependencies.mjs';
import { mergeReads } from './node-observe.mjs';
import { coveredBy, emit, isWatched, plan, relative, takeLoose } from './node-record.mjs';

const { apply } = Reflect;
/** What was read before the first test file: configuration, and what it leads to. */
let start;

/** Watches which files the runtime of a test file reads; `tell` tells the graph of its tests. */
export function watchFiles(runtime, testFile) {
  start ??= takeLoose({ isStart: true });
  const read = new Set();
  // jest 30 has a cache of its own for that
  for (const holder of [runtime, runtime.fileCache])
    for (const name of ['readFile', 'readFileBuffer']) watchMethod(holder, name, (path) => read.add(String(path)));
  return {
    tell: () => {
      const reads = mergeReads(start, takeLoose());
      const own = internalPaths(runtime);
      const loaded = [...read].filter((path) => !own.has(path));
      tellGraph(emit, () => graphOf(testFile, loaded, reads));
    },
  };
}

/** Modules that jest itself loads into the realm of the tests, and the tests do not. */
function internalPaths(runtime) {
  const internal = runtime._internalModuleRegistry ?? runtime.registries?.internalModuleRegistry;
  const shared = runtime._moduleRegistry ?? runtime.registries?.moduleRegistry;
  return new Set([...(internal?.keys() ?? [])].filter((path) => shared?.has(path) !== true));
}

function watchMethod(holder, name, tell) {
  const method = holder?.[name];
  if (typeof method !== 'function') return;
  holder[name] = function (...args) {
    tell(args[0]);
    return apply(method, this, args);
  };
}

function graphOf(testFile, read, reads) {
  const packages = new Set();
  const unsure = new Set();
  const files = new Set(coveredBy(testFile));
  for (const path of read) {
    const file = relative(path);
    if (file === undefined) notePackage(plan, path, packages, unsure);
    else files.add(file);
  }
  for (const file of requiredFiles(plan, relative, packages, unsure)) files.add(file);
  const snapshot = join(dirname(testFile), '__snapshots__', `${basename(testFile)}.snap`);
  return createGraph(plan, testFile, { files, packages, unsure, snapshot, reads, isWatched });
}
