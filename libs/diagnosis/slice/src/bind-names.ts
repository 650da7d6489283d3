// Which row bound a name: in its own frame, or, for names of closures and modules, in another function of the file.
import { type DependenceGraph, data } from './dependence-graph.ts';
import type { Statements, Variable } from './read-statements.ts';
import type { ValueTable } from './value-table.ts';

/** `slot`: a variable of a frame, from `open`; `variable`: the same over all frames of its function. */
export interface NameBinder {
  /** Makes room for the variables of a frame; gives back the slot of the first. */
  open(frame: number): number;
  /** `value` 0: not recorded; `object` -1: a primitive. */
  bind(slot: number, variable: number, binding: Binding): void;
  /** Links the node to whatever may have bound the name; what that is, is in `found`, until the next use. */
  use(slot: number, variable: number, from: number, value: number): void;
  /** The bindings last used: how many, the object behind the first that has one (-1: none), and those behind the others. */
  readonly found: { count: number; first: number; readonly others: number[] };
}

export interface Binding {
  readonly frame: number;
  readonly row: number;
  /** What there is to know of it: the result of the row, and what it may have left in place. */
  readonly node: number;
  readonly value: number;
  readonly object: number;
}

export function createBinder(graph: DependenceGraph, statements: Statements, values: ValueTable): NameBinder {
  const { variables, firstVariable, functionOfFrame } = statements;
  /** Per slot: the row that bound it plus one, the value, the object plus one. */
  const room = countSlots(statements);
  const rows = new Int32Array(room);
  const nodes = new Int32Array(room);
  const bound = new Int32Array(room);
  const objects = new Int32Array(room);
  let used = 0;
  const writers = createWriters(graph, variables.length);
  const found: NameBinder['found'] = { count: 0, first: -1, others: [] };
  let firstRow = -1;
  /** Of several that hold an object the one whose function bound the name first comes first. */
  const note = (object: number, since: number): void => {
    found.count += 1;
    if (object < 0) return;
    const isFirst = found.first < 0 || since < firstRow;
    if (found.first >= 0) found.others.push(isFirst ? found.first : object);
    if (!isFirst) return;
    found.first = object;
    firstRow = since;
  };
  /**
   * Bindings of the name by other functions: all that can be meant, where the frame has none of its own or the value read is not the one it
   * bound; else only later ones by functions inside this one, which may have rebound it. A binding whose recorded value is not the value read is not meant.
   */
  const useOthers = (given: Variable, from: number, value: number, own: number, stale: boolean): boolean => {
    let isExplained = false;
    if (own >= 0 && !stale && !given.inner.some((other) => writers.row(other) >= 0)) return isExplained;
    for (const other of given.bound) {
      const last = writers.row(other);
      if (last < 0 || (own >= 0 && (last <= own || !(stale || given.inner.includes(other))))) continue;
      const written = writers.value(other);
      if (value === 0 || written === 0 || values.maySame(value, written)) {
        graph.link(from, writers.node(other), data);
        isExplained ||= value > 0 && written > 0;
        note(writers.object(other), writers.first(other));
        // A closure may have kept the variables of an earlier call of the function around it.
      } else if (given.outer.includes(other)) graph.link(from, writers.all(other), data);
    }
    return isExplained;
  };
  return {
    found,
    open(frame) {
      const owner = functionOfFrame[frame] as number;
      const base = used;
      used += (firstVariable[owner + 1] as number) - (firstVariable[owner] as number);
      return base;
    },
    bind(slot, variable, binding) {
      rows[slot] = binding.row + 1;
      nodes[slot] = binding.node;
      bound[slot] = binding.value;
      objects[slot] = binding.object + 1;
      writers.record(variable, binding);
    },
    use(slot, variable, from, value) {
      const own = (rows[slot] as number) - 1;
      found.count = 0;
      found.first = -1;
      if (found.others.length > 0) found.others.length = 0;
      const ownValue = own < 0 ? 0 : (bound[slot] as number);
      const stale = ownValue > 0 && value > 0 && !values.maySame(ownValue, value);
      const given = variables[variable] as Variable;
      const isElsewhere = (own < 0 || stale || given.inner.length > 0) && useOthers(given, from, value, own, stale);
      // The value read is not the one bound here, and another function bound that one since.
      if (own < 0 || (stale && isElsewhere)) return;
      graph.link(from, nodes[slot] as number, data);
      note((objects[slot] as number) - 1, -1);
    },
  };
}

/** Variables of all frames. */
function countSlots({ firstVariable, functionOfFrame }: Statements): number {
  let count = 0;
  for (const owner of functionOfFrame) count += (firstVariable[owner + 1] as number) - (firstVariable[owner] as number);
  return count;
}

/** What each function last bound a name to, over all its frames. */
function createWriters(graph: DependenceGraph, count: number) {
  const rows = new Int32Array(count).fill(-1);
  const nodes = new Int32Array(count);
  const values = new Int32Array(count);
  const objects = new Int32Array(count);
  const frames = new Int32Array(count);
  const firsts = new Int32Array(count);
  /** Node of all its bindings of the name, in whichever frame; -1 while there is one frame. */
  const all = new Int32Array(count).fill(-1);
  return {
    row: (at: number) => rows[at] as number,
    node: (at: number) => nodes[at] as number,
    value: (at: number) => values[at] as number,
    object: (at: number) => objects[at] as number,
    first: (at: number) => firsts[at] as number,
    all: (at: number) => all[at] as number,
    record(at: number, { frame, row, node, value, object }: Binding) {
      const last = rows[at] as number;
      if (last < 0) firsts[at] = row;
      else if ((all[at] as number) >= 0 || frames[at] !== frame)
        all[at] = graph.both(node, graph.both(nodes[at] as number, all[at] as number));
      rows[at] = row;
      nodes[at] = node;
      values[at] = value;
      objects[at] = object;
      frames[at] = frame;
    },
  };
}
