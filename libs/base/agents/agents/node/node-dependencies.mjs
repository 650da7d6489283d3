// What the tests of a file depend on: the modules it loaded, its snapshot file, what was asked of Node, and what the text of
// the modules and of the packages shows.
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { Module } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { mergeReads, nativeCode, unseen } from './node-observe.mjs';
import { isRunner, packageName, packageSigns, readSigns, SOURCE, textOf } from './node-signs.mjs';

/** Tells a graph. Without one no test's dependencies are complete: a failure here is told, and harms nothing. */
export function tellGraph(emit, make) {
  let graph;
  try {
    graph = unseen(make);
  } catch (problem) {
    return emit('note', { message: `The dependencies of tests are not known: ${String(problem).slice(0, 200)}` });
  }
  const { packages, ...fields } = graph;
  if (packages !== undefined && packages.length > 0) emit('packages', { packages });
  emit('module-graph', fields);
}

/** Variables of H's own, and those that tell workers of one run apart. */
const NO_INPUT = /^(?:H_AGENT_PLAN(?:_\d+)?|VITEST_(?:POOL|WORKER)_ID)$/;

/** Tells the variables as they are now, once a run; the values go no further than their hashes. */
export function tellEnvironment(plan, emit) {
  try {
    closeSync(openSync(join(plan.cwd_path, '.h-agent/environment-is-told'), 'wx'));
  } catch {
    return;
  }
  const variables = Object.entries(process.env)
    .filter(([name]) => !NO_INPUT.test(name))
    .map(([name, value]) => ({ name, value_sha: createHash('sha256').update(value).digest('hex') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  emit('environment', { variables });
}

/**
 * The fields of `module-graph` for the tests of one file. `files`: what it loaded, from the root; `packages`: folders of
 * installed packages; `reads`: what was asked of Node outside its tests; `isWatched`: whether that is all.
 */
export function createGraph(plan, testFile, { files, packages, unsure, snapshot, reads = {}, isWatched }) {
  const all = new Set([testFile, ...files]);
  const hasSnapshot = snapshot !== undefined && existsSync(join(plan.root_path, snapshot));
  if (hasSnapshot) all.add(snapshot);
  const modules = [...all].sort().map((file) => ({ file, to: [], ...readSigns(plan, file, isWatched) }));
  const signs = [...packages].map((folder) => packageSigns(plan, folder, isWatched));
  const installed = new Map(signs.flatMap((sign) => sign.packages).map((one) => [`${one.name}@${one.version}`, one]));
  const own = modules.find(({ file }) => file === testFile);
  const { file, to, ...fields } = own;
  Object.assign(
    own,
    mergeReads(
      fields,
      reads,
      { unsure: [...unsure, ...(isWatched ? nativeCode() : [])] },
      ...signs.map(({ unsure: why, env }) => ({ unsure: why, env })),
      { packages: [...installed.keys()] },
      snapshot === undefined || hasSnapshot ? {} : { absent: [snapshot] },
    ),
  );
  for (const [name, list] of Object.entries(own))
    if (name !== 'to' && Array.isArray(list) && list.length === 0) delete own[name];
  return { tests: testFile, import_roots: [], modules, everywhere: [], packages: [...installed.values()] };
}

/** The fields of `module-graph` for the tests of one file of vitest, from the caches of this worker. */
export function fileGraph(plan, relative, testFile, covered, reads, isWatched) {
  const ids = evaluated();
  const files = new Set(covered);
  const packages = new Set();
  const unsure = new Set();
  if (ids === undefined) unsure.add("this vitest's cache of modules could not be read");
  for (const { id, native } of ids ?? []) {
    const path = relative(id);
    if (path === undefined) notePackage(plan, id, packages, unsure);
    else {
      files.add(path);
      if (native && SOURCE.test(path))
        unsure.add(`${path} is loaded by Node itself, which does not tell what it loads`);
    }
  }
  for (const path of requiredFiles(plan, relative, packages, unsure)) files.add(path);
  const snapshot = join(dirname(testFile), '__snapshots__', `${basename(testFile)}.snap`);
  return createGraph(plan, testFile, { files, packages, unsure, snapshot, reads, isWatched });
}

/** Files of the repository that were required, and the packages that they required. */
export function requiredFiles(plan, relative, packages, unsure) {
  const files = [];
  for (const [id, { children }] of Object.entries(Module._cache)) {
    const path = relative(id);
    if (path === undefined) continue; // the runner's own packages are here too
    files.push(path);
    for (const child of children ?? [])
      if (relative(child.id) === undefined) notePackage(plan, child.id, packages, unsure);
  }
  return files;
}

/** The fields of `module-graph` for what the configuration brings to every test. */
export function configGraph(plan, relative, configs) {
  const modules = new Map();
  const note = (path, fields) => {
    const file = relative(path);
    if (file !== undefined) modules.set(file, { ...modules.get(file), file, to: [], ...fields });
  };
  for (const { files, globalSetup, snapshotPath, environment } of configs) {
    for (const file of files)
      note(file, /\b(?:alias|plugins|resolve|tsconfigPaths)\b/.test(textOf(file)) ? { looks: true } : {});
    const unsure = [];
    if (globalSetup.length > 0) unsure.push('a global set-up runs in another process');
    if (snapshotPath) unsure.push('the configuration decides where snapshots lie');
    if (environment !== undefined && !/^(?:node|jsdom|happy-dom|edge-runtime)$/.test(environment))
      unsure.push('the environment of the tests is a package or file of its own');
    if (unsure.length > 0) note(join(plan.cwd_path, 'package.json'), { unsure: unsure.sort() });
    for (const file of globalSetup) note(file, {});
  }
  const list = [...modules.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
  return { import_roots: [], modules: list, everywhere: list.map((_, index) => index) };
}

/** Ids of the modules of this worker, and which of them Node itself loaded; undefined where no cache is known. */
function evaluated() {
  const state = globalThis.__vitest_worker__;
  const map = state?.evaluatedModules?.idToModuleMap ?? state?.moduleCache;
  if (typeof map?.entries !== 'function') return undefined;
  return [...map.entries()].map(([id, node]) => ({
    id: id.replace(/^mock:/, '').replace(/^\/@fs\//, '/'),
    native: node?.meta !== undefined && 'externalize' in node.meta,
  }));
}

/** Takes note of the installed package that a path lies in. */
export function notePackage(plan, id, packages, unsure) {
  const at = id.lastIndexOf('/node_modules/');
  if (at < 0) {
    const path = id.replace(/^file:\/\//, '').replace(/[?#].*$/, '');
    if (path.startsWith('/') && !path.startsWith(`${plan.root_path}/`) && existsSync(path))
      unsure.add('it loads a file that lies outside the repository');
    return;
  }
  const name = packageName(id.slice(at + 14));
  if (!isRunner(name)) packages.add(`${id.slice(0, at + 14).replace(/^file:\/\//, '')}${name}`);
}
