// The events file of the probes: bytes of whole lines, so that a probe allocates next to nothing. Everything used is bound at
// load, before the target can replace it.
import fs from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const EVENTS = 'probe-events.ndjson';
const LOCK = 'probe-events.lock';
/** So many lines are written one by one, so that even a killed process leaves them; later ones in blocks. */
const SINGLE_LINES = 32768;
const BLOCK = 16384;
const MOST_INT = 0x7fffffff;
const LAST_LINE = '["c"]\n';

const { appendFileSync, openSync, readFileSync, writeFileSync, writeSync } = fs;
const kill = process.kill.bind(process);
const { bind, call } = Function.prototype;
const unbound = bind.bind(call);
const charCodeAt = unbound(String.prototype.charCodeAt);
const slice = unbound(String.prototype.slice);
const encoder = new TextEncoder();
const encodeInto = unbound(TextEncoder.prototype.encodeInto);
const { set, subarray } = Object.getPrototypeOf(Uint8Array.prototype);
const copy = unbound(set);
const part = unbound(subarray);
const Bytes = Uint8Array;

/** Text below U+0080 as bytes. */
export const ascii = (text) => new TextEncoder().encode(text);

/**
 * Lines to the events file in `folder`, until it would be longer than `maxBytes`. A head stands before the first line. `onFull` is told
 * how many bytes a line lacks and gives bytes that there may be more; `onStop` may still write lines before the last one.
 */
