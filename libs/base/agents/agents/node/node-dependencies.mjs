// What the tests of a vitest file depend on: the modules its worker loaded, its snapshot file, and the signs, in their
// text, of reads that nobody sees. Nothing of Node is wrapped.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Module } from 'node:module';
import { basename, dirname, join } from 'node:path';

export const SOURCE = /\.[cm]?[jt]sx?$/;
export const EXTENSIONS = ['.mjs', '.js', '.mts', '.ts', '.jsx', '.tsx', '.json', '.cjs', '.cts'];
const READERS = 'fs|fs/promises|child_process|worker_threads|cluster|net|tls|http|https|http2|dgram|sqlite';
const NAMES_READER = new RegExp(`["'\`](?:node:)?(${READERS})["'\`]`);
const USES_READER = new RegExp(
  `(?:require\\(|from|import)\\s*\\(?\\s*["'](?:node:)?(?:${READERS})["']|process\\.binding\\(`,
);
export const COMPUTED = /\b(?:import|require)\(\s*(?!["'][^"'\n]*["']\s*[,)])[^)]/;
const LOOKS = /import\.meta\.glob|\b(?:vi|vitest|jest)\.(?:mock|doMock|unmock|importMock)\(/;
const KNOWN = /^(?:vitest|vite|vite-node|chai|expect-type|@vitest\/.*)$/;
const PACKAGE_FILES = 800;
const PACKAGE_BYTES = 16_000_000;

/** Tells a graph. Without one no test's dependencies are complete: a failure here is told, and harms nothing. */
export function tellGraph(emit, make) {
  let graph;
  try {
    graph = make();
  } catch (problem) {
    return emit('note', { message: `The dependencies of tests are not known: ${String(problem).slice(0, 200)}` });
  }
  emit('module-graph', graph);
}

/** The fields of `module-graph` for the tests of one file, from the caches of this worker. */
export function fileGraph(plan, relative, testFile, covered) {
  const ids = evaluated();
  const files = new Set([testFile, ...covered]);
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
  for (const [id, { children }] of Object.entries(Module._cache)) {
    const path = relative(id);
    if (path === undefined) continue; // vitest's own packages are here too
    files.add(path);
    for (const child of children ?? [])
      if (relative(child.id) === undefined) notePackage(plan, child.id, packages, unsure);
  }
  for (const folder of packages) for (const why of signsOf(plan, folder)) unsure.add(why);
  const snapshot = join(dirname(testFile), '__snapshots__', `${basename(testFile)}.snap`);
  const hasSnapshot = existsSync(join(plan.root_path, snapshot));
  if (hasSnapshot) files.add(snapshot);
  const modules = [...files].sort().map((file) => ({ file, to: [], ...readSigns(plan, file) }));
  const own = modules.find(({ file }) => file === testFile);
  if (!hasSnapshot) own.absent = [...(own.absent ?? []), snapshot].sort();
  if (unsure.size > 0) own.unsure = [...new Set([...(own.unsure ?? []), ...unsure])].sort();
  return { tests: testFile, import_roots: [], modules, everywhere: [] };
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

function notePackage(plan, id, packages, unsure) {
  const at = id.lastIndexOf('/node_modules/');
  if (at < 0) {
    const path = id.replace(/^file:\/\//, '').replace(/[?#].*$/, '');
    if (path.startsWith('/') && !path.startsWith(`${plan.root_path}/`) && existsSync(path))
      unsure.add('it loads a file that lies outside the repository');
    return;
  }
  const name = packageName(id.slice(at + 14));
  if (!KNOWN.test(name)) packages.add(`${id.slice(0, at + 14).replace(/^file:\/\//, '')}${name}`);
}

/** `@a/b` of `@a/b/c`, `a` of `a/b`. */
export function packageName(specifier) {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? `${parts[0]}/${parts[1]}` : parts[0];
}

const texts = new Map();

export function readSigns(plan, file) {
  const known = texts.get(file);
  if (known !== undefined) return { ...known };
  const found = {};
  const source = SOURCE.test(file);
  const text = source || /\.(?:vue|svelte)$/.test(file) ? textOf(join(plan.root_path, file)) : '';
  const reader = NAMES_READER.exec(text)?.[1];
  const unsure = [];
  if (reader !== undefined) unsure.push(`${file} names ${reader}, which may read unnoticed`);
  if (/\btoMatchFileSnapshot\b/.test(text)) unsure.push(`${file} compares with files of its own`);
  if (/\bprocess\.(?:binding|dlopen)\b/.test(text)) unsure.push(`${file} reaches into Node`);
  if (unsure.length > 0) found.unsure = unsure;
  if (LOOKS.test(text) || COMPUTED.test(text)) found.looks = true;
  if (source) found.absent = rivals(file);
  texts.set(file, found);
  return { ...found };
}

/** Paths that, once there, would be loaded in the place of this file. */
function rivals(file) {
  const stem = file.replace(/\.[^./]*$/, '');
  const stems = /(?:^|\/)index$/.test(stem) && stem !== 'index' ? [stem, dirname(stem)] : [stem];
  const found = stems.flatMap((name) => EXTENSIONS.map((extension) => name + extension));
  return [stem, ...found].filter((path) => path !== file).sort();
}

/** Whether a package, or one it depends on, uses what may read unnoticed. Once a run: the answer is kept in the agent's folder. */
export function signsOf(plan, folder) {
  const cache = join(plan.cwd_path, '.h-agent/packages');
  const kept = join(cache, `${folder.replace(/[^\w.-]/g, '_')}.json`);
  try {
    return JSON.parse(readFileSync(kept, 'utf8'));
  } catch {}
  const found = scanPackages(folder);
  try {
    mkdirSync(cache, { recursive: true });
    writeFileSync(kept, JSON.stringify(found));
  } catch {}
  return found;
}

function scanPackages(folder) {
  const seen = new Set();
  const work = [folder];
  while (work.length > 0) {
    const current = work.pop();
    if (seen.has(current)) continue;
    seen.add(current);
    const name = current.slice(current.lastIndexOf('/node_modules/') + 14);
    const why = scanPackage(current, name);
    if (why !== undefined) return [why];
    for (const dependency of dependenciesOf(current)) {
      const at = findPackage(current, dependency);
      if (at !== undefined && !KNOWN.test(dependency)) work.push(at);
    }
  }
  return [];
}

function scanPackage(folder, name) {
  let bytes = 0;
  let files = 0;
  const work = [folder];
  while (work.length > 0) {
    const current = work.pop();
    for (const entry of entriesOf(current)) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') work.push(path);
      } else if (/\.node$/.test(entry.name)) return `the package ${name} holds native code`;
      else if (/\.[cm]?js$/.test(entry.name)) {
        const text = textOf(path);
        files += 1;
        bytes += text.length;
        if (USES_READER.test(text)) return `the package ${name} may read unnoticed`;
        if (files > PACKAGE_FILES || bytes > PACKAGE_BYTES) return `the package ${name} is too large to look through`;
      }
    }
  }
  return undefined;
}

function dependenciesOf(folder) {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies });
  } catch {
    return [];
  }
}

export function findPackage(from, name) {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    const found = join(at, 'node_modules', name);
    if (existsSync(found)) return found;
  }
  return undefined;
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

export function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
