// Value probes: what `const P=globalThis.__hp?.(…)` and `P?.…` in an injected program do. One line of JSON per step goes to the
// events file (its form: src/probe-events.ts of @h/agents). Everything used is bound at load, before the target can replace it.
import fs from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { valueText } from './node-values.mjs';

export const TABLE = 'probe-table.json';
export const EVENTS = 'probe-events.ndjson';
const LOCK = 'probe-events.lock';

/** So many lines are written one by one, so that even a killed process leaves them; later ones in blocks. */
const SINGLE_LINES = 8192;
const BLOCK_UNITS = 16384;
const LAST_LINE = '["c"]\n';

const { appendFileSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } = fs;
const { defineProperty } = Object;
const { stringify, parse } = JSON;
const { byteLength } = Buffer;

/** Kinds of activation, as bits: some way out of it is not seen; its arguments came earlier than it starts. */
const LOOSE = 1;
const GENERATOR = 2;
/** A name that is not bound, or may not be read. */
const UNBOUND = Symbol('unbound');
const NONE = [];

/**
 * Defines `globalThis.__hp` when a probe table lies in `folder`; else gives `undefined`. `test` tells the test under way: nothing
 * is written before the first one, since a process that only loads what is probed has nothing to say beside one that runs
 * it. `flush` writes what is held back.
 */
