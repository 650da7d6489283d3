// Which row bound a name: in its own frame, or, for names of closures and modules, in another function of the file.
import type { ValueText } from '@h/contracts';
import { type DependenceGraph, ran, resultOf } from './dependence-graph.ts';
import { maySame } from './read-values.ts';
import type { ObjectId } from './track-objects.ts';

export interface Binding {
  readonly row: number;
  /** Absent: not recorded. */
  readonly value: ValueText | undefined;
  /** -1: a primitive. */
  readonly object: ObjectId;
}

export interface Scope {
  readonly file: string;
  readonly function: string;
  readonly names: Map<string, Binding>;
}

export interface NameBinder {
  bind(scope: Scope, name: string, binding: Binding): void;
  /** Links row `row` to whatever may have bound the name, which is what it gives back. */
  use(row: number, scope: Scope, name: string, value: ValueText | undefined): readonly Binding[];
}

/** What one function last bound a name to, over all its frames. */
interface Writer {
  last: Binding;
  scope: Scope;
  /** Node of all its bindings of the name, in whichever frame; -1 while there is one frame. */
  all: number;
}

interface Writers {
  readonly byFunction: Map<string, Writer>;
  /** Functions that hold a function that binds the name. */
  readonly outer: Set<string>;
}

export function createBinder(graph: DependenceGraph): NameBinder {
  const files = new Map<string, Map<string, Writers>>();
  return {
    bind(scope, name, binding) {
      scope.names.set(name, binding);
      const names = files.get(scope.file) ?? new Map<string, Writers>();
      files.set(scope.file, names);
      const writers = names.get(name) ?? { byFunction: new Map<string, Writer>(), outer: new Set<string>() };
      names.set(name, writers);
      record(graph, writers, scope, binding);
    },
    use(row, scope, name, value) {
      const own = scope.names.get(name);
      if (own !== undefined) graph.link(ran(row), resultOf(own.row), 'data');
      const writers = files.get(scope.file)?.get(name);
      const others = writers === undefined ? [] : useOthers(graph, writers, { row, scope, value, own });
      return own === undefined ? others : [own, ...others];
    },
  };
}

function record(graph: DependenceGraph, writers: Writers, scope: Scope, binding: Binding): void {
  const writer = writers.byFunction.get(scope.function);
  if (writer === undefined) {
    writers.byFunction.set(scope.function, { last: binding, scope, all: -1 });
    for (const outer of outerFunctions(scope.function)) writers.outer.add(outer);
    return;
  }
  if (writer.all >= 0 || writer.scope !== scope)
    writer.all = graph.both(resultOf(binding.row), graph.both(resultOf(writer.last.row), writer.all));
  writer.last = binding;
  writer.scope = scope;
}

interface Use {
  readonly row: number;
  readonly scope: Scope;
  readonly value: ValueText | undefined;
  readonly own: Binding | undefined;
}

/**
 * Bindings of the name by other functions: all that can be meant, where the frame has none of its own or the value read is not the one it
 * bound; else only later ones by functions inside this one, which may have rebound it. A binding whose recorded value is not the value read is not meant.
 */
function useOthers(graph: DependenceGraph, writers: Writers, { row, scope, value, own }: Use): Binding[] {
  const stale = own?.value !== undefined && value !== undefined && !maySame(own.value, value);
  if (own !== undefined && !stale && !writers.outer.has(scope.function)) return [];
  const meant: Binding[] = [];
  for (const [name, { last, all }] of writers.byFunction) {
    if (own !== undefined && (last.row <= own.row || !(stale || isInside(name, scope.function)))) continue;
    if (value === undefined || last.value === undefined || maySame(value, last.value)) {
      graph.link(ran(row), resultOf(last.row), 'data');
      meant.push(last);
      // A closure may have kept the variables of an earlier call of the function around it.
    } else if (all >= 0 && isInside(scope.function, name)) graph.link(ran(row), all, 'data');
  }
  return meant;
}

function isInside(inner: string, outer: string): boolean {
  return inner !== outer && (outer === '' || inner.startsWith(`${outer}.`));
}

function outerFunctions(name: string): string[] {
  const parts = name.split('.');
  return name === '' ? [] : ['', ...parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'))];
}
