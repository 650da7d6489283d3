// Follows a report while other processes write it: what they told since it was last asked.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** `see(event, state)` is given each event that is new; what is no event is passed over. `skip` forgets what is new. */
export function createReader(path, see) {
  let offset = 0;
  let rest = Buffer.alloc(0);
  const fresh = () => {
    const file = openSync(path, 'a+'); // nothing may have been told yet
    try {
      const size = fstatSync(file).size;
      const bytes = Buffer.alloc(Math.max(0, size - offset));
      offset += readSync(file, bytes, 0, bytes.length, offset);
      rest = Buffer.concat([rest, bytes]);
    } finally {
      closeSync(file);
    }
    const end = rest.lastIndexOf(10) + 1;
    const lines = rest.subarray(0, end).toString().split('\n');
    rest = rest.subarray(end);
    return lines;
  };
  return {
    skip: fresh,
    follow(state) {
      for (const line of fresh()) if (line !== '') see(parse(line), state);
    },
  };
}

function parse(line) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
