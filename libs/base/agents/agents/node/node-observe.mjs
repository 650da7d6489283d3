// Which files, folders and processes the program asks Node for. What `fs` and `child_process` call in C++ is watched, so
// that their own functions stay as they are, also for whoever compares, replaces or prints them.
import fs from 'node:fs';
import { Module } from 'node:module';
import { normalize } from 'node:path';
import { followChild, readLeft } from './node-children.mjs';

const WRITES = 3; // O_WRONLY or O_RDWR
const WRITES_ONLY = 1;
const { apply } = Reflect;
const { lstatSync } = fs;
const workingFolder = process.cwd;
/** Functions that open a file, ask about a path, list a folder, or change what is there: by the place of the path. */
const OPENS = ['open', 'openFileHandle'];
const READS = ['readFileUtf8', 'copyFile'];
const LOOKS = ['stat', 'lstat', 'access', 'existsSync', 'readlink', 'realpath', 'internalModuleStat', 'statfs'];
const LISTS = ['readdir'];
const WRITERS = ['writeFileUtf8'];
/** These fail or not by what is there. */
const CHANGES = ['unlink', 'rmdir', 'rmSync', 'mkdir', 'mkdtemp', 'chmod', 'utimes', 'lutimes'];
/** Both of their paths change. */
const MOVES = ['rename', 'link', 'symlink'];
/** Paths that lead anywhere. */
const BY_NUMBER = /^\/+(?:proc\/(?:self|thread-self|\d+)\/(?:task\/\d+\/)?(?:fd|cwd|root)|dev\/fd)\/+./;
/** Folders are copied in one call. */
const COPIES = ['cpSyncCheckPaths', 'cpSyncCopyDir', 'cpSyncOverrideFile'];
/** Native code that the runners themselves load. */
const KNOWN_NATIVE =
  /\/(?:@swc|@unrs|unrs-resolver|@rolldown|rolldown|@oxc-[^/]*|esbuild|lightningcss[^/]*|fsevents|@esbuild)\//;

const NAMES = ['opened', 'asked', 'absent', 'written', 'listed', 'children', 'followed', 'unsure'];
/** Of a process that was followed. */
const LOADED = ['loaded', 'env', 'packages'];

/** Nothing was asked for. */
const NOTHING = Object.freeze({});

let seen = fresh();
/** Processes that were started since the last call of `takeReads`, by the name of the file they leave: `{ argv0, isDone }`. */
let started = new Map();
/** Statements that such processes executed, and nobody was credited with yet. */
let foreign = [];
/** What H itself reads is not the target's. */
let isOurs = false;

function fresh() {
  return Object.fromEntries([...NAMES, ...LOADED].map((name) => [name, new Set()]));
}

/**
 * What was asked for since the last call, as the fields of `reads`; sets without anything are left out. `isStart`: only files
 * that were read count, since a runner looks at every path of the repository when it starts.
 */
export function takeReads({ isStart = false } = {}) {
  collectChildren();
  if (started.size === 0 && Object.values(seen).every((set) => set.size === 0)) return NOTHING;
  for (const { argv0, isDone } of started.values()) (isDone ? seen.followed : seen.children).add(argv0);
  started = new Map();
  const { asked, ...sets } = seen;
  const reads = {};
  for (const path of isStart ? [] : asked) sets.opened.add(path);
  for (const [name, set] of Object.entries(sets))
    if (set.size > 0 && !(isStart && (name === 'listed' || name === 'children'))) reads[name] = [...set].sort();
  seen = fresh();
  return reads;
}

export function mergeReads(...all) {
  const [first, ...others] = all;
  // most tests read nothing
  if (first !== undefined && others.every((reads) => reads === NOTHING)) return first;
  const merged = {};
  for (const reads of all)
    for (const [name, value] of Object.entries(reads ?? {}))
      merged[name] = value === true ? true : [...new Set([...(merged[name] ?? []), ...value])].sort();
  return merged;
}

/** Numbers of the statements that processes of Node executed which the target started, once each. */
export function takeForeign() {
  collectChildren();
  if (foreign.length === 0) return [];
  const numbers = foreign;
  foreign = [];
  return numbers;
}

/** What a process that has ended left is of whoever started it. */
function collectChildren() {
  for (const [path, child] of started) {
    if (child.isDone) continue;
    const left = unseen(() => readLeft(path));
    if (left === undefined) continue;
    child.isDone = true;
    foreign.push(...left.hits);
    for (const [name, list] of Object.entries(left.reads)) for (const item of list) seen[name].add(item);
  }
}

