// Value probes: what `const P=globalThis.__hp?.(…)` and `P?.…` in an injected program do. One line of JSON per step goes to the
// events file (its form: src/probe-events.ts of @h/agents).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { placeLogpoints } from './node-logpoints.mjs';
import { createEnter } from './node-probe-frames.mjs';
import { createWriter } from './node-probe-writer.mjs';
import { dump, makeRoom, openStream } from './node-thin.mjs';

const TABLE = 'probe-table.json';

const { defineProperty } = Object;
const { stringify, parse } = JSON;

/**
 * Defines `globalThis.__hp` when a probe table lies in `folder`; else gives `undefined`. `test` tells the test under way: nothing
 * is written before the first one, since a process that only loads what is probed has nothing to say beside one that runs
 * it. `flush` writes what is held back.
 */
export function startProbes(folder) {
  const table = readTable(join(folder, TABLE));
  if (table === undefined) return undefined;
  const stream = openStream(table);
  const room = (need) => makeRoom(stream, need);
  const writer = createWriter(folder, table.max_bytes - 2 * stream.eighth, room, () => dump(stream, writer));
  const enter = createEnter(table, writer, stream);
  defineProperty(globalThis, '__hp', { value: enter, configurable: true, writable: true });
  placeLogpoints(table, enter, (message) => writer.line(stringify(['n', message])));
  process.on('exit', () => {
    dump(stream, writer);
    writer.exit();
  });
  return {
    test(name) {
      dump(stream, writer);
      if (name !== undefined) writer.claim();
      writer.context(name === undefined ? '["t"]' : `["t",${stringify(name)}]`);
    },
    flush: writer.flush,
  };
}

function readTable(path) {
  if (!existsSync(path)) return undefined;
  const table = parse(readFileSync(path, 'utf8'));
  if (table.protocol !== 1) throw new Error(`The probe table has protocol ${table.protocol}; these agents speak 1.`);
  return table;
}
