// Calls that are put around a value, by language: around which kinds of expression, in which places.
import { ROLES } from '../roles.ts';

export type Shape = 'name' | 'member' | 'element' | 'call' | 'collection' | 'difference' | 'quotient' | 'product';

/** Places beyond `ROLES`: the right side of an assignment, an operand beside a text. */
export const ASSIGNED = 1024;
export const JOINED = 2048;

export interface Wrapper {
  /** Names the variant. */
  readonly name: string;
  /** What is called, where it is a function. */
  readonly callee?: string;
  readonly shapes: readonly Shape[];
  /** What it is put around is used like this, where other uses tell. */
  readonly takes?: number;
  /** Roles of the place, as bits. */
  readonly places: number;
  /** `grouped` is the text as the object of a member. */
  write(value: { text: string; grouped: string }): string;
}

const { argument, arithmetic, compared, elements, index, iterated, returned } = ROLES;
const VALUES: readonly Shape[] = ['name', 'member', 'element', 'call'];
const STORED: readonly Shape[] = ['name', 'member', 'element'];
const RESULTS = ASSIGNED | returned;

/** By the name of the wrapper. */
const TAKES: Readonly<Record<string, number>> = {
  length: elements,
  absolute: arithmetic,
  integer: arithmetic,
  float: arithmetic,
  round: arithmetic,
  number: arithmetic,
  strip: elements,
  lower: elements,
  trim: elements,
  toLowerCase: elements,
  copy: elements,
  sum: elements,
  list: elements,
  set: elements,
  sorted: elements,
};

function around(name: string, callee: string, shapes: readonly Shape[], places: number): Wrapper {
  return { name, callee, shapes, places, takes: TAKES[name] ?? 0, write: ({ text }) => `${callee}(${text})` };
}

function method(name: string, shapes: readonly Shape[], places: number, end = '()'): Wrapper {
  return { name, shapes, places, takes: TAKES[name] ?? 0, write: ({ grouped }) => `${grouped}.${name}${end}` };
}

function bounded(name: string, before: string, shapes: readonly Shape[], places: number): Wrapper {
  return { name, shapes, places, write: ({ text }) => `${before}${text})` };
}

const PYTHON: readonly Wrapper[] = [
  around('length', 'len', STORED, compared | arithmetic | index | returned),
  around('absolute', 'abs', ['difference'], compared | RESULTS | argument),
  around('absolute', 'abs', STORED, compared),
  around('integer', 'int', ['quotient', 'call'], RESULTS | argument | index | arithmetic),
  around('integer', 'int', STORED, arithmetic | compared | index),
  around('float', 'float', STORED, arithmetic),
  around('round', 'round', ['quotient', 'product'], RESULTS | argument),
  around('text', 'str', [...VALUES, 'difference', 'product'], JOINED),
  around('text', 'str', VALUES, argument | index | returned),
  around('sorted', 'sorted', [...VALUES, 'collection'], iterated | RESULTS),
  around('list', 'list', VALUES, iterated | RESULTS),
  around('set', 'set', [...VALUES, 'collection'], iterated | RESULTS),
  around('sum', 'sum', STORED, RESULTS | compared),
  around('reversed', 'reversed', VALUES, iterated),
  around('enumerate', 'enumerate', VALUES, iterated),
  around('truth', 'bool', VALUES, returned),
  bounded('at-least', 'max(0, ', ['difference'], RESULTS | argument | index),
  method('strip', VALUES, compared | RESULTS | argument),
  method('lower', VALUES, compared | RESULTS),
  method('copy', STORED, RESULTS | argument),
  method('items', STORED, iterated),
  method('values', STORED, iterated),
  method('keys', STORED, iterated),
];

const JAVASCRIPT: readonly Wrapper[] = [
  method('length', STORED, compared | arithmetic | index | returned, ''),
  around('absolute', 'Math.abs', ['difference'], compared | RESULTS | argument),
  around('absolute', 'Math.abs', STORED, compared),
  around('floor', 'Math.floor', ['quotient', 'product'], RESULTS | argument | index | arithmetic),
  around('ceil', 'Math.ceil', ['quotient'], RESULTS | argument | index),
  around('round', 'Math.round', ['quotient', 'product'], RESULTS | argument),
  around('number', 'Number', VALUES, arithmetic | compared | RESULTS | index),
  around('text', 'String', [...VALUES, 'difference', 'product'], JOINED),
  around('text', 'String', VALUES, argument | index | returned),
  around('truth', 'Boolean', VALUES, returned),
  bounded('at-least', 'Math.max(0, ', ['difference'], RESULTS | argument | index),
  { name: 'copy', shapes: VALUES, places: iterated | RESULTS, takes: elements, write: ({ text }) => `[...${text}]` },
  method('trim', VALUES, compared | RESULTS | argument),
  method('toLowerCase', VALUES, compared | RESULTS),
  method('sort', ['call', 'collection'], RESULTS | iterated),
  method('reverse', ['call', 'collection'], RESULTS | iterated),
  method('entries', STORED, iterated),
  method('values', STORED, iterated),
  around('object-keys', 'Object.keys', STORED, iterated | RESULTS),
  around('object-values', 'Object.values', STORED, iterated | RESULTS),
  around('object-entries', 'Object.entries', STORED, iterated),
  around('set', 'new Set', STORED, RESULTS),
];

export const WRAPPERS = { python: PYTHON, javascript: JAVASCRIPT } as const;

/** Methods without arguments that give another form of the same value. */
export const UNWRAPPED_METHODS: ReadonlySet<string> = new Set([
  ...[
    'strip',
    'lstrip',
    'rstrip',
    'lower',
    'upper',
    'title',
    'casefold',
    'copy',
    'items',
    'keys',
    'values',
    'split',
    'splitlines',
  ],
  ...[
    'trim',
    'trimStart',
    'trimEnd',
    'toLowerCase',
    'toUpperCase',
    'toString',
    'slice',
    'sort',
    'reverse',
    'entries',
    'flat',
  ],
  ...[
    'pop',
    'shift',
    'next',
    'valueOf',
    'toSorted',
    'toReversed',
    'concat',
    'encode',
    'decode',
    'bit_length',
    'isoformat',
  ],
]);