/** Runs what is H's own, and must not be told. Synchronous. */
export function unseen(action) {
  isOurs = true;
  try {
    return action();
  } finally {
    isOurs = false;
  }
}

/** Whether native code that nobody watches was loaded. */
export function nativeCode() {
  const found = Object.keys(Module._cache).filter((path) => path.endsWith('.node') && !KNOWN_NATIVE.test(path));
  return found.map((path) => `native code was loaded: ${path.slice(path.lastIndexOf('/') + 1)}`);
}

/** Starts to watch; false where this Node does not let us. */
export function startObserver(relative, plan) {
  try {
    watchFiles(process.binding('fs'), relative);
    watchProcesses(plan);
  } catch {
    return false;
  }
  process.on('worker', (worker) => {
    // Node runs the hooks of loaders in threads of its own kind
    if (worker?.constructor?.name !== 'InternalWorker') seen.unsure.add('it starts a thread, which reads by itself');
  });
  return true;
}

function watchFiles(binding, relative) {
  const inside = (path) => {
    const text = typeof path === 'string' ? path : path instanceof Uint8Array ? String(Buffer.from(path)) : undefined;
    if (text === undefined || text === '') return undefined;
    if (BY_NUMBER.test(text)) seen.unsure.add('it reads by the number of an open file');
    return relative(normalize(text.startsWith('/') ? text : `${workingFolder()}/${text}`));
  };
  const ask = (path, into) => {
    const file = inside(path);
    if (file === undefined || file === '' || into.has(file)) return;
    const found = unseen(() => lstatSync(path, { throwIfNoEntry: false }));
    if (found === undefined) seen.absent.add(file);
    else if (!found.isDirectory()) into.add(file);
  };
  const change = (path) => {
    const file = inside(path);
    if (file !== undefined) seen.written.add(file);
  };
  watch(binding, OPENS, (path, flags) => {
    if ((flags & WRITES) !== WRITES_ONLY) ask(path, seen.opened);
    if ((flags & WRITES) !== 0) change(path);
  });
  watch(binding, READS, (path) => ask(path, seen.opened));
  watch(binding, ['copyFile'], (_, path) => change(path));
  watch(binding, LOOKS, (path, second) => ask(inside(path) === undefined ? second : path, seen.asked));
  watch(binding, LISTS, (path) => {
    const folder = inside(`${path}/`)?.replace(/\/$/, '');
    if (folder === undefined) return;
    const isThere = unseen(() => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
    (isThere ? seen.listed : seen.absent).add(folder);
  });
  watch(binding, COPIES, () => seen.unsure.add('it copies folders at once'));
  const affect = (path) => {
    const file = inside(path);
    if (file === undefined) return;
    seen.written.add(file);
    seen.listed.add(file.replace(/\/$/, ''));
  };
  watch(binding, WRITERS, change);
  watch(binding, CHANGES, affect);
  watch(binding, MOVES, (from, to) => {
    affect(from);
    affect(to);
  });
}

/** Tells of each call of some functions of a binding; a failure to tell harms nothing. */
function watch(binding, names, tell) {
  for (const name of names) {
    const original = binding[name];
    if (typeof original !== 'function') continue;
    binding[name] = function (...args) {
      try {
        if (!isOurs) apply(tell, undefined, args);
      } catch {
        seen.unsure.add(`a call of ${name} could not be understood`);
      }
      return apply(original, this, args);
    };
  }
}

function watchProcesses(plan) {
  const start = (options) => {
    const argv0 = String(options?.args?.[0] ?? options?.file ?? '?');
    const path = followChild(options, plan);
    if (path === undefined) seen.children.add(argv0);
    else started.set(path, { argv0, isDone: false });
  };
  watch(process.binding('process_wrap').Process.prototype, ['spawn'], start);
  watch(process.binding('spawn_sync'), ['spawn'], start);
  const connect = () => seen.unsure.add('it opens a connection');
  watch(process.binding('tcp_wrap').TCP.prototype, ['connect', 'connect6'], connect);
  watch(process.binding('pipe_wrap').Pipe.prototype, ['connect'], connect);
  watch(process.binding('udp_wrap').UDP.prototype, ['send', 'send6', 'connect', 'connect6'], connect);
  watch(process.binding('fs_event_wrap').FSEvent.prototype, ['start'], () => seen.unsure.add('it watches files'));
}