export function startProbes(folder) {
  const table = readTable(join(folder, TABLE));
  if (table === undefined) return undefined;
  const writer = createWriter(folder, table.max_bytes);
  defineProperty(globalThis, '__hp', { value: createEnter(table, writer), configurable: true, writable: true });
  process.on('exit', writer.exit);
  return {
    test(name) {
      if (name !== undefined) writer.claim();
      writer.context(name === undefined ? '["t"]\n' : `["t",${stringify(name)}]\n`);
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

/** Lines to the events file, until a limit is reached. A head stands before the first line. */
function createWriter(folder, maxBytes) {
  const path = join(folder, EVENTS);
  let file;
  let held = '["h",1,"node"]\n';
  let context = '';
  let written = 0;
  let lines = 0;
  let isOurs = false;
  /** A limit is reached: nothing more is taken. */
  let isFull = false;
  /** Another process writes, or the file cannot be written. */
  let isSilent = false;

  const write = (mode) => {
    const text = held;
    held = '';
    try {
      file ??= openSync(path, mode);
      written += writeSync(file, text);
    } catch {
      isSilent = true;
    }
  };

  const flush = () => {
    if (isOurs && !isSilent && lines > 0 && held !== '') write('a');
  };

  const fits = (line) => {
    // three bytes a unit is the most
    if (written + (held.length + line.length) * 3 + LAST_LINE.length <= maxBytes) return true;
    return written + byteLength(held) + byteLength(line) + LAST_LINE.length <= maxBytes;
  };

  const end = () => {
    if (isFull) return;
    isFull = true;
    held += LAST_LINE;
    lines += 1;
    flush();
  };

  const add = (text) => {
    if (isFull || isSilent) return;
    if (!fits(text)) {
      end();
      return;
    }
    held += text;
    lines += 1;
    if (lines < SINGLE_LINES || held.length > BLOCK_UNITS) flush();
  };

  return {
    line(text) {
      if (context !== '') {
        add(context);
        context = '';
      }
      add(text);
    },
    /** Written only where an event follows. */
    context(text) {
      context = text;
    },
    /** This process is the one that writes, unless another one that still runs is. */
    claim() {
      if (isOurs || isSilent) return;
      isOurs = takeLock(join(folder, LOCK));
      isSilent = !isOurs;
      if (isSilent)
        appendFileSync(path, '["n","a second process ran tests at the same time: its statements are not recorded"]\n');
      flush();
    },
    flush,
    /** Whoever never ran a test speaks only where nobody else did. */
    exit() {
      if (isOurs) flush();
      else if (!isSilent && lines > 0) write('ax');
    },
    end,
    isStopped: () => isFull || isSilent,
  };
}

function takeLock(path) {
  try {
    writeFileSync(path, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch {
    // it was taken, maybe by a process that is no more
  }
  const owner = Number(readFileSync(path, 'utf8'));
  try {
    if (owner !== process.pid) process.kill(owner, 0);
    return false;
  } catch {
    writeFileSync(path, `${process.pid}`);
    return true;
  }
}

/** The function that each activation of a probed function calls first. */
function createEnter(table, writer) {
  const specs = [];
  for (let file = 0; file < table.files.length; file += 1) {
    const { probes } = table.files[file];
    for (let index = 0; index < probes.length; index += 1) specs[probes[index].n] = probes[index];
  }
  const told = new Uint8Array(specs.length);
  const { line, end, isStopped } = writer;
  const maxEvents = table.max_events;
  let ids = 0;
  let frames = 0;
  /** Innermost activation that runs, as far as that is known. */
  let top;

  const tell = (n) => {
    told[n] = 1;
    line(`["p",${n},${stringify(specs[n].before)},${stringify(specs[n].after)}]\n`);
  };

  /** Number of a new event; -1: nothing is to be recorded. */
  const open = (n) => {
    if (isStopped() || n >= told.length || specs[n] === undefined) return -1;
    if (ids >= maxEvents) {
      end();
      return -1;
    }
    if (told[n] === 0) tell(n);
    const id = ids;
    ids += 1;
    return id;
  };

  const pop = () => {
    const { under } = top;
    top.isLive = false;
    top.under = undefined;
    top = under;
  };

  const leave = (frame) => {
    if (!frame.isLive) return;
    while (top !== frame) pop();
    pop();
  };

  /** Whatever lies above it has ended or waits. */
  const run = (frame) => {
    if (frame.isLive) {
      while (top !== frame) pop();
      return;
    }
    // one activation that is not certain is enough to say that nothing is
    while (frame.isLoose && top !== undefined && top.isLoose) pop();
    frame.under = top;
    frame.isLive = true;
    top = frame;
  };

  const begin = (frame, n, values) => {
    if (top !== frame) run(frame);
    frame.n = n;
    frame.id = open(n);
    if (frame.id !== -1) line(`["b",${frame.id},${n},${frame.serial}${list(values)}]\n`);
  };

  const decide = (frame, n, branch, values) => {
    if (top !== frame) run(frame);
    if (frame.n !== n) return;
    if (frame.id !== -1) line(`["k",${frame.id},"${branch}"${list(values)}]\n`);
    frame.n = -1;
    frame.id = -1;
  };

  class Frame {
    serial = frames++;
    /** Probe and event of the statement under way; -1: none. */
    n = -1;
    id = -1;
    isLive = false;
    under = undefined;

    constructor(kind) {
      this.isLoose = (kind & LOOSE) !== 0;
      this.isGenerator = (kind & GENERATOR) !== 0;
      run(this);
    }

    get u() {
      return UNBOUND;
    }

    /** Guarded read. */
    g(read) {
      try {
        return read();
      } catch {
        return UNBOUND;
      }
    }

    /** A function was entered with these parameters. */
    e(n, ...values) {
      const id = open(n);
      if (id === -1) return;
      const { under } = this;
      const isKnown = under !== undefined && !under.isLoose && !this.isGenerator && under.id !== -1;
      const caller = isKnown ? `,${under.id}` : '';
      line(`["e",${id},${n},${this.serial},[${texts(values)}]${caller}]\n`);
    }

    /** A statement begins. */
    b(n, ...values) {
      begin(this, n, values);
    }

    /** It completed. */
    a(n, ...values) {
      if (top !== this) run(this);
      if (this.n === n && this.id !== -1) line(`["a",${this.id}${list(values)}]\n`);
      this.n = -1;
      this.id = -1;
    }

    /** A statement that completes by being reached. */
    o(n, ...values) {
      begin(this, n, values);
      this.a(n);
    }

    /** The header under way took a branch; nothing when none is: it was reached by falling through, or by a `break`. */
    k(n, branch, ...values) {
      decide(this, n, branch, values);
    }

    /** A loop's header is evaluated, or is so already. */
    l(n, ...values) {
      if (this.n !== n) begin(this, n, values);
    }

    /** A loop's body begins. */
    i(n, ...values) {
      if (this.n !== n) begin(this, n, NONE);
      decide(this, n, 'iteration', values);
    }

    /** The `return` under way gives a value. */
    r(n, value, ...values) {
      if (top !== this) run(this);
      if (this.n === n && this.id !== -1) line(`["r",${this.id},${valueText(value)}${list(values)}]\n`);
      this.n = -1;
      this.id = -1;
    }

    /** A `return` without a value. */
    q(n, ...values) {
      begin(this, n, values);
      this.r(n, undefined);
    }

    /** The `throw` under way throws a value. */
    h(n, value) {
      if (this.n === n) this.c(value);
    }

    /** An exception was caught here: it ended the statement under way. */
    c(value) {
      if (top !== this) run(this);
      if (this.id !== -1) line(`["x",${this.id},${valueText(value)}]\n`);
      this.n = -1;
      this.id = -1;
    }

    /** As `c`, of an exception that cannot be read, and for `finally`. */
    f() {
      if (top !== this) run(this);
      this.n = -1;
      this.id = -1;
    }

    /** It waits. */
    s() {
      leave(this);
    }

    /** It runs again. */
    w() {
      run(this);
    }

    /** It is left for good. */
    x() {
      leave(this);
    }
  }

  return (kind, placed) => {
    if (placed !== undefined)
      for (let index = 0; index < placed.length; index += 1) {
        const n = placed[index];
        if (specs[n] !== undefined && told[n] === 0) tell(n);
      }
    return kind < 0 ? undefined : new Frame(kind);
  };
}

function list(values) {
  return values.length === 0 ? '' : `,[${texts(values)}]`;
}

function texts(values) {
  let text = '';
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (index > 0) text += ',';
    text += value === UNBOUND ? '0' : valueText(value);
  }
  return text;
}
