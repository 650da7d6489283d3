// What becomes of hits once the stream is as long as it may be: of each probe the first few and the last few are kept. The last
// ones wait in memory, and are written when the test ends or the process does.
import { getPrototypeOf, method } from './node-intrinsics.mjs';

/** Hits that are taken while thinning; beyond, recording ends, so that a run of many millions takes no minutes more. */
const MOST = 2_000_000;
const LEAST_ROOM = 4096;
/** Bytes that say how many hits of a probe are missing. */
const TOLD = 32;
const { max } = Math;

const Bytes = Uint8Array;
const copy = method(getPrototypeOf(Uint8Array.prototype), 'set');
const part = method(getPrototypeOf(Uint8Array.prototype), 'subarray');
const FIRST_ROOM = 4096;
const COMMA = 44;

/** Lines one after another, and how many hits begin in them. */
class Half {
  bytes = new Bytes(FIRST_ROOM);
  at = 0;
  hits = 0;
}

/** The lines of the last hits of one probe: of the last `last` ones at least, where they have room, and of twice as many at most. */
class Ring {
  now = new Half();
  before = new Half();
  /** Hits written as they came, and hits that came here. */
  kept = 0;
  taken = 0;
  /** The event whose first line is the last one here, and whether values stand in it. */
  lastId = -1;
  hasValues = false;

  constructor(last, room) {
    this.last = last;
    this.half = room / 2;
  }

  push(bytes, start, end, isBegin) {
    const length = end - start;
    this.lastId = -1;
    if (bytes[start] === COMMA)
      this.now.at -= 2; // the last line goes on before its last bracket
    else {
      if ((isBegin && this.now.hits >= this.last) || this.now.at + length > this.half) this.turn();
      if (isBegin && length > this.half) return; // an end without room is kept: without it the statement would have raised
    }
    const { now } = this;
    if (now.at + length > now.bytes.length) grow(now, now.at + length);
    const into = now.bytes;
    let { at } = now;
    for (let index = start; index < end; index += 1) {
      into[at] = bytes[index];
      at += 1;
    }
    now.at = at;
    if (isBegin) now.hits += 1;
  }

  /** The last line, of this event, may go on; not where it had no room. */
  mark(id, hasValues) {
    if (this.now.at === 0) return;
    this.lastId = id;
    this.hasValues = hasValues;
  }

  get size() {
    return this.before.at + this.now.at;
  }

  turn() {
    const { now } = this;
    this.now = this.before;
    this.before = now;
    this.now.at = 0;
    this.now.hits = 0;
  }

  /** Gives what waits to `write`, oldest first, and forgets it; the number of hits that are not in it. */
  empty(write) {
    const { now, before } = this;
    const missing = this.taken - before.hits - now.hits;
    if (before.at > 0) write(part(before.bytes, 0, before.at));
    if (now.at > 0) write(part(now.bytes, 0, now.at));
    this.now = new Half();
    this.before = new Half();
    this.taken = 0;
    this.lastId = -1;
    return missing;
  }
}

function grow(half, need) {
  let size = half.bytes.length;
  while (size < need) size *= 2;
  const larger = new Bytes(size);
  copy(larger, half.bytes);
  half.bytes = larger;
}

/** `keep` of the table, bytes for all that waits, and the number of probes. */
function createThinner(keep, room, probes) {
  let { first } = keep;
  const { last } = keep;
  const rings = [];
  const share = room / (probes > 0 ? probes : 1);
  let hits = 0;
  return {
    /** Where a hit goes: undefined to the file; null: recording is to end. */
    ringOf(n) {
      let ring = rings[n];
      if (ring === undefined) {
        ring = new Ring(last, max(share, LEAST_ROOM));
        rings[n] = ring;
      }
      hits += 1;
      if (hits > MOST) return null;
      if (ring.kept < first) {
        ring.kept += 1;
        return undefined;
      }
      ring.taken += 1;
      return ring;
    },
    /** From here on all hits wait. */
    endFirsts() {
      first = -1;
    },
    /**
     * `tell` is told of each probe with hits that are not recorded, then `write` given the lines that waited. Where there is no room for all
     * of them, probes are left out whole: a hit without its end would have raised.
     */
    dump(room, tell, write) {
      let left = room - TOLD;
      const lines = [];
      for (let n = 0; n < rings.length; n += 1) {
        const ring = rings[n];
        if (ring === undefined) continue;
        const { taken } = ring;
        const first = lines.length;
        const size = ring.size + TOLD;
        left -= size;
        let missing = ring.empty((line) => {
          lines[lines.length] = line;
        });
        if (left < 0) {
          lines.length = first;
          missing = taken;
          left += size;
        }
        if (missing > 0) tell(n, missing);
      }
      for (let index = 0; index < lines.length; index += 1) write(lines[index]);
    },
  };
}

/** What the probes share of the stream: `isThin` once only the first and the last hits are kept, `news` what is to be said of that. */
export function openStream({ keep, max_bytes, files }) {
  // an eighth for the first hits of each probe after the head, an eighth for the last
  const eighth = keep === undefined ? 0 : Math.floor(max_bytes / 8);
  const probes = files.reduce((sum, { probes: { length } }) => sum + length, 0);
  const spare = Math.floor(eighth / 4);
  const reserve = eighth - spare;
  const thinner = keep === undefined ? undefined : createThinner(keep, reserve, probes);
  return { keep, eighth, spare, reserve, isThin: false, news: undefined, thinner };
}

/** From here on only the first and the last hits are kept; gives the bytes there are for the former, once. */
export function thin(stream) {
  if (stream.thinner === undefined || stream.isThin) return 0;
  stream.isThin = true;
  stream.news = `["l",${stream.keep.first},${stream.keep.last}]`;
  return stream.eighth;
}

/** Bytes there are for a line that has no room: of first hits, or the end of one. From then on there are no first hits. */
export function makeRoom(stream, need) {
  if (!stream.isThin) return thin(stream);
  stream.thinner.endFirsts();
  if (need > stream.spare) return 0;
  stream.spare -= need;
  return need;
}

/** Writes the last hits, which wait until here. */
export function dump(stream, writer) {
  if (!stream.isThin || writer.isStopped()) return;
  writer.allow(stream.reserve + stream.spare);
  stream.reserve = 0;
  stream.spare = 0;
  const lines = [];
  stream.thinner.dump(
    writer.room(),
    (n, missing) => writer.line(`["d",${n},${missing}]`),
    (line) => {
      lines[lines.length] = line;
    },
  );
  writer.line('["D"]');
  for (let index = 0; index < lines.length; index += 1) writer.bytesLine(lines[index]);
}
