// What the tests of a node:test file depend on. No cache tells which modules Node loaded, so the specifiers in the text of
// the sources are followed: from the test file, and from every source that left a stamp or was required.
import { realpathSync } from 'node:fs';
import { builtinModules, Module } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createGraph } from './node-dependencies.mjs';
import {
  COMPUTED,
  candidatesOf,
  findPackage,
  isFile,
  PATH,
  packageName,
  plainPath,
  SOURCE,
  SPECIFIER,
  textOf,
} from './node-signs.mjs';

/** The fields of `module-graph` for the tests of one file of node:test, which has a process of its own. */
export function sourceGraph(plan, relative, testFile, covered, reads, isWatched) {
  const required = Object.keys(Module._cache).flatMap((id) => relative(id) ?? []);
  const start = [testFile, ...covered, ...required];
  for (const option of plan.node_args ?? [])
    if (/^\.{0,2}\//.test(option)) start.push(...existing(relative, join(plan.cwd_path, option)));
  const led = followSources(plan, relative, start);
  return createGraph(plan, testFile, { ...led, snapshot: `${testFile}.snapshot`, reads, isWatched });
}

/** Every source that some lead to by the specifiers in their text, the packages these name, and what is not certain. */
export function followSources(plan, relative, start) {
  const files = new Set();
  const packages = new Set();
  const unsure = new Set();
  const work = [...start];
  for (let file = work.pop(); file !== undefined; file = work.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    if (!SOURCE.test(file)) continue;
    const text = textOf(join(plan.root_path, file));
    if (COMPUTED.test(text)) unsure.add(`${file} computes the name of a module`);
    for (const [, , specifier] of text.matchAll(SPECIFIER))
      work.push(...follow(plan, relative, file, specifier, packages, unsure));
  }
  return { files, packages, unsure };
}

/** Files of the repository that a specifier in a file may mean. */
function follow(plan, relative, file, specifier, packages, unsure) {
  const folder = join(plan.root_path, dirname(file));
  if (PATH.test(specifier)) return existing(relative, resolve(folder, plainPath(specifier)));
  const name = packageName(specifier);
  if (specifier.startsWith('node:') || builtinModules.includes(specifier)) return [];
  const found = findPackage(folder, name);
  const real = found === undefined ? undefined : realpathSync(found);
  if (real?.includes('/node_modules/')) packages.add(real);
  else unsure.add(`${file} imports ${specifier}, which is no installed package`);
  return [];
}

function existing(relative, path) {
  return candidatesOf(path).flatMap((candidate) => (isFile(candidate) ? (relative(candidate) ?? []) : []));
}