export function createWriter(folder, maxBytes, onFull = () => 0, onStop = () => {}) {
  let limit = maxBytes;
  const path = join(folder, EVENTS);
  let capacity = BLOCK * 2;
  let bytes = new Bytes(capacity);
  let at = 0;
  /** Where the line under way starts; what is before it is whole. */
  let start = 0;
  /** Where the line before starts, and how many lines there were when it was marked. */
  let before = 0;
  let marked = -1;
  let file;
  let written = 0;
  let lines = 0;
  let context = '';
  let isOurs = false;
  /** A limit is reached: nothing more is taken. */
  let isFull = false;
  let isStopping = false;
  /** Another process writes, or the file cannot be written. */
  let isSilent = false;

  const grow = (need) => {
    while (capacity < at + need) capacity *= 2;
    const larger = new Bytes(capacity);
    copy(larger, bytes);
    bytes = larger;
  };

  // a local copy of what the loops change: a variable of the closure would be stored each time
  const text = (part) => {
    const { length } = part;
    if (at + length * 3 > capacity) grow(length * 3);
    const buffer = bytes;
    let here = at;
    for (let index = 0; index < length; index += 1) {
      const code = charCodeAt(part, index);
      if (code > 127) {
        at = here;
        encode(slice(part, index));
        return;
      }
      buffer[here] = code;
      here += 1;
    }
    at = here;
  };

  const encode = (rest) => {
    at += encodeInto(encoder, rest, part(bytes, at)).written;
  };

  /** A part that `ascii` made; at most 64 bytes. */
  const raw = (constant, length) => {
    if (at + 64 > capacity) grow(64);
    const buffer = bytes;
    const here = at;
    for (let index = 0; index < length; index += 1) buffer[here + index] = constant[index];
    at = here + length;
  };

  /** One character. */
  const sign = (code) => {
    if (at + 1 > capacity) grow(1);
    bytes[at] = code;
    at += 1;
  };

  /** A number from 0. */
  const int = (number) => {
    if (number > MOST_INT) {
      text(`${number}`);
      return;
    }
    if (at + 10 > capacity) grow(10);
    at = digits(bytes, at, number);
  };

  /** `["number","…"]` of a number from 0 to 2^31 - 1. */
  const value = (number) => {
    if (at + 32 > capacity) grow(32);
    const buffer = bytes;
    const here = at;
    buffer[here] = 91;
    buffer[here + 1] = 34;
    buffer[here + 2] = 110;
    buffer[here + 3] = 117;
    buffer[here + 4] = 109;
    buffer[here + 5] = 98;
    buffer[here + 6] = 101;
    buffer[here + 7] = 114;
    buffer[here + 8] = 34;
    buffer[here + 9] = 44;
    buffer[here + 10] = 34;
    const last = digits(buffer, here + 11, number);
    buffer[last] = 34;
    buffer[last + 1] = 93;
    at = last + 2;
  };

  /** Starts a line, `["b",id`: what an exhausted stack left of the one before is dropped. */
  const lead = (letter, id) => {
    at = start;
    if (at + 16 > capacity) grow(16);
    const buffer = bytes;
    const here = at;
    buffer[here] = 91;
    buffer[here + 1] = 34;
    buffer[here + 2] = letter;
    buffer[here + 3] = 34;
    buffer[here + 4] = 44;
    at = here + 5;
    int(id);
  };

  const write = (mode) => {
    const length = start;
    try {
      file ??= openSync(path, mode);
      written += writeSync(file, bytes, 0, length);
    } catch {
      isSilent = true;
    }
    at = 0;
    start = 0;
  };

  const flush = () => {
    if (isOurs && !isSilent && lines > 0 && start > 0) write('a');
  };

  const tellSecond = () => {
    try {
      appendFileSync(path, '["n","a second process ran tests at the same time: its statements are not recorded"]\n');
    } catch {
      // nothing can be written here, so nobody is told
    }
  };

  const stop = () => {
    if (isFull || isStopping) return;
    isStopping = true;
    at = start;
    onStop();
    isFull = true;
    at = start;
    text(LAST_LINE);
    start = at;
    lines += 1;
    flush();
  };

  const fits = () => written + at + LAST_LINE.length <= limit;

  /** Ends the line under way. A statement without its end would have raised, so the line is not lost where there is room for more. `isFollowed`: the begin
   * of the next statement follows at once, and is written with it. */
  const end = (isFollowed) => {
    bytes[at] = 10;
    at += 1;
    if (isFull || isSilent) {
      at = start;
      return;
    }
    if (!fits()) limit += onFull(written + at + LAST_LINE.length - limit);
    if (!fits()) {
      at = start;
      stop();
    } else {
      before = start;
      start = at;
      lines += 1;
      if ((lines < SINGLE_LINES && !(isFollowed && lines + 1 < SINGLE_LINES)) || at > BLOCK) flush();
    }
  };

  /** Ends the line under way, which waits in a ring. */
  const endIn = (ring, isBegin) => {
    bytes[at] = 10;
    if (!isFull && !isSilent) ring.push(bytes, start, at + 1, isBegin);
    at = start;
  };

  /** A whole line that waited. */
  const bytesLine = (whole) => {
    at = start;
    if (at + whole.length + 1 > capacity) grow(whole.length + 1);
    copy(bytes, whole, at);
    at += whole.length - 1;
    end();
  };

  const line = (whole) => {
    at = start;
    text(whole);
    end();
  };

  text('["h",1,"node"]\n');
  start = at;

  return {
    text,
    raw,
    lead,
    int,
    sign,
    value,
    end,
    /** The line that ended just now may be continued. */
    mark() {
      marked = lines;
    },
    /** Goes on with the marked line, before its last bracket; false where another line came after it, or it is written. */
    reopen() {
      if (marked !== lines || start === 0) return false;
      at = start - 2;
      start = before;
      lines -= 1;
      marked = -1;
      return true;
    },
    endIn,
    /** The next part starts a line. */
    clear() {
      at = start;
    },
    line,
    bytesLine,
    /** Writes a line that waits for one that did not come. */
    settle() {
      if (start > 0 && lines < SINGLE_LINES) flush();
    },
    /** The file may be so much longer. */
    allow(more) {
      limit += more;
    },
    /** Bytes there are. */
    room: () => limit - written - start - LAST_LINE.length,
    /** Before an event: says the test under way, if that is news. */
    open() {
      if (context === '') return;
      const news = context;
      context = '';
      line(news);
    },
    context(news) {
      context = news;
    },
    /** This process is the one that writes, unless another one that still runs is. */
    claim() {
      if (isOurs || isSilent) return;
      isOurs = takeLock(join(folder, LOCK));
      isSilent = !isOurs;
      if (isSilent) tellSecond();
      flush();
    },
    flush,
    stop,
    /** Whoever never ran a test speaks only where nobody else did. */
    exit() {
      if (isOurs) flush();
      else if (!isSilent && lines > 0) write('ax');
    },
    isStopped: () => isFull || isSilent,
  };
}

/** Writes the digits of a number from 0; where they end. */
function digits(buffer, first, number) {
  if (number < 10) {
    buffer[first] = 48 + number;
    return first + 1;
  }
  let last = first;
  for (let power = 10; power <= number; power *= 10) last += 1;
  let rest = number | 0;
  for (let index = last; index >= first; index -= 1) {
    const tenth = (rest / 10) | 0;
    buffer[index] = 48 + rest - tenth * 10;
    rest = tenth;
  }
  return last + 1;
}

/** false: another process that still runs has it, or none can be had. */
function takeLock(path) {
  try {
    writeFileSync(path, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch {
    // it was taken, maybe by a process that is no more
  }
  try {
    const owner = Number(readFileSync(path, 'utf8'));
    if (owner === process.pid || isRunning(owner)) return false;
    writeFileSync(path, `${process.pid}`);
    return true;
  } catch {
    return false;
  }
}

function isRunning(id) {
  try {
    return kill(id, 0);
  } catch {
    return false;
  }
}
