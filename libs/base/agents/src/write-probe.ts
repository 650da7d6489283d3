// The text of one probe. `P` is a hidden constant of each activation, `const P=globalThis.__hp?.(…)`: where no runtime is, it
// is undefined, and every probe `P?.…` does nothing.
import { type BoundProgram, readingOf, type Scope } from './bind-scopes.ts';
import { type Activation, isOverAtOnce, type PlannedSites, withoutLabels } from './find-probe-sites.ts';
import { type EsNode, type Insertions, isNode, LOOPS } from './inject-statements.ts';
import type { ProbeSpec } from './probe-table.ts';

/** Hidden names that the text does not hold. */
export interface HiddenNames {
  readonly probe: string;
  readonly temporary: string;
}

export interface ProbeInjection {
  readonly sites: PlannedSites;
  readonly bound: BoundProgram;
  readonly names: HiddenNames;
  readonly into: Insertions;
}

/** Where the walk through the program is. */
export interface ProbeWalk extends ProbeInjection {
  scope: Scope;
  /** Of the function the walk is in, where that one is probed. */
  activation: Activation | undefined;
  /** The statement before, whose end the begin of this one tells too. */
  ended: Ended | undefined;
  /** Loops and switches around the place, innermost last. */
  targets: Target[];
}

/** A statement, and what its end tells. */
interface Ended {
  readonly n: number;
  readonly values: readonly string[];
}

export interface Target {
  readonly labels: readonly string[];
  readonly isLoop: boolean;
  /** Tells a probed loop over values that its header runs again; else empty. */
  readonly again: string;
}

/** What a branch marker says: its method with the argument before the values. */
export interface Marker {
  readonly spec: ProbeSpec;
  readonly method: 'k' | 'i';
  readonly branch?: string;
}

/** Kinds of activation that the runtime knows, as bits. */
const LOOSE = 1;
const GENERATOR = 2;

/** What stands first in the program: the probes that were placed, and the activation of its own statements. */
export function registration({ sites, names }: ProbeInjection, activation: Activation | undefined): string {
  const specs = [...sites.statements.values(), ...sites.entries.values()];
  const placed = specs.map(({ n }) => n).sort((a, b) => a - b);
  const register = `globalThis.__hp?.(${activation === undefined ? -1 : LOOSE},[${placed}]);`;
  return activation === undefined ? register : `const ${names.probe}=${register}let ${names.temporary};`;
}

/** What an activation starts and ends with: its constant, the entry, and a `finally` that tells when it is left. */
export function activationText(walk: ProbeWalk, own: Activation): [before: string, after: string] {
  const { probe, temporary } = walk.names;
  const wraps = own.isCertain;
  const kind = (wraps ? 0 : LOOSE) | (own.isGenerator ? GENERATOR : 0);
  const spec = walk.sites.entries.get(own.node);
  const body = own.node.body;
  const entry = spec === undefined || !isNode(body) ? '' : `${probeCall(walk, 'e', spec, spec.after, body.start)};`;
  const before = `const ${probe}=globalThis.__hp?.(${kind});let ${temporary};${wraps ? 'try{' : ''}${entry}`;
  return [before, wraps ? `}finally{${probe}?.x()}` : ''];
}

/** The place is in a probed function that can be suspended, and every place it is suspended at can be seen. */
export function suspends({ activation }: ProbeWalk): boolean {
  return activation !== undefined && (activation.isAsync || activation.isGenerator) && activation.isCertain;
}

export function decided(spec: ProbeSpec, branch: string): Marker {
  return { spec, method: 'k', branch };
}

/** The text of a branch marker that stands at `offset` in `scope`. */
export function markerText(walk: ProbeWalk, { spec, method, branch }: Marker, scope: Scope, offset: number): string {
  const outer = walk.scope;
  walk.scope = scope;
  const text = probeCall(walk, method, spec, spec.after, offset, branch === undefined ? undefined : `"${branch}"`);
  walk.scope = outer;
  return `${text};`;
}

/** The probe before a statement. */
export function beginText(walk: ProbeWalk, method: string, spec: ProbeSpec, offset: number): string {
  const { ended } = walk;
  if (ended === undefined) return `${probeCall(walk, method, spec, spec.before, offset)};`;
  walk.ended = undefined;
  const values = valuesOf(walk, spec.before, offset);
  return `${walk.names.probe}?.j(${ended.n},[${ended.values}],${spec.n},[${values}]);`;
}

/** The probe after a statement; none where that of `next`, the statement after it, tells its end too. */
export function endText(walk: ProbeWalk, spec: ProbeSpec, offset: number, next: EsNode | undefined): string {
  if (next === undefined || !tellsEnd(walk, withoutLabels(next)))
    return `${probeCall(walk, 'a', spec, spec.after, offset)};`;
  walk.ended = { n: spec.n, values: valuesOf(walk, spec.after, offset) };
  return '';
}

function tellsEnd(walk: ProbeWalk, node: EsNode): boolean {
  if (!walk.sites.statements.has(node) || LOOPS.has(node.type) || isOverAtOnce(node)) return false;
  return !/^(?:Return|Throw)Statement$/.test(node.type) || isNode(node.argument);
}

/** `P?.method(n,first,values)`; a name that may not be read gives `P.u`. */
export function probeCall(
  walk: ProbeWalk,
  method: string,
  { n }: ProbeSpec,
  names: readonly string[],
  offset: number,
  first?: string,
): string {
  const values = valuesOf(walk, names, offset);
  return `${walk.names.probe}?.${method}(${[n, ...(first === undefined ? [] : [first]), ...values].join(',')})`;
}

/** The values of names at `offset`, but for the last ones that may not be read. */
function valuesOf(walk: ProbeWalk, names: readonly string[], offset: number): string[] {
  const { probe } = walk.names;
  const values = names.map((name) => {
    const reading = readingOf(name, walk.scope, offset, walk.bound);
    return reading === 'plain' ? name : reading === 'guarded' ? `${probe}.g(()=>${name})` : `${probe}.u`;
  });
  while (values.at(-1) === `${probe}.u`) values.pop();
  return values;
}
