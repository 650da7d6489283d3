// Effects turned into variables: which statement may change which object, and which variables other functions change.
import type { Outline } from '@h/syntax';
import { type Mention, type PlacedNames, variableKey } from './place-names.ts';
import { eachNode, type PlainNode } from './plain-tree.ts';
import { type Effects, type Root, readEffects } from './read-effects.ts';

/** A variable that an expression starts from. */
export interface Variable {
  readonly key: string;
  readonly name: string;
  /** Function whose scope holds it; -1: the module, or unknown. */
  readonly holder: number;
  /** Function the mention stands in. */
  readonly within: number;
  readonly statement: number;
  /** Its name, or an access path that starts with it. */
  readonly path: string;
  /** Bound to data; what is unknown, a function, a class or an import is not. */
  readonly isData: boolean;
  /** Of a comprehension or a class body: not seen elsewhere. */
  readonly isHidden: boolean;
}

export interface Mutations {
  readonly stores: readonly Variable[];
  readonly touches: readonly Variable[];
  readonly reads: readonly Variable[];
  readonly deletes: readonly Variable[];
  /** Statements that may run any other code. */
  readonly callers: ReadonlySet<number>;
  /** Statements that give a value out of a generator. */
  readonly yields: ReadonlySet<number>;
  /** Variables that a function other than their own may change: one mention for each function that does. */
  readonly remote: readonly Variable[];
  /** Function whose `this` an offset sees; -1 for none. */
  thisHolder(offset: number): number;
}

/** Modules of Python's library whose functions change nothing but their arguments. */
const STATELESS = new Set(
  'bisect collections copy dataclasses datetime decimal enum fractions functools heapq itertools json math operator re statistics string textwrap typing'.split(
    ' ',
  ),
);
const BINDS_THIS = new Set([
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'method_definition',
]);

export function readMutations(tree: PlainNode, text: string, outline: Outline, placed: PlacedNames): Mutations {
  const effects: Effects = readEffects(tree, text);
  const thisHolder = thisHolders(tree, outline);
  const variableOf = variableReader(outline, placed, thisHolder);
  const all = (roots: readonly Root[]) => roots.flatMap((root) => variableOf(root) ?? []);
  const stores = all(effects.stores);
  const touches = all(effects.touches).filter(({ name, isData }) => isData || !STATELESS.has(name));
  const written = placed.definitions.map((mention) => variableFor(placed, mention, mention.name));
  const changed = [...stores, ...[...touches, ...written].filter(({ isData }) => isData)];
  return {
    stores,
    touches,
    reads: all(effects.reads),
    deletes: all(effects.deletes),
    callers: new Set(effects.calls.map((offset) => placed.ownerAt(offset))),
    yields: new Set(effects.yields.map((offset) => placed.ownerAt(offset))),
    remote: distinct(changed.filter(({ within, holder, isHidden }) => within !== holder && !isHidden)),
    thisHolder,
  };
}

function variableFor(placed: PlacedNames, mention: Mention, path: string): Variable {
  const { name, home, within, statement } = mention;
  return {
    key: variableKey(home, name),
    name,
    holder: home < 0 ? -1 : placed.functionOfScope(home),
    within,
    statement,
    path,
    isData: placed.isData(home, name),
    isHidden: home >= 0 && placed.isHidden(home),
  };
}

function variableReader(outline: Outline, placed: PlacedNames, thisHolder: (offset: number) => number) {
  const mentions = new Map([...placed.definitions, ...placed.uses].map((mention) => [mention.start, mention]));
  const isPython = outline.language === 'python';
  return ({ name, offset, path }: Root): Variable | undefined => {
    const statement = placed.ownerAt(offset);
    const within = placed.functionAt(offset);
    if (name === 'this' || (name === 'super' && !isPython)) {
      const holder = thisHolder(offset);
      const common = { within, statement, isData: true, isHidden: false };
      return { ...common, key: `this@${holder}`, name: 'this', holder, path: path.replace(/^super/, 'this') };
    }
    const [first] = name === 'super' ? placed.parameters(within) : [];
    if (first !== undefined) {
      const home = placed.scopeOf(within);
      return variableFor(placed, { name: first, start: offset, home, within, statement }, first);
    }
    const mention = mentions.get(offset);
    return mention && variableFor(placed, mention, path);
  };
}

function thisHolders(tree: PlainNode, { functions }: Outline): (offset: number) => number {
  const spans = [...eachNode(tree)].filter(({ kind }) => BINDS_THIS.has(kind));
  return (offset) => {
    const span = spans.findLast(({ start, end }) => start <= offset && offset < end);
    if (span === undefined) return -1;
    return functions.findLastIndex(({ start, end }) => start <= span.start && end === span.end);
  };
}

function distinct(variables: readonly Variable[]): Variable[] {
  return [...new Map(variables.map((variable) => [`${variable.key} ${variable.within}`, variable])).values()];
}
