// What the text of sources and of installed packages shows: the environment variables they read, and signs of reads that
// nobody sees.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export const SOURCE = /\.[cm]?[jt]sx?$/;
export const EXTENSIONS = ['.mjs', '.js', '.mts', '.ts', '.jsx', '.tsx', '.json', '.cjs', '.cts'];
/** Modules whose reads are not watched even where those of `fs` are. */
const UNWATCHED = 'sqlite|wasi';
/** Functions of Node that read past those of `fs`. */
const PAST = /\b(?:loadEnvFile|openAsBlob)\b/;
const READERS = 'fs|fs/promises|child_process|worker_threads|cluster|net|tls|http|https|http2|dgram';
/** What a source imports or requires, as far as its text names it. */
export const SPECIFIER =
  /(?:\bfrom|\bimport|(?:\brequire|\bcreateRequire\([^()\n]*\))(?:\.resolve)?\s*\(|\bimport\s*\(|\bimport\.meta\.resolve\s*\()\s*(["'])([^"'\n]+)\1/g;
/** A specifier that is a path. */
export const PATH = /^(?:\.{0,2}\/|\.{1,2}$|file:)/;
export const COMPUTED = /\b(?:import|require(?:\.resolve)?)\(\s*(?!["'][^"'\n]*["']\s*[,)])[^)]/;
const LOOKS =
  /import\.meta\.glob|\b(?:vi|vitest|jest)\.(?:mock|doMock|unmock|importMock)\(|\bopendir(?:Sync)?\b|[=(,]\s*require\s*[;,)\n]/;
const HERE = String.raw`\bcreateRequire\(\s*(?:import\.meta\.(?:url|filename)|__filename)\s*\)`;
/** Makes a function that `SPECIFIER` knows. */
const MAKES_REQUIRE = new RegExp(`\\brequire\\s*=\\s*(?:\\w+\\.)?${HERE}|${HERE}(?:\\.resolve)?\\(\\s*(?=["'])`, 'g');
/** Makes one by another name, or for another place. */
const MAKES_ANOTHER = /\bcreateRequire\s*(?:\(|as\b|:)/;
const KNOWN = /^(?:vitest|vite|vite-node|chai|expect-type|@vitest\/.*|jest|jest-.*|@jest\/.*|mocha|tsx|ts-node)$/;
const PACKAGE_FILES = 800;
const PACKAGE_BYTES = 16_000_000;
/** Every variable, and which there are. */
const ALL = '*';

const ENV = String.raw`\bprocess\s*(?:\?\.|\.)\s*env\b(?:\?\.|!)?`;
const USES_ENV = new RegExp(`${ENV}|\\bimport\\.meta\\.env\\b`, 'g');
const NAMED = new RegExp(
  `(?:${ENV}|\\bimport\\.meta\\.env\\b)(?:\\.?\\s*([A-Za-z_]\\w*)|\\s*\\[\\s*(["'\`])([A-Za-z_]\\w*)\\2\\s*\\])`,
  'g',
);
const TAKEN_APART = /\{([^{}]*)\}\s*=\s*process\.env\b/g;
const ENV_BY_ANOTHER_NAME =
  /\{[^{}]*\benv\b[^{}]*\}\s*(?:=\s*(?:globalThis\.)?process\b(?!\s*\.)|from\s*["'](?:node:)?process["'])|\bprocess\s*\[\s*["']env["']\s*\]/;

/** Names of the environment variables that a text reads, sorted; `*` where it does not say which. */
export function variablesIn(text) {
  const found = new Set();
  let named = 0;
  for (const [, plain, , quoted] of text.matchAll(NAMED)) {
    named += 1;
    found.add(plain ?? quoted);
  }
  for (const [, list] of text.matchAll(TAKEN_APART)) {
    named += 1;
    for (const part of list.split(',')) {
      const name = /^\s*([A-Za-z_]\w*)\s*(?:[:=]|$)/.exec(part)?.[1];
      if (name !== undefined) found.add(name);
      else if (part.trim() !== '') found.add(ALL);
    }
  }
  if ([...text.matchAll(USES_ENV)].length > named || ENV_BY_ANOTHER_NAME.test(text)) found.add(ALL);
  return [...found].sort();
}

/** Signs in the text of a module; `isWatched`: what it reads through `fs` and the like is seen. */
function unseenIn(text, isWatched) {
  const names = isWatched ? UNWATCHED : `${READERS}|${UNWATCHED}`;
  const reader = new RegExp(`["'\`](?:node:)?(${names})["'\`]`).exec(text)?.[1];
  if (reader !== undefined) return `names ${reader}, which may read unnoticed`;
  const past = PAST.exec(text)?.[0];
  if (past !== undefined) return `names ${past}, which reads unnoticed`;
  return /\bprocess\.(?:binding|dlopen)\b/.test(text) ? 'reaches into Node' : undefined;
}

/** A package may name the modules of Node without using them. */
function unseenInPackage(text, isWatched) {
  const names = isWatched ? UNWATCHED : `${READERS}|${UNWATCHED}`;
  const uses = new RegExp(`(?:require\\(|from|import)\\s*\\(?\\s*["'](?:node:)?(?:${names})["']|process\\.binding\\(`);
  return uses.test(text) || PAST.test(text) ? 'may read unnoticed' : undefined;
}

const texts = new Map();

/** What the text of a source of the repository says of its reads. */
export function readSigns(plan, file, isWatched = false) {
  const known = texts.get(file);
  if (known !== undefined) return { ...known };
  const found = {};
  const isSource = SOURCE.test(file);
  const text = isSource || /\.(?:vue|svelte)$/.test(file) ? textOf(join(plan.root_path, file)) : '';
  const why = unseenIn(text, isWatched);
  const unsure = why === undefined ? [] : [`${file} ${why}`];
  if (!isWatched && /\btoMatchFileSnapshot\b/.test(text)) unsure.push(`${file} compares with files of its own`);
  if (unsure.length > 0) found.unsure = unsure;
  const env = variablesIn(text);
  if (env.length > 0) found.env = env;
  const makes = MAKES_ANOTHER.test(text.replaceAll(MAKES_REQUIRE, ''));
  if (LOOKS.test(text) || COMPUTED.test(text) || makes) found.looks = true;
  if (isSource) found.absent = [...new Set([...rivals(file), ...soughtInVain(plan, file, text)])].sort();
  texts.set(file, found);
  return { ...found };
}

/** Where Node and the runners would find what the text imports or requires and is not there, or names to ask whether it is. */
function soughtInVain(plan, file, text) {
  const found = [];
  for (const [, , specifier] of text.matchAll(SPECIFIER)) {
    if (!PATH.test(specifier)) continue;
    const plain = plainPath(specifier);
    const root = `${plan.root_path}/`;
    const path = plain.startsWith(root) ? plain.slice(root.length) : posix.join(dirname(file), plain);
    if (plain.startsWith('/') !== plain.startsWith(root) || /^\.\.(?:\/|$)/.test(path)) continue;
    const candidates = [...candidatesOf(path), `${path}.node`, posix.join(path, 'index.node')];
    if (!candidates.some((candidate) => isFile(join(plan.root_path, candidate)))) found.push(...candidates);
  }
  return found;
}

/** The path of a specifier. */
export function plainPath(specifier) {
  return specifier.replace(/^file:\/\//, '').replace(/[?#].*$/, '');
}

/** The files that may be meant by a path: itself, with an extension, as a folder, or the TypeScript behind a `.js`. */
export function candidatesOf(path) {
  const stem = path.replace(/\.[cm]?jsx?$/, '');
  const starts = new Set([path, stem, join(path, 'index')]);
  const extended = [...starts].flatMap((start) => EXTENSIONS.map((extension) => start + extension));
  return [path, ...extended, join(path, 'package.json')];
}

export function isFile(path) {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Paths that, once there, would be loaded in the place of this file. */
function rivals(file) {
  const stem = file.replace(/\.[^./]*$/, '');
  const stems = /(?:^|\/)index$/.test(stem) && stem !== 'index' ? [stem, dirname(stem)] : [stem];
  const found = stems.flatMap((name) => EXTENSIONS.map((extension) => name + extension));
  return [stem, ...found].filter((path) => path !== file).sort();
}

/**
 * What a package, and those it depends on, may read: `{ unsure, env, packages }`. Looked through once a run: the answer is
 * kept in the agent's folder.
 */
export function packageSigns(plan, folder, isWatched) {
  const cache = join(plan.cwd_path, '.h-agent/packages');
  const kept = join(cache, `${folder.replace(/[^\w.-]/g, '_')}.json`);
  try {
    return JSON.parse(readFileSync(kept, 'utf8'));
  } catch {}
  const found = scanPackages(folder, isWatched);
  try {
    mkdirSync(cache, { recursive: true });
    writeFileSync(kept, JSON.stringify(found));
  } catch {}
  return found;
}

function scanPackages(folder, isWatched) {
  const seen = new Map();
  const env = new Set();
  const unsure = new Set();
  const work = [folder];
  for (let current = work.pop(); current !== undefined; current = work.pop()) {
    if (seen.has(current)) continue;
    const manifest = textOf(join(current, 'package.json'));
    const name = current.slice(current.lastIndexOf('/node_modules/') + 14);
    const { version = '', ...parts } = parse(manifest);
    seen.set(current, { name, version: String(version), sha: createHash('sha256').update(manifest).digest('hex') });
    const why = scanPackage(current, isWatched, env);
    if (why !== undefined) unsure.add(`the package ${name} ${why}`);
    for (const dependency of Object.keys({
      ...parts.dependencies,
      ...parts.optionalDependencies,
      ...parts.peerDependencies,
    })) {
      const at = findPackage(current, dependency);
      if (at !== undefined && !KNOWN.test(dependency)) work.push(at);
    }
  }
  return { unsure: [...unsure].sort(), env: [...env].sort(), packages: [...seen.values()] };
}

/** Why what a package reads may go unseen. */
function scanPackage(folder, isWatched, env) {
  let bytes = 0;
  let files = 0;
  let why;
  const work = [folder];
  for (let current = work.pop(); current !== undefined; current = work.pop()) {
    for (const entry of entriesOf(current)) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') work.push(path);
      } else if (/\.node$/.test(entry.name) && !isWatched) return 'holds native code';
      else if (/\.[cm]?js$/.test(entry.name)) {
        const text = textOf(path);
        files += 1;
        bytes += text.length;
        why ??= unseenInPackage(text, isWatched);
        for (const name of variablesIn(text)) env.add(name);
        if (files > PACKAGE_FILES || bytes > PACKAGE_BYTES) {
          env.add(ALL);
          return isWatched ? why : 'is too large to look through';
        }
      }
    }
  }
  return why;
}

/** Whether a package is a runner's own: what it reads is no matter of the tests. */
export function isRunner(name) {
  return KNOWN.test(name);
}

export function findPackage(from, name) {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    const found = join(at, 'node_modules', name);
    if (existsSync(found)) return found;
  }
  return undefined;
}

/** `@a/b` of `@a/b/c`, `a` of `a/b`. */
export function packageName(specifier) {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? `${parts[0]}/${parts[1]}` : parts[0];
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function parse(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

export function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
