// What becomes of hits once the stream is as long as it may be: of each probe the first few and the last few are kept. The last
// ones wait in memory, and are written when the test ends or the process does.
import { getPrototypeOf, method } from './node-intrinsics.mjs';

/** Hits that are taken while thinning; beyond, recording ends, so that a run of many millions takes no minutes more. */
const MOST = 2_000_000;
const LEAST_ROOM = 4096;
const { max } = Math;

const copyPart = method(getPrototypeOf(Uint8Array.prototype), 'slice');

/** The lines of the last hits of one probe. */
class Ring {
  lines = [];
  next = 0;
  size = 0;
  kept = 0;
  /** Hits that came here, and those of them whose lines are still there. */
  taken = 0;
  began = 0;

  constructor(last, room) {
    this.length = 2 * last; // a hit is two lines
    this.room = room;
  }

  push(bytes, start, end, isBegin) {
    const line = { bytes: copyPart(bytes, start, end), isBegin };
    const old = this.lines[this.next];
    if (old !== undefined) this.drop(this.next, old);
    this.lines[this.next] = line;
    this.size += end - start;
    if (isBegin) this.began += 1;
    let at = this.next;
    this.next = at + 1 < this.length ? at + 1 : 0;
    // oldest first, until the rest has room
    for (let count = 0; this.size > this.room && count < this.length; count += 1) {
      at = at + 1 < this.length ? at + 1 : 0;
      if (this.lines[at] !== undefined) this.drop(at, this.lines[at]);
    }
  }

  drop(at, line) {
    this.size -= line.bytes.length;
    if (line.isBegin) this.began -= 1;
    this.lines[at] = undefined;
  }

  /** Gives each line to `write`, oldest first, and forgets it; the number of hits that are not among them. */
  empty(write) {
    const missing = this.taken - this.began;
    for (let count = 0, at = this.next; count < this.length; count += 1) {
      const line = this.lines[at];
      if (line !== undefined) {
        this.drop(at, line);
        write(line.bytes);
      }
      at = at + 1 < this.length ? at + 1 : 0;
    }
    this.taken = 0;
    return missing;
  }
}

/** `keep` of the table, bytes for all that waits, and the number of probes. */
function createThinner({ first, last }, room, probes) {
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
    /** `tell` is told of each probe with hits that are not recorded, then `write` given each line that waited. */
    dump(tell, write) {
      const lines = [];
      for (let n = 0; n < rings.length; n += 1) {
        const missing = rings[n]?.empty((line) => {
          lines[lines.length] = line;
        });
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
  const thinner = keep === undefined ? undefined : createThinner(keep, eighth, probes);
  return { keep, eighth, reserve: eighth, isThin: false, news: undefined, thinner };
}

/** From here on only the first and the last hits are kept; gives the bytes there are for the former, once. */
export function thin(stream) {
  if (stream.thinner === undefined || stream.isThin) return 0;
  stream.isThin = true;
  stream.news = `["l",${stream.keep.first},${stream.keep.last}]`;
  return stream.eighth;
}

/** Writes the last hits, which wait until here. */
export function dump(stream, writer) {
  if (!stream.isThin || writer.isStopped()) return;
  writer.allow(stream.reserve);
  stream.reserve = 0;
  const lines = [];
  stream.thinner.dump(
    (n, missing) => writer.line(`["d",${n},${missing}]`),
    (line) => {
      lines[lines.length] = line;
    },
  );
  writer.line('["D"]');
  for (let index = 0; index < lines.length; index += 1) writer.bytesLine(lines[index]);
}
