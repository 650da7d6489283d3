// Statement coverage by injection: `globalThis.__h?.(N);` stands before each statement. A stamp holds the count at which
// statement N last ran; a test ran the statements stamped after its start, in the order of the stamps.
import { readFileSync } from 'node:fs';
import { setEnvironmentData } from 'node:worker_threads';
import { takeForeign } from './node-observe.mjs';

const LAST_LINES = 2000;
const { defineProperty } = Object;

/** Statements between two calls of `tick`, less one: a power of two, less one. */
const TICK = 0xffff;

/**
 * Defines `globalThis.__h` from the map that the host left, and gives what reads the stamps. `tick` is called now and then
 * while statements run: the only code that still runs when the target never returns.
 */
export function startCoverage(mapPath, tick) {
  const { total, files, threads } = JSON.parse(readFileSync(mapPath, 'utf8'));
  const stamps = new Float64Array(total);
  // threads have no clock: what they ran is of the test that runs when it is asked for
  const shared = threads === true ? new Uint8Array(new SharedArrayBuffer(total)) : undefined;
  if (shared !== undefined) setEnvironmentData('__h', shared);
  let clock = 0;
  const stamp = (number) => {
    clock += 1;
    stamps[number] = clock;
  };
  const stampAndTick = (number) => {
    clock += 1;
    stamps[number] = clock;
    if ((clock & TICK) === 0) tick();
  };
  defineProperty(globalThis, '__h', {
    value: tick === undefined ? stamp : stampAndTick,
    configurable: true,
    writable: true,
  });
  const atTop = new Uint8Array(total);
  for (const { first, top } of files) for (const index of top) atTop[first + index] = 1;
  const loaded = new Uint8Array(total);
  /** Files that turned out to hold tests: they are not told. */
  const hidden = new Set();

  /** Numbers stamped after `since`, the first `foreign` ones by other processes. A statement of a module's own body counts as loading the first time it runs. */
  function scan(since, imported) {
    // what processes of the target's executed has no order among our own
    const found = [...new Set([...takeForeign(), ...takeThreads()])].filter((number) => stamps[number] <= since);
    found.foreign = found.length;
    for (let number = 0; number < total; number += 1) {
      if (stamps[number] <= since) continue;
      if (atTop[number] === 1 && loaded[number] === 0) {
        loaded[number] = 1;
        imported.add(number);
      } else found.push(number);
    }
    return found;
  }

  /** Statements that threads of the target executed since the last call. */
  function takeThreads() {
    const numbers = [];
    for (let at = shared?.indexOf(1) ?? -1; at !== -1; at = shared.indexOf(1, at + 1)) {
      shared[at] = 0;
      numbers.push(at);
    }
    return numbers;
  }

  function fileOf(number) {
    let low = 0;
    let high = files.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (files[middle].first <= number) low = middle;
      else high = middle;
    }
    return files[low];
  }

  return {
    now: () => clock,
    scan,
    stamp: tick === undefined ? stamp : stampAndTick,
    hide: (file) => hidden.add(file),
    /** Modules are about to be loaded anew. */
    forget: () => loaded.fill(0),
    /** Numbers of the statements that ran at all. */
    stamped: () => [...stamps.keys()].filter((number) => stamps[number] > 0 || shared?.[number] === 1),
    /** `[{ file, lines }]`, sorted by file. */
    lines(numbers) {
      const perFile = new Map();
      for (const number of numbers) {
        const { file, first, lines } = fileOf(number);
        if (hidden.has(file)) continue;
        const set = perFile.get(file) ?? new Set();
        set.add(lines[number - first]);
        perFile.set(file, set);
      }
      return [...perFile.keys()].sort().map((file) => ({ file, lines: ranges(perFile.get(file)) }));
    },
    /** Locations in the order of their last execution after `since`, most recent first. */
    lastLines(since) {
      const order = [];
      for (let number = 0; number < total; number += 1) if (stamps[number] > since) order.push(number);
      order.sort((a, b) => stamps[b] - stamps[a]);
      const seen = new Set();
      for (const number of order) {
        const { file, first, lines } = fileOf(number);
        if (hidden.has(file)) continue;
        seen.add(`${file}:${lines[number - first]}`);
        if (seen.size === LAST_LINES) break;
      }
      return [...seen];
    },
  };
}

/** `{1, 2, 3, 7}` → `"1-3,7"`. */
function ranges(lines) {
  const sorted = [...lines].sort((a, b) => a - b);
  const parts = [];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (sorted[end + 1] === sorted[end] + 1) end += 1;
    parts.push(start === end ? `${sorted[start]}` : `${sorted[start]}-${sorted[end]}`);
    start = end + 1;
  }
  return parts.join(',');
}
