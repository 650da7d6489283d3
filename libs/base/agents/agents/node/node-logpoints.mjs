// Observes statements that no probe can be put before, by logpoints of V8's inspector: breakpoints whose condition tells the values
// and does not hold. Some hundred microseconds a hit. They tell the values before the statement, and neither what it gave nor who called.
import { relative } from 'node:path';
import process from 'node:process';

const { defineProperty } = Object;
const { stringify } = JSON;
/** As `LOOSE` in node-probe-frames.mjs: nobody knows when it is left. */
const UNKNOWN_ACTIVATION = 1;

/** The specs of a table that have method "hook", by file. */
function hookedOf({ files }) {
  return files.flatMap(({ file, probes }) => {
    const hooked = probes.filter(({ method, role }) => method === 'hook' && role !== 'entry');
    return hooked.length === 0 ? [] : [{ file, probes: hooked }];
  });
}

/** `enter` starts an activation, `tell` writes a note; does nothing where the table asks for no logpoint. */
export function placeLogpoints(table, enter, tell) {
  const hooked = hookedOf(table);
  if (hooked.length === 0) return;
  const session = connect();
  if (session === undefined) {
    tell('no logpoint could be set: this Node has no inspector');
    return;
  }
  defineProperty(globalThis, '__hl', { value: (n, reads) => told(enter, n, reads), configurable: true });
  const root = process.cwd();
  for (const { file, probes } of hooked) {
    const urlRegex = `(?:^|/)${escaped(relative(root, `${root}/${file}`))}(?:\\?.*)?$`;
    for (const { n, line, before } of probes) {
      const reads = before.map((name) => `()=>${name}`);
      const condition = `(globalThis.__hl?.(${n},[${reads}]),false)`;
      session.post('Debugger.setBreakpointByUrl', { lineNumber: line - 1, urlRegex, condition }, (error) => {
        if (error) tell(`no logpoint could be set at ${stringify(`${file}:${line}`)}`);
      });
    }
  }
}

function connect() {
  try {
    const { Session } = process.getBuiltinModule('node:inspector');
    const session = new Session();
    session.connect();
    session.post('Debugger.enable');
    return session;
  } catch {
    return undefined;
  }
}

function escaped(path) {
  return path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function told(enter, n, reads) {
  const activation = enter(UNKNOWN_ACTIVATION);
  const values = [];
  for (let index = 0; index < reads.length; index += 1) values[index] = activation.g(reads[index]);
  activation.o(n, ...values);
  activation.x();
}
