// What the tests of a node:test file depend on. No cache tells which modules Node loaded, so the specifiers in the text of
// the sources are followed: from the test file, and from every source that left a stamp or was required.
import { realpathSync, statSync } from 'node:fs';
import { builtinModules, Module } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createGraph } from './node-dependencies.mjs';
import { COMPUTED, EXTENSIONS, findPackage, packageName, SOURCE, textOf } from './node-signs.mjs';

const SPECIFIER =
  /(?:\bfrom|\bimport|\brequire(?:\.resolve)?\s*\(|\bimport\s*\(|\bimport\.meta\.resolve\s*\()\s*(["'])([^"'\n]+)\1/g;

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
  if (/^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier)) {
    const plain = specifier.replace(/^file:\/\//, '').replace(/[?#].*$/, '');
    return existing(relative, resolve(folder, plain));
  }
  const name = packageName(specifier);
  if (specifier.startsWith('node:') || builtinModules.includes(specifier)) return [];
  const found = findPackage(folder, name);
  const real = found === undefined ? undefined : realpathSync(found);
  if (real?.includes('/node_modules/')) packages.add(real);
  else unsure.add(`${file} imports ${specifier}, which is no installed package`);
  return [];
}

/** The files that may be meant by a path: itself, with an extension, as a folder, or the TypeScript behind a `.js`. */
function existing(relative, path) {
  const stem = path.replace(/\.[cm]?jsx?$/, '');
  const candidates = [
    path,
    ...[path, stem, join(path, 'index')].flatMap((start) => EXTENSIONS.map((extension) => start + extension)),
  ];
  candidates.push(join(path, 'package.json'));
  return candidates.flatMap((candidate) => (isFile(candidate) ? (relative(candidate) ?? []) : []));
}

function isFile(path) {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
