// Which hits are recorded: as they come, and beyond the limit the first and the last of each probe.
import { thin } from './node-thin.mjs';

const { stringify } = JSON;

/** Numbers of new events; `ring` says after each `open` where its lines go: undefined to the file. */
export function createCounter(table, writer, stream, specs) {
  const told = new Uint8Array(specs.length);
  const { line, isStopped } = writer;
  const maxEvents = table.max_events;
  let ids = 0;

  const tell = (n) => {
    if (told[n] !== 0) return;
    told[n] = 1;
    line(`["p",${n},${stringify(specs[n].before)},${stringify(specs[n].after)}]`);
  };

  const tellThin = () => {
    line(stream.news);
    stream.news = undefined;
  };

  /** Number of a new event; -1: nothing is to be recorded. */
  const open = (n) => {
    if (isStopped() || n >= told.length || specs[n] === undefined) return -1;
    if (ids >= maxEvents && !stream.isThin) {
      const more = thin(stream);
      if (more === 0) {
        writer.stop();
        return -1;
      }
      writer.allow(more);
    }
    tell(n);
    writer.open();
    counter.ring = undefined;
    if (stream.isThin) {
      if (stream.news !== undefined) tellThin();
      const ring = stream.thinner.ringOf(n);
      if (ring === null) {
        writer.stop();
        return -1;
      }
      counter.ring = ring;
    }
    const id = ids;
    ids += 1;
    return id;
  };

  const counter = { open, tell, tellThin, ring: undefined };
  return counter;
}
